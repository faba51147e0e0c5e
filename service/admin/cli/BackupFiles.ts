/** Creates, verifies and restores backups of a database file. A result is reported only after its verification. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, resolve as absolute } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { record } from "../../audit/Audit.ts"
import type { Values } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { inheritAccess, syncFile, syncFolderOf } from "../../runtime/FileAccess.ts"
import { locate } from "../../config/DatabaseLocation.ts"
import { copy } from "../../persistence/sqlite/Copy.ts"
import * as Storage from "../../persistence/Storage.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { SCHEMA_VERSION } from "../../persistence/schema/Migrations.ts"
import { replace, replacedPath } from "../../persistence/sqlite/AtomicReplace.ts"
import { explain } from "../../persistence/sqlite/IntegrityCheck.ts"
import { complaints, type Findings, verifyFile } from "../../persistence/sqlite/Verification.ts"
import { reject } from "../CommandRejected.ts"
import { actorOf, thisOperator } from "../Operator.ts"
import { callService } from "./Dispatch.ts"

const USE_POSTGRES_TOOLS =
  "Back up and restore a PostgreSQL database with its own tools, pg_dump and pg_restore. Run \"ledger verify\" to "
  + "check its ledger."

/** The path of the database file. Fails with `CommandRejected` for PostgreSQL. */
export const fileOf = Effect.fnUntraced(function*({ database }: Values) {
  if (locate(database).isServer) return yield* reject(USE_POSTGRES_TOOLS)
  return absolute(database)
})

/** Explains SQLite's errors to the operator. */
const attempt = <A>(path: string, run: () => A) =>
  Effect.try({ try: run, catch: (cause) => reject(explain(path, cause)) })

/** A temporary file beside another one, deleted when the scope closes. */
const temporaryFile = (path: string, what: string) =>
  Effect.acquireRelease(
    Effect.sync(() => `${path}.${what}-${process.pid}`),
    (name) => Effect.sync(() => ["", "-wal", "-shm", "-journal"].forEach((end) => rmSync(name + end, { force: true })))
  )

/** Copies the database without migrating it. */
const copyFile = ({ limits }: Values, from: string, to: string) =>
  Effect.tryPromise({
    try: async () => {
      const connection = new DatabaseSync(from)
      try {
        await copy(connection, to, limits.BACKUP_STEP_PAGES)
      } finally {
        connection.close()
      }
    },
    catch: (cause) => reject(explain(from, cause))
  })

/** Copies the database through the running service, or from the file if no service is running. */
const copyOf = Effect.fnUntraced(function*(settings: Values, to: string) {
  const from = yield* fileOf(settings)
  const copied = yield* callService(settings, "database.copy", { path: to })
  if (copied !== undefined) {
    if (existsSync(to)) return
    return yield* reject(
      `The service has a private ${dirname(to)} (PrivateTmp?). Choose a folder that both can access.`
    )
  }
  if (!existsSync(from)) return yield* reject(`No database found at ${from}.`)
  yield* copyFile(settings, from, to)
})

const corrupt = (what: string, findings: Findings) =>
  reject([`${what} failed verification:`, ...complaints(findings).map((line) => `- ${line}`)].join("\n"))

/** Writes a verified backup of the database. */
export const makeBackup = Effect.fnUntraced(function*(settings: Values, file: string, overwrite: boolean) {
  const [database, target] = [yield* fileOf(settings), absolute(file)]
  if (target === database) return yield* reject(`${target} is the database itself.`)
  if (existsSync(target) && !overwrite) {
    return yield* reject(`${target} already exists. Pass --overwrite to replace it once the new backup is verified.`)
  }
  const partial = yield* temporaryFile(target, "partial")
  yield* copyOf(settings, partial)
  const findings = yield* attempt(partial, () => verifyFile(partial, { asOneFile: true }))
  if (!findings.sound) return yield* corrupt(`The copy of ${database}`, findings)
  yield* attempt(target, () => {
    syncFile(partial)
    renameSync(partial, target)
    syncFolderOf(target)
  })
  return { file: target, bytes: statSync(target).size, findings }
}, Effect.scoped)

/** Verifies the whole database, using a copy if a service is running. */
export const verifyDatabase = Effect.fnUntraced(function*(settings: Values) {
  const database = yield* fileOf(settings)
  const partial = yield* temporaryFile(database, "verify")
  const copied = yield* callService(settings, "database.copy", { path: partial })
  const verified = copied === undefined ? database : partial
  // Opening a missing file would create it.
  if (!existsSync(verified)) return yield* reject(`No database found at ${verified}.`)
  const findings = yield* attempt(database, () => verifyFile(verified, { asOneFile: false }))
  return findings.sound ? findings : yield* corrupt(database, findings)
}, Effect.scoped)

/** Records the restore in the copy, which this migrates, as the service does at its start. */
const recordRestore = (settings: Values, copy: string, backup: string, { rows }: Findings) => {
  const act = { actor: actorOf(thisOperator()), action: "restore", details: { backup, ...rows } }
  const storage = Layer.provide(Storage.layer(copy, settings), Layer.succeed(Limits, settings.limits))
  return Effect.flatMap(Transaction, ({ run }) => run(record(act))).pipe(
    Effect.provide(Layer.fresh(storage)),
    Effect.mapError(({ message }) => reject(message)),
    // One file again, without a log beside it.
    Effect.andThen(attempt(backup, () => {
      const connection = new DatabaseSync(copy)
      connection.exec("PRAGMA journal_mode = DELETE")
      connection.close()
    }))
  )
}

/** Replaces the database by a backup. Rejected while a service uses the database. */
export const restoreBackup = Effect.fnUntraced(function*(settings: Values, file: string) {
  const [database, backup] = [yield* fileOf(settings), absolute(file)]
  const previous = replacedPath(database)
  if (backup === database) return yield* reject(`${backup} is the database itself.`)
  if (!existsSync(backup)) return yield* reject(`No backup found at ${backup}.`)
  if (existsSync(previous)) return yield* reject(`${previous} exists from an earlier restore. Move it away first.`)
  const fresh = yield* temporaryFile(database, "restoring")
  yield* copyFile(settings, backup, fresh)
  const findings = yield* attempt(backup, () => verifyFile(fresh, { asOneFile: true }))
  if (!findings.sound) return yield* corrupt(backup, findings)
  if (findings.schemaVersion > SCHEMA_VERSION) {
    return yield* reject(
      `${backup} has schema version ${findings.schemaVersion}, but this program supports up to ${SCHEMA_VERSION}. `
        + "Restore it with the version of the service that created it, or a newer one."
    )
  }
  if (findings.kind !== undefined && (findings.kind === "emulator") !== settings.emulator) {
    return yield* reject(
      findings.kind === "emulator"
        ? `${backup} is of an emulator. Pass --emulator to restore it for an emulator.`
        : `${backup} is of a service. Omit --emulator to restore it for a service.`
    )
  }
  yield* recordRestore(settings, fresh, backup, findings)
  const replaced = yield* attempt(database, () => {
    inheritAccess(fresh, database)
    syncFile(fresh)
    return replace(fresh, database)
  })
  return { database, findings, replaced }
}, Effect.scoped)
