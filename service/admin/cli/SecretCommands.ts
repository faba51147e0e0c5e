/** The service's secret: what depends on it, and how another takes its place. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import type { Values } from "../../config/Config.ts"
import { forget, idsOf, readSecrets, rotate, secretPath } from "../../Secret.ts"
import { CommandRejected } from "../InputSchemas.ts"
import { perform, present, print, settings } from "./AdminCommand.ts"
import { fileOf } from "./BackupFiles.ts"
import { note } from "./Output.ts"

const GIVEN =
  "The secret is given by VPS_SERVICE_SECRET: rotate it there. Make one (openssl rand -hex 32), put it first, "
  + "VPS_SERVICE_SECRET=new,old, and start the service again; take the old one out when \"secret list\" shows nothing "
  + "that depends on it. Several replicas first have to know both: old,new everywhere, then new,old, then new."

/** The file that holds the secret; refuses where there is none to change. */
const secretFile = Effect.fnUntraced(function*(meant: Values) {
  if (meant.secret !== "") return yield* new CommandRejected({ message: GIVEN })
  if (meant.emulator) {
    return yield* new CommandRejected({ message: "An emulator's secret is fixed, and protects nothing." })
  }
  const path = secretPath(yield* fileOf(meant))
  if (existsSync(path)) return path
  return yield* new CommandRejected({ message: `There is no secret at ${path}; the service makes one when it starts.` })
})

const list = Command.make("list", {}, () => present("secret.list", {})).pipe(
  Command.withDescription(
    "Show how many API keys and waiting passwords depend on each secret, by the id that stands for it. A key moves to "
      + "the current one when it is used."
  ),
  Command.withShortDescription("Show what depends on the current secret and on older ones")
)

const rotateCommand = Effect.fnUntraced(function*() {
  const path = yield* secretFile(yield* settings)
  const [current, ...older] = rotate(path)
  yield* print({ file: path, current, older })
  yield* note("Start the service again: the new secret holds from then on, and the older ones are still known.")
})

const rotateFile = Command.make("rotate", {}, rotateCommand).pipe(
  Command.withDescription("Put a new secret before those in the file beside the database; holds from the next start")
)

const NONE_LEFT = "No API key is left that works: make one (\"keys create\") before the service is started again."

const forgetCommand = Effect.fnUntraced(function*({ force }: { force: boolean }) {
  const path = yield* secretFile(yield* settings)
  const [inFile] = idsOf(readSecrets(path))
  const uses = yield* perform("secret.list", {})
  const current = uses.find(({ state }) => state === "current")
  if (current?.secret !== inFile) {
    return yield* new CommandRejected({
      message: "The service still runs with the secret from before: start it again first."
    })
  }
  const left = uses.filter(({ keys, state, tasks }) => (state === "older" || state === "unmarked") && keys + tasks > 0)
  const [keys, tasks] = [left.reduce((sum, use) => sum + use.keys, 0), left.reduce((sum, use) => sum + use.tasks, 0)]
  if (left.length > 0 && !force) {
    return yield* new CommandRejected({
      message: `${keys} API keys and ${tasks} waiting passwords depend on an older secret. Keys move when they are `
        + "used; \"keys list\" tells which do not: revoke them, or give them up with --force."
    })
  }
  yield* print({ file: path, current: inFile, forgotten: forget(path), lost_keys: keys, lost_passwords: tasks })
  if (keys > 0 && current?.keys === 0) yield* note(NONE_LEFT)
})

const forgetOlder = Command.make("forget", {
  force: Flag.Boolean("force").pipe(
    Flag.withDescription("Also when API keys or waiting passwords depend on them, which are lost then"),
    Flag.withDefault(false)
  )
}, forgetCommand).pipe(
  Command.withDescription("Take the older secrets out of the file; refused while anything depends on them")
)

export const secret = Command.make("secret").pipe(
  Command.withDescription("Put another secret in the place of the service's, and see what depends on which"),
  Command.withSubcommands([list, rotateFile, forgetOlder])
)
