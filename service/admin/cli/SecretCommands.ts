/** The service's secret: its dependents and its rotation. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import type { Values } from "../../config/Config.ts"
import { forget, idsOf, readSecrets, rotate, secretPath } from "../../config/Secret.ts"
import { reject } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import { perform, print, settings } from "./AdminCommand.ts"
import { fileOf } from "./BackupCommands.ts"
import { note } from "./Output.ts"
import { toggle } from "./Flags.ts"

const FROM_ENVIRONMENT =
  "The secret comes from VPS_SERVICE_SECRET: rotate it there. Generate a secret (openssl rand -hex 32), set "
  + "VPS_SERVICE_SECRET=new,old and restart the service. Remove the old secret once \"secret list\" shows no "
  + "dependents. With several replicas, set old,new everywhere first, then new,old, then new."

/** The file with the secret. Fails with `CommandRejected` if the secret cannot be changed. */
const secretFile = Effect.fnUntraced(function*(values: Values) {
  if (values.secret !== "") return yield* reject(FROM_ENVIRONMENT)
  if (values.emulator) return yield* reject("An emulator's secret is fixed and cannot be rotated.")
  const path = secretPath(yield* fileOf(values))
  if (existsSync(path)) return path
  return yield* reject(`No secret found at ${path}. The service creates one when it starts.`)
})

/** Fails with `CommandRejected` if the file cannot be replaced. */
const change = <A>(replace: () => A) =>
  Effect.try({ try: replace, catch: (cause) => reject(`${(cause as Error).message} Nothing was changed.`) })

/** Records a change of the file in the audit log. */
const recordChange = <Name extends "secret.rotate" | "secret.forget">(name: Name, input: InputOf<Name>) =>
  perform(name, input).pipe(
    Effect.mapError(({ message }) => reject(`The file was changed, but the audit log does not have it: ${message}`))
  )

const rotateCommand = Effect.fnUntraced(function*() {
  const path = yield* secretFile(yield* settings)
  const [current, ...older] = yield* change(() => rotate(path))
  yield* recordChange("secret.rotate", { current: current! })
  yield* print({ file: path, current, older })
  yield* note("Restart the service to use the new secret. Older secrets are still accepted.")
})

export const rotateFile = Command.make("rotate", {}, rotateCommand).pipe(
  Command.withDescription("Add a new secret to the file beside the database, used from the next start")
)

const NO_KEYS = "No working API key is left. Create one (\"keys create\") before restarting the service."

const forgetCommand = Effect.fnUntraced(function*({ force }: { force: boolean }) {
  const path = yield* secretFile(yield* settings)
  const [inFile] = idsOf(readSecrets(path))
  const uses = yield* perform("secret.list", {})
  const current = uses.find(({ state }) => state === "current")
  if (current?.secret !== inFile) {
    return yield* reject("The service is still using the previous secret. Restart it first.")
  }
  const left = uses.filter(({ keys, state, tasks }) => (state === "older" || state === "unmarked") && keys + tasks > 0)
  const [keys, tasks] = [left.reduce((sum, use) => sum + use.keys, 0), left.reduce((sum, use) => sum + use.tasks, 0)]
  if (left.length > 0 && !force) {
    return yield* reject(
      `${keys} API keys and ${tasks} pending passwords depend on an older secret. Keys move when they are used. Find `
        + "the others with \"keys list\" and revoke them, or discard them with --force."
    )
  }
  const forgotten = yield* change(() => forget(path))
  yield* recordChange("secret.forget", { forgotten, lost_keys: keys, lost_tasks: tasks })
  yield* print({ file: path, current: inFile, forgotten, lost_keys: keys, lost_passwords: tasks })
  if (keys > 0 && current?.keys === 0) yield* note(NO_KEYS)
})

export const forgetOlder = Command.make("forget", {
  force: toggle("force", "Discard API keys and pending passwords that depend on older secrets")
}, forgetCommand).pipe(
  Command.withDescription("Remove the older secrets from the file; rejected while anything depends on them")
)
