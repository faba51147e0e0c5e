/** Backing up, restoring and verifying a database file. A result is reported only after its verification. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Storage from "../../persistence/Storage.ts"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, resolve as absolute } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { record } from "../../audit/Audit.ts"
import type { Values } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { inheritAccess, syncFile, syncFolderOf } from "../../runtime/FileAccess.ts"
import { locate } from "../../config/DatabaseLocation.ts"
import { copy, replace, replacedPath } from "../../persistence/sqlite/Copy.ts"
import { holdAfterRestore } from "../../operations/DeploymentHold.ts"
import { DeploymentHolds } from "../../persistence/DeploymentHolds.ts"
import { lastIdsIn } from "../../persistence/sqlite/LastIds.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { SCHEMA_VERSION } from "../../persistence/schema/Migrations.ts"
import { complaints, explain, type Findings, type Rows, verifyFile } from "../../persistence/sqlite/Verification.ts"
import { reject } from "../Input.ts"
import { actorOf, thisOperator } from "../Operator.ts"
import { callService } from "./Dispatch.ts"
import { configuredSecrets, idsOf, readSecrets, secretPath } from "../../config/Secret.ts"
import { print, settings } from "./AdminCommand.ts"
import { note } from "./Output.ts"
import { toggle } from "./Flags.ts"

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
const verifyDatabase = Effect.fnUntraced(function*(settings: Values) {
  const database = yield* fileOf(settings)
  const partial = yield* temporaryFile(database, "verify")
  const copied = yield* callService(settings, "database.copy", { path: partial })
  const verified = copied === undefined ? database : partial
  // Opening a missing file would create it.
  if (!existsSync(verified)) return yield* reject(`No database found at ${verified}.`)
  const findings = yield* attempt(database, () => verifyFile(verified, { asOneFile: false }))
  return findings.sound ? findings : yield* corrupt(database, findings)
}, Effect.scoped)

/**
 * Records the restore in the copy, which this migrates, as the service does at its start. Its ids continue after those
 * of the database that it replaces, and deployments wait: instances bought after the backup may still have machines.
 */
const recordRestore = (
  settings: Values,
  copy: string,
  backup: string,
  { rows }: Findings,
  lasts: ReturnType<typeof lastIdsIn>
) => {
  const act = { actor: actorOf(thisOperator()), action: "restore", details: { backup, ...rows } }
  const storage = Layer.provide(Storage.layer(copy, settings), Layer.succeed(Limits, settings.limits))
  return Effect.gen(function*() {
    yield* (yield* Transaction).run(Effect.gen(function*() {
      yield* holdAfterRestore(backup, lasts)
      yield* record(act)
    }))
  }).pipe(
    Effect.provide(Layer.fresh(Layer.provideMerge(DeploymentHolds.layer, storage))),
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
  yield* recordRestore(settings, fresh, backup, findings, lastIdsIn(database))
  const replaced = yield* attempt(database, () => {
    inheritAccess(fresh, database)
    syncFile(fresh)
    return replace(fresh, database)
  })
  return { database, findings, replaced }
}, Effect.scoped)

const summarize = ({ rows, schemaVersion }: Findings) => ({ schema_version: schemaVersion, ...rows, balanced: true })

/** The location of a database's secret; null if it needs none. */
const secretOf = ({ database, emulator, secret }: Values): string | null => {
  if (secret !== "") return "VPS_SERVICE_SECRET"
  return emulator ? null : secretPath(database)
}

const backupCommand = Effect.fnUntraced(function*({ file, overwrite }: { file: string; overwrite: boolean }) {
  const values = yield* settings
  const { bytes, file: written, findings } = yield* makeBackup(values, file, overwrite)
  const secret = secretOf(values)
  yield* print({ file: written, bytes, ...summarize(findings), secret })
  if (secret === null) return
  yield* note(`The secret (${secret}) is not in the backup. Store a copy of it separately: without it, no API key`)
  yield* note("works after a restore. Anyone with both can read the passwords in pending tasks.")
})

