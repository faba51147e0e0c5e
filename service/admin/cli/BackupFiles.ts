/** Backups of a database file, made, checked and put back. Nothing is announced as done before it was verified. */
import * as Effect from "effect/Effect"
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, resolve as absolute } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Values } from "../../config/Config.ts"
import { syncFile, syncFolderOf } from "../../runtime/Fsync.ts"
import { isPostgres } from "../../persistence/postgres/Address.ts"
import { copy } from "../../persistence/sqlite/Copy.ts"
import { SCHEMA_VERSION } from "../../persistence/sqlite/Migrations.ts"
import { replace, replacedPath } from "../../persistence/sqlite/AtomicReplace.ts"
import { explain } from "../../persistence/sqlite/IntegrityCheck.ts"
import { complaints, type Findings, verifyFile } from "../../persistence/sqlite/Verification.ts"
import { CommandRejected } from "../InputSchemas.ts"
import { callService } from "./Dispatch.ts"

const ELSEWHERE =
  "A PostgreSQL database is backed up and restored with PostgreSQL's own tools, pg_dump and pg_restore; "
  + "\"ledger verify\" checks its books."

/** The database file that a command is about; refuses what is no file. */
export const fileOf = Effect.fnUntraced(function*({ database }: Values) {
  if (isPostgres(database)) return yield* new CommandRejected({ message: ELSEWHERE })
  return absolute(database)
})

const refuse = (message: string) => new CommandRejected({ message })

/** SQLite's errors, told as an operator needs them. */
const told = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: (cause) => refuse(explain(path, cause)) })

/** A name of our own beside a file, gone when the scope closes. */
const beside = (path: string, what: string) =>
  Effect.acquireRelease(
    Effect.sync(() => `${path}.${what}-${process.pid}`),
    (name) => Effect.sync(() => ["", "-wal", "-shm", "-journal"].forEach((end) => rmSync(name + end, { force: true })))
  )

/** As it stands, whatever its version: nothing is migrated. */
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
    catch: (cause) => refuse(explain(from, cause))
  })

/** Through the running service, or from the file when none runs. */
const copyOf = Effect.fnUntraced(function*(settings: Values, to: string) {
  const from = yield* fileOf(settings)
  const copied = yield* callService(settings, "database.copy", { path: to })
  if (copied !== undefined) {
    if (existsSync(to)) return
    return yield* refuse(`The service has a ${dirname(to)} of its own (PrivateTmp?): name a folder that both see.`)
  }
  if (!existsSync(from)) return yield* refuse(`There is no database at ${from}.`)
  yield* copyFile(settings, from, to)
})

const unsound = (what: string, findings: Findings) =>
  refuse([`${what} is not sound:`, ...complaints(findings).map((line) => `- ${line}`)].join("\n"))

/** Writes a backup of the database that is meant; what it answers was verified. */
export const makeBackup = Effect.fnUntraced(function*(settings: Values, file: string, overwrite: boolean) {
  const [database, target] = [yield* fileOf(settings), absolute(file)]
  if (target === database) return yield* refuse(`${target} is the database itself.`)
  if (existsSync(target) && !overwrite) {
    return yield* refuse(`${target} is there already; --overwrite replaces it once the new backup is verified.`)
  }
  const partial = yield* beside(target, "partial")
  yield* copyOf(settings, partial)
  const findings = yield* told(partial, () => verifyFile(partial, { settle: true }))
  if (!findings.sound) return yield* unsound(`${database}, as it was copied,`, findings)
  yield* told(target, () => {
    syncFile(partial)
    renameSync(partial, target)
    syncFolderOf(target)
  })
  return { file: target, bytes: statSync(target).size, findings }
}, Effect.scoped)

/** Checks the whole database; through a copy while a service runs, which goes on. */
export const verifyDatabase = Effect.fnUntraced(function*(settings: Values) {
  const database = yield* fileOf(settings)
  const partial = yield* beside(database, "verify")
  const copied = yield* callService(settings, "database.copy", { path: partial })
  const looked = copied === undefined ? database : partial
  // Opening it would make one.
  if (!existsSync(looked)) return yield* refuse(`There is no database at ${looked}.`)
  const findings = yield* told(database, () => verifyFile(looked, { settle: false }))
  return findings.sound ? findings : yield* unsound(database, findings)
}, Effect.scoped)

/** Puts a backup in the place of the database; refuses while a service uses that. */
export const restoreBackup = Effect.fnUntraced(function*(settings: Values, file: string) {
  const [database, backup] = [yield* fileOf(settings), absolute(file)]
  const kept = replacedPath(database)
  if (backup === database) return yield* refuse(`${backup} is the database itself.`)
  if (!existsSync(backup)) return yield* refuse(`There is no backup at ${backup}.`)
  if (existsSync(kept)) return yield* refuse(`${kept} is there from an earlier restore: move it away first.`)
  const fresh = yield* beside(database, "restoring")
  yield* copyFile(settings, backup, fresh)
  const findings = yield* told(backup, () => verifyFile(fresh, { settle: true }))
  if (!findings.sound) return yield* unsound(backup, findings)
  if (findings.schemaVersion > SCHEMA_VERSION) {
    return yield* refuse(
      `${backup} has schema version ${findings.schemaVersion}; this program knows up to ${SCHEMA_VERSION}. `
        + "Restore it with the version of the service that wrote it, or a newer one."
    )
  }
  const replaced = yield* told(database, () => {
    syncFile(fresh)
    return replace(fresh, database)
  })
  return { database, findings, replaced }
}, Effect.scoped)
