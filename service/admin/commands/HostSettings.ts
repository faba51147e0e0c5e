/** The commands that change a host's settings, and try them out. */
import * as Effect from "effect/Effect"
import { type Host, Hosts } from "../../persistence/Hosts.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { HostAdmin } from "../../provisioning/HostAdmin.ts"
import { reject } from "../CommandRejected.ts"
import { backupsOf } from "./BackupSettings.ts"
import { hostNamed, toRecord } from "./Hosts.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

const wanted = (host: Host, input: InputOf<"hosts.set">) => {
  if (!input.no_backup_pool) return backupsOf(host, input)
  return input.backup_pool === undefined && input.shared_backups === undefined
    ? Effect.succeed({ backupPool: null, sharedBackups: null })
    : Effect.fail(reject("--no-backup-pool excludes --backup-pool and --shared-backups."))
}

const setHost = Effect.fnUntraced(function*(input: InputOf<"hosts.set">) {
  const { name, shared_storage: sharedStorage, ...rest } = input
  if (sharedStorage === undefined && Object.values(rest).every((value) => value === undefined || value === false)) {
    return yield* reject("Nothing to change. Give at least one flag; see hosts set --help.")
  }
  const host = yield* hostNamed(name)
  const { backupPool, sharedBackups } = yield* wanted(host, input)
  if (backupPool !== host.backupPool) {
    const { checkBackupPool } = yield* HostAdmin
    yield* Effect.mapError(checkBackupPool(host, backupPool), ({ message }) => reject(message))
  }
  const hosts = yield* Hosts
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* hosts.setStorage(host.id, sharedStorage ?? host.sharedStorage, backupPool, sharedBackups)
    return toRecord((yield* hosts.find(host.id))!)
  }))
})

/** The other hosts that an operator has declared to share a host's backups. */
export const sharersOf = Effect.fnUntraced(function*({ id, sharedBackups }: Host) {
  const all = yield* (yield* Hosts).list
  return all.filter((each) => each.id !== id && sharedBackups !== null && each.sharedBackups === sharedBackups)
})

export const responds = ({ state, unreachableSince }: Host): boolean => unreachableSince === null && state !== "offline"

/** Tries a host out: all that a machine needs, with a trial machine that is booted and removed. */
const tryHost = Effect.fnUntraced(function*({ name }: InputOf<"hosts.check">) {
  const host = yield* hostNamed(name)
  const images = yield* (yield* Hosts).images(host.id)
  const sharers = yield* sharersOf(host)
  const silent = sharers.filter((other) => !responds(other))
  return yield* (yield* HostAdmin).check(host, images, sharers.filter(responds), silent)
})

export const HOST_SETTINGS_USE_CASES = {
  "hosts.set": setHost,
  "hosts.check": tryHost
} satisfies UseCases
