/** The settings of a host's pool for backups, and what they must satisfy. */
import * as Effect from "effect/Effect"
import type { Host } from "../../persistence/Hosts.ts"
import { type CommandRejected, reject } from "../CommandRejected.ts"

type Settings = Pick<Host, "backupPool" | "sharedBackups">

/** The settings of a host after a change. Another pool is not shared unless that is said, too. */
export const backupsOf = (
  host: Pick<Host, "pool"> & Settings,
  input: { readonly backup_pool?: string; readonly shared_backups?: string }
): Effect.Effect<Settings, CommandRejected> => {
  const backupPool = input.backup_pool ?? host.backupPool
  const kept = backupPool === host.backupPool ? host.sharedBackups : null
  const sharedBackups = input.shared_backups ?? kept
  if (backupPool === host.pool) {
    return Effect.fail(
      reject(`"${host.pool}" is the pool of the disks. Choose another one for backups, on another disk or computer.`)
    )
  }
  if (backupPool === null && sharedBackups !== null) {
    return Effect.fail(reject("--shared-backups is the name of a shared --backup-pool. Give both."))
  }
  return Effect.succeed({ backupPool, sharedBackups })
}
