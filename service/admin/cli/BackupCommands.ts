/** Backups, and the whole check of a database file. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import type { Values } from "../../config/Config.ts"
import type { Findings, Rows } from "../../persistence/sqlite/Verification.ts"
import { givenSecrets, idsOf, readSecrets, secretPath } from "../../Secret.ts"
import { print, settings } from "./AdminCommand.ts"
import { makeBackup, restoreBackup, verifyDatabase } from "./BackupFiles.ts"
import { note } from "./Output.ts"

const shown = ({ rows, schemaVersion }: Findings) => ({ schema_version: schemaVersion, ...rows, balanced: true })

/** Where the secret is that belongs to a database; null for one that needs none. */
const secretOf = ({ database, emulator, secret }: Values): string | null => {
  if (secret !== "") return "VPS_SERVICE_SECRET"
  return emulator ? null : secretPath(database)
}

const backupCommand = Effect.fnUntraced(function*({ file, overwrite }: { file: string; overwrite: boolean }) {
  const meant = yield* settings
  const { bytes, file: written, findings } = yield* makeBackup(meant, file, overwrite)
  const secret = secretOf(meant)
  yield* print({ file: written, bytes, ...shown(findings), secret })
  if (secret === null) return
  yield* note(`The secret (${secret}) is not in the backup. Keep a copy of it apart from the backups: without it no`)
  yield* note("API key works after a restore; who has both can read the passwords that wait in it.")
})

export const backup = Command.make("backup", {
  file: Argument.String("file").pipe(Argument.withDescription("Where the backup goes")),
  overwrite: Flag.Boolean("overwrite").pipe(
    Flag.withDescription("Replace a file that is there already"),
    Flag.withDefault(false)
  )
}, backupCommand).pipe(
  Command.withShortDescription("Copy the database into a file, also while the service runs"),
  Command.withDescription(
    "Copy the database into one file, also while the service runs, and verify the copy: every page, every reference, "
      + "every balance. The file is there once all that is done, readable by its owner only."
  ),
  Command.withExamples([{ command: "vps-service admin backup /var/backups/vps-2027-01-31.db" }])
)

const SINCE = (kept: string, { accounts, instances, journals }: Rows, now: Rows) =>
  `${kept} held ${instances} instances, ${accounts} accounts and ${journals} journals; there are now `
  + `${now.instances}, ${now.accounts} and ${now.journals}.`

const AFTER = [
  "What was bought, paid and changed after the backup is not in it:",
  "- machines that were bought since may run at the upstream and belong to nobody here: take them down there.",
  "  \"instances list\" and \"wallet statement\" with --database and the replaced file tell which, and whose;",
  "- payments since then are booked again by \"wallet top-up\", with the same --reference;",
  "- keys that were revoked since then work again: revoke them;",
  "- a create that is repeated with its Idempotency-Key buys again.",
  "Tasks that were open are gone on with, after a look for their machine. See \"tasks leftovers\" when it runs."
]

/** API keys of a backup that the secret in force does not fit. */
const lostKeys = (meant: Values, { keys }: Findings): number => {
  const path = secretPath(meant.database)
  const file = meant.secret === "" && existsSync(path) ? readSecrets(path) : []
  const secrets = meant.secret === "" ? file : givenSecrets(meant.secret)
  if (meant.emulator) return 0
  const known = new Set<string | null>([null, ...idsOf(secrets)])
  return keys.reduce((sum, { keys: count, secret }) => known.has(secret) ? sum : sum + count, 0)
}

const restoreCommand = Effect.fnUntraced(function*({ file }: { file: string }) {
  const meant = yield* settings
  const { database, findings, replaced } = yield* restoreBackup(meant, file)
  const lost = lostKeys(meant, findings)
  yield* print({ database, ...shown(findings), kept: replaced.path ?? null, keys_without_secret: lost })
  if (replaced.path !== undefined && replaced.rows !== undefined) {
    yield* note(SINCE(replaced.path, replaced.rows, findings.rows))
  }
  for (const line of AFTER) yield* note(line)
  if (lost === 0) return
  yield* note(`${lost} API keys do not fit the secret (${secretOf(meant)}): put that of the backup's time back, as an`)
  yield* note("older one after the current; \"secret list\" tells when it is needed no more.")
})

export const restore = Command.make("restore", {
  file: Argument.String("file").pipe(Argument.withDescription("A backup"))
}, restoreCommand).pipe(
  Command.withShortDescription("Put a verified backup in the place of the database; no service may use that"),
  Command.withDescription(
    "Put a backup in the place of the database, once it was verified. Refused while a service uses the database, which "
      + "is kept beside, as *.before-restore. The backup itself stays as it is."
  ),
  Command.withExamples([{ command: "vps-service admin restore /var/backups/vps-2027-01-31.db" }])
)

const verifyCommand = Effect.fnUntraced(function*() {
  const findings = yield* verifyDatabase(yield* settings)
  yield* print({ sound: true, ...shown(findings) })
})

export const verify = Command.make("verify", {}, verifyCommand).pipe(
  Command.withShortDescription("Check every page, every reference and every balance of the database"),
  Command.withDescription(
    "Check every page, every reference and every balance of the database file; fails when one is wrong. While the "
      + "service runs, a copy is checked, which needs its room on the disk for so long."
  )
)
