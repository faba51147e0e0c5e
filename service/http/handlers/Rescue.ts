import { enterRescue, exitRescue } from "../../operations/Rescue.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const rescue: Handlers<"rescue"> = {
  enter: ({ params }, caller) => enterRescue(caller, params.instance_id),
  exit: ({ params }, caller) => exitRescue(caller, params.instance_id)
}
