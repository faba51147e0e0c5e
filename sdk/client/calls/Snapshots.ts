import type { ActionResult, CreateSnapshot, Snapshot, SnapshotResult } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { idempotent, once, read } from "./Endpoint.ts"

/** Snapshots of an instance's disk. You create and delete them, up to a limit. */
export const snapshots = {
  /**
   * Lists the instance's snapshots.
   *
   * @example
   * const snapshots = await vps.snapshots.list(42)
   * snapshots.sort((a, b) => b.created_at.localeCompare(a.created_at))
   * console.log(snapshots[0]?.name)
   */
  list: read<(id: number, options?: CallOptions) => Array<Snapshot>>(
    "GET /instances/:instance_id/snapshots",
    { list: true }
  ),

  /**
   * Takes a snapshot. It is `available` once its task has ended. 409 when the snapshot limit is reached.
   * Not retried after a lost response: look for its name in `list` before you call this again.
   *
   * @example
   * const { snapshot } = await vps.snapshots.create(42, { name: "before-upgrade" })
   * await vps.instances.waitUntilIdle(42)
   * console.log(snapshot.id)
   */
  create: once<(id: number, body: CreateSnapshot, options?: CallOptions) => SnapshotResult>(
    "POST /instances/:instance_id/snapshots",
    { body: true }
  ),

  /**
   * Restores the disk from the snapshot. Data written after the snapshot is lost.
   *
   * @example
   * await vps.snapshots.restore(42, 3)
   * await vps.instances.waitUntilIdle(42)
   */
  restore: once<(id: number, snap_id: number, options?: CallOptions) => ActionResult>(
    "POST /instances/:instance_id/snapshots/:snap_id/restore"
  ),

  /**
   * Deletes a snapshot.
   *
   * @example
   * await vps.snapshots.delete(42, 3)
   */
  delete: idempotent<(id: number, snap_id: number, options?: CallOptions) => ActionResult>(
    "DELETE /instances/:instance_id/snapshots/:snap_id"
  )
}
