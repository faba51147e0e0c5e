import { operate } from "../../operations/Power.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const power: Handlers<"power"> = {
  start: ({ params }, caller) => operate(caller, params.instance_id, "start"),
  stop: ({ params }, caller) => operate(caller, params.instance_id, "stop"),
  restart: ({ params }, caller) => operate(caller, params.instance_id, "restart")
}
