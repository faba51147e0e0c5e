import type { ActionResult } from "#contract/Instance"
import type { CreateSnapshot, Snapshot, SnapshotResult } from "#contract/Snapshots"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** Snapshots of an instance's disk: made and deleted by you, up to a quota. */
export class Snapshots {
  readonly #core: Client["snapshots"]
  readonly #run: Run
  constructor(core: Client["snapshots"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The instance's snapshots. */
  list(id: number, options?: CallOptions): ApiPromise<ReadonlyArray<Snapshot>> {
    return this.#run(this.#core.list(id, options))
  }

  /**
   * Takes a snapshot; it is `available` when its task has ended. 409 when the quota is reached.
   * Never repeated after a lost answer: look it up by name in `list` before asking again.
   */
  create(id: number, body: CreateSnapshot, options?: CallOptions): ApiPromise<SnapshotResult> {
    return this.#run(this.#core.create(id, body, options))
  }

  /** Puts the disk back to the snapshot: what was written after it is lost. */
  restore(id: number, snap_id: number, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.restore(id, snap_id, options))
  }

  /** Deletes a snapshot. */
  delete(id: number, snap_id: number, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.delete(id, snap_id, options))
  }
}
