import { listIsos, mountIso, unmountIso } from "../../instances/Isos.ts"
import { answer } from "./Answer.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const isos: Handlers<"isos"> = {
  list: ({ params }, by) => answer(listIsos(by, params.instance_id)),
  mount: ({ params, payload }, by) => answer(mountIso(by, params.instance_id, payload.iso_id)),
  unmount: ({ params }, by) => answer(unmountIso(by, params.instance_id))
}
