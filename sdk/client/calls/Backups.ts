import type { ActionResult, Backup } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { once, read } from "./Endpoint.ts"

/** Backups of an instance's disk. The service makes one every night; you restore them. */
export const backups = {
  /**
   * Lists the instance's backups.
   *
   * @example
   * const backups = await vps.backups.list(42)
   * console.log(backups.map(({ created_at, id, status }) => `${id} ${created_at} ${status}`))
   */
  list: read<(id: number, options?: CallOptions) => Array<Backup>>(
    "GET /instances/:instance_id/backups",
    { list: true }
  ),

  /**
   * Restores the disk from the backup. Data written after the backup is lost.
   *
   * @example
   * await vps.backups.restore(42, 12)
   * await vps.instances.waitUntilIdle(42)
   */
  restore: once<(id: number, backup_id: number, options?: CallOptions) => ActionResult>(
    "POST /instances/:instance_id/backups/:backup_id/restore"
  )
}
