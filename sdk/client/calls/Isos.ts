import type { ActionResult, Iso, MountIso } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { idempotent, read } from "./Endpoint.ts"

/** The ISO library, and an instance's virtual drive. */
export const isos = {
  /** Lists the ISO images that can be mounted, and which one is. */
  list: read<(id: number, options?: CallOptions) => Array<Iso>>(
    "GET /instances/:instance_id/isos",
    { list: true }
  ),

  /** Mounts an ISO image in the virtual drive. */
  mount: idempotent<(id: number, body: MountIso, options?: CallOptions) => ActionResult>(
    "POST /instances/:instance_id/iso",
    { body: true }
  ),

  /** Unmounts the ISO image from the virtual drive. */
  unmount: idempotent<(id: number, options?: CallOptions) => ActionResult>("DELETE /instances/:instance_id/iso")
}
