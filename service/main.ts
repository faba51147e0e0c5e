/** `vps-service`: resolves the settings, and runs the service or the emulator until it is interrupted. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Runtime from "effect/Runtime"
import { VERSION } from "@pulumi-vps/contract/Version"
import * as App from "./App.ts"
import type { Values } from "./config/Config.ts"
import { replacedDatabase, settingsOf } from "./config/FromProcess.ts"
import { SecretUnusable } from "./config/Secret.ts"
import { InvalidSetting } from "./config/Setting.ts"
import { logTime } from "./observability/Log.ts"
import * as Emulator from "./emulator/App.ts"
import { refuseServiceDatabase } from "./emulator/ServiceVolume.ts"
import { DatabaseUnusable } from "./persistence/DatabaseUnusable.ts"
import { help } from "./config/Help.ts"

/** An expected error is reported in one sentence; anything else is a bug and is reported with its stack. */
const report = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const isExpected = typeof error === "object" && error !== null && "_tag" in error && "message" in error
  const text = isExpected ? String(error.message).replaceAll(/^/gm, "vps-service: ") : Cause.pretty(cause)
  return Effect.sync(() => void process.stderr.write(`${text}\n`))
}

/** A wrong configuration has the code of sysexits.h, so that a supervisor does not start the service again with it. */
const EXIT = { success: 0, failure: 1, usage: 2, configuration: 78 } as const

const exitOf = (error: unknown): number => {
  if (error instanceof InvalidSetting) return error.isUsage === true ? EXIT.usage : EXIT.configuration
  const isConfiguration = error instanceof SecretUnusable
    || (error instanceof DatabaseUnusable && error.remedy === "configure")
  return isConfiguration ? EXIT.configuration : EXIT.failure
}

/** An interrupted service exits with 0, as supervisors expect. */
const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(EXIT.success)
  onExit(exitOf(Cause.squash(exit.cause)))
}

const flags = process.argv.slice(2)

const emulate = (settings: Values) =>
  Effect.flatMap(replacedDatabase(flags), refuseServiceDatabase).pipe(Effect.andThen(Emulator.run(settings)))

const program = Effect.flatMap(
  settingsOf(flags),
  (settings): Effect.Effect<never, unknown> => settings.emulator ? emulate(settings) : App.start(settings)
).pipe(
  Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : report(cause))
)

/** Node reports warnings as text, but the log is JSON. */
const logWarning = ({ message, name }: Error): void => {
  const line = JSON.stringify({ timestamp: logTime(), level: "WARN", message, warning: name })
  process.stderr.write(`${line}\n`)
}
process.removeAllListeners("warning").on("warning", logWarning)

const [command] = flags
if (command === "help" || process.argv.includes("--help")) process.stdout.write(help())
else if (command === "version" || process.argv.includes("--version")) {
  process.stdout.write(`vps-service ${VERSION} (Node.js ${process.version})\n`)
} else NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
