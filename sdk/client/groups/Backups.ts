import type { Backup } from "#contract/Backups"
import type { ActionResult } from "#contract/Instance"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** Backups of an instance's disk: made by the host every night, restored by you. */
export class Backups {
  readonly #core: Client["backups"]
  readonly #run: Run
  constructor(core: Client["backups"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The instance's backups. */
  list(id: number, options?: CallOptions): ApiPromise<ReadonlyArray<Backup>> {
    return this.#run(this.#core.list(id, options))
  }

  /** Puts the disk back to the backup: what was written after it is lost. */
  restore(id: number, backup_id: number, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.restore(id, backup_id, options))
  }
}
