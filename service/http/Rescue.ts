import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { enterRescue, exitRescue } from "../instances/Rescue.ts"
import { answer } from "./Answer.ts"

export const layer = HttpApiBuilder.group(Api, "rescue", (handlers) =>
  handlers
    .handle("enter", ({ params }) => answer((by) => enterRescue(by, params.instance_id)))
    .handle("exit", ({ params }) => answer((by) => exitRescue(by, params.instance_id))))
