/** Backing up, restoring and verifying a database file. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import type { Values } from "../../config/Config.ts"
import type { Findings, Rows } from "../../persistence/sqlite/Verification.ts"
import { configuredSecrets, idsOf, readSecrets, secretPath } from "../../config/Secret.ts"
import { print, settings } from "./AdminCommand.ts"
import { makeBackup, restoreBackup, verifyDatabase } from "./BackupFiles.ts"
import { note } from "./Output.ts"
import { toggle } from "./Flags.ts"

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
  "- instances bought since then may still run at the upstream without a record here: delete them there.",
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
