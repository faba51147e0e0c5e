import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { operate } from "../instances/Power.ts"
import { answer } from "./Answer.ts"
import { caller } from "./Caller.ts"

const act =
  (operation: "start" | "stop" | "restart") => (request: { readonly params: { readonly instance_id: number } }) =>
    answer(Effect.flatMap(caller, (by) => operate(by, request.params.instance_id, operation)))

export const layer = HttpApiBuilder.group(
  Api,
  "power",
  (handlers) => handlers.handle("start", act("start")).handle("stop", act("stop")).handle("restart", act("restart"))
)
