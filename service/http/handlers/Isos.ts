import { listIsos } from "../../instances/Isos.ts"
import { mountIso, unmountIso } from "../../operations/IsoMount.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const isos: Handlers<"isos"> = {
  list: ({ params }, caller) => listIsos(caller, params.instance_id),
  mount: ({ params, payload }, caller) => mountIso(caller, params.instance_id, payload.iso_id),
  unmount: ({ params }, caller) => unmountIso(caller, params.instance_id)
}
