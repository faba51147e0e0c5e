/** `vps-service`: resolves the settings, and runs the service or the emulator until it is interrupted. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Runtime from "effect/Runtime"
import { VERSION } from "#contract/Version"
import * as App from "./App.ts"
import { settingsOf } from "./config/FromProcess.ts"
import { logTime } from "./observability/Log.ts"
import * as Emulator from "./emulator/App.ts"
import { help } from "./config/Help.ts"

/** An expected error is reported in one sentence; anything else is a bug and is reported with its stack. */
const report = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const isExpected = typeof error === "object" && error !== null && "_tag" in error && "message" in error
  const text = isExpected ? `vps-service: ${String(error.message)}` : Cause.pretty(cause)
  return Effect.sync(() => void process.stderr.write(`${text}\n`))
}

/** An interrupted service exits with 0, as supervisors expect. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)

const program = Effect.flatMap(
  settingsOf(process.argv.slice(2)),
  (settings): Effect.Effect<never, unknown> => settings.emulator ? Emulator.run(settings) : App.start(settings)
).pipe(
  Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : report(cause))
)

/** Node reports warnings as text, but the log is JSON. */
const logWarning = ({ message, name }: Error): void => {
  const line = JSON.stringify({ timestamp: logTime(), level: "WARN", message, warning: name })
  process.stderr.write(`${line}\n`)
}
process.removeAllListeners("warning").on("warning", logWarning)

if (process.argv.includes("--help")) process.stdout.write(help())
else if (process.argv.includes("--version")) {
  process.stdout.write(`vps-service ${VERSION} (Node.js ${process.version})\n`)
} else NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
