import type { Backup } from "#contract/Backups"
import type { ActionResult } from "#contract/Instance"
import type { CallPromise } from "../CallPromise.ts"
import type { Core } from "../Core.ts"
import type { CallOptions } from "../Options.ts"
import type { Run } from "../Run.ts"

/** Backups of an instance's disk: made by the host every night, restored by you. */
export class Backups {
  readonly #core: Core["backups"]
  readonly #run: Run
  constructor(core: Core["backups"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The instance's backups. */
  list(id: number, options?: CallOptions): CallPromise<ReadonlyArray<Backup>> {
    return this.#run(this.#core.list(id, options))
  }

  /** Puts the disk back to the backup: what was written after it is lost. */
  restore(id: number, backup_id: number, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.restore(id, backup_id, options))
  }
}
