import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { operate } from "../instances/Power.ts"
import { answer } from "./Answer.ts"

const act =
  (operation: "start" | "stop" | "restart") => (request: { readonly params: { readonly instance_id: number } }) =>
    answer((by) => operate(by, request.params.instance_id, operation))

export const layer = HttpApiBuilder.group(
  Api,
  "power",
  (handlers) => handlers.handle("start", act("start")).handle("stop", act("stop")).handle("restart", act("restart"))
)
