import { enterRescue, exitRescue } from "../../instances/Rescue.ts"
import { answer } from "./Answer.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const rescue: Handlers<"rescue"> = {
  enter: ({ params }, by) => answer(enterRescue(by, params.instance_id)),
  exit: ({ params }, by) => answer(exitRescue(by, params.instance_id))
}
