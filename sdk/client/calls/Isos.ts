import type { ActionResult, Iso, MountIso } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { idempotent, read } from "./Endpoint.ts"

/** The ISO library, and an instance's virtual drive. */
export const isos = {
  /**
   * Lists the ISO images that can be mounted, and which one is.
   *
   * @example
   * const isos = await vps.isos.list(42)
   * console.log(isos.find(({ mounted }) => mounted)?.name ?? "none")
   */
  list: read<(id: number, options?: CallOptions) => Array<Iso>>(
    "GET /instances/:instance_id/isos",
    { list: true }
  ),

  /**
   * Mounts an ISO image in the virtual drive.
   *
   * @example
   * await vps.isos.mount(42, { iso_id: 2 })
   */
  mount: idempotent<(id: number, body: MountIso, options?: CallOptions) => ActionResult>(
    "POST /instances/:instance_id/iso",
    { body: true }
  ),

  /**
   * Unmounts the ISO image from the virtual drive.
   *
   * @example
   * await vps.isos.unmount(42)
   */
  unmount: idempotent<(id: number, options?: CallOptions) => ActionResult>("DELETE /instances/:instance_id/iso")
}