export const backup = Command.make("backup", {
  file: Argument.String("file").pipe(Argument.withDescription("The backup's path")),
  overwrite: toggle("overwrite", "Replace an existing file")
}, backupCommand).pipe(
  Command.withShortDescription("Back up the database to a file, even while the service is running"),
  Command.withDescription(
    "Back up the database to one file, even while the service is running, and verify the copy: every page, every "
      + "reference, every balance. The file appears once it is verified, and only its owner can read it."
  ),
  Command.withExamples([{ command: "vps-service admin backup /var/backups/vps-2027-01-31.db" }])
)

const comparison = (previous: string, { accounts, instances, journals }: Rows, now: Rows) =>
  `${previous} had ${instances} instances, ${accounts} accounts and ${journals} journals. The backup has `
  + `${now.instances}, ${now.accounts} and ${now.journals}.`

const AFTER = [
  "Purchases, payments and changes after the backup are not in it:",
  "- instances bought since then may still run on the hosts without a record here: keep their disks. Deployments",
  "  wait until each machine has an instance: \"machines audit\" lists the others, \"machines confirm\" ends it;",
  "  Run \"instances list\" and \"wallet statement\" with --database and the replaced file to find them;",
  "- book payments since then again with \"wallet top-up\" and the same --reference;",
  "- keys revoked since then work again: revoke them;",
  "- a create that is retried with its Idempotency-Key buys another instance.",
  "Open tasks resume after checking for their machine. Run \"tasks unreconciled\" once the service is running."
]

/** The number of API keys in a backup that no current secret can verify. */
const lostKeys = (values: Values, { keys }: Findings): number => {
  const path = secretPath(values.database)
  const file = values.secret === "" && existsSync(path) ? readSecrets(path) : []
  const secrets = values.secret === "" ? file : configuredSecrets(values.secret)
  if (values.emulator) return 0
  const available = new Set<string | null>([null, ...idsOf(secrets)])
  return keys.reduce((sum, { keys: count, secret }) => available.has(secret) ? sum : sum + count, 0)
}

const restoreCommand = Effect.fnUntraced(function*({ file }: { file: string }) {
  const values = yield* settings
  const { database, findings, replaced } = yield* restoreBackup(values, file)
  const lost = lostKeys(values, findings)
  yield* print({ database, ...summarize(findings), kept: replaced.path ?? null, keys_without_secret: lost })
  if (replaced.path !== undefined && replaced.rows !== undefined) {
    yield* note(comparison(replaced.path, replaced.rows, findings.rows))
  }
  for (const line of AFTER) yield* note(line)
  if (lost === 0) return
  yield* note(
    `${lost} API keys do not match the secret (${secretOf(values)}). Add the secret from the time of the backup`
  )
  yield* note("after the current one; \"secret list\" shows when it is no longer needed.")
})

export const restore = Command.make("restore", {
  file: Argument.String("file").pipe(Argument.withDescription("The backup's path"))
}, restoreCommand).pipe(
  Command.withShortDescription("Replace the database by a verified backup"),
  Command.withDescription(
    "Replace the database by a backup after verifying it. Rejected while a service uses the database. The previous "
      + "database is saved as *.before-restore, and the backup is not changed."
  ),
  Command.withExamples([{ command: "vps-service admin restore /var/backups/vps-2027-01-31.db" }])
)

const verifyCommand = Effect.fnUntraced(function*() {
  const findings = yield* verifyDatabase(yield* settings)
  yield* print({ sound: true, ...summarize(findings) })
})

export const verify = Command.make("verify", {}, verifyCommand).pipe(
  Command.withShortDescription("Verify every page, every reference and every balance of the database"),
  Command.withDescription(
    "Verify every page, every reference and every balance of the database file; fails if one is wrong. While the "
      + "service is running, a temporary copy is verified, which needs as much disk space as the database."
  )
)
