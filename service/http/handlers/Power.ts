import { operate } from "../../instances/Power.ts"
import { answer } from "./Answer.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const power: Handlers<"power"> = {
  start: ({ params }, by) => answer(operate(by, params.instance_id, "start")),
  stop: ({ params }, by) => answer(operate(by, params.instance_id, "stop")),
  restart: ({ params }, by) => answer(operate(by, params.instance_id, "restart"))
}
