/** `vps-service`: resolves the settings, runs the service until it is told to stop, and says when it is ready. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Runtime from "effect/Runtime"
import * as App from "./App.ts"
import { fromProcess } from "./config/Config.ts"
import * as Emulator from "./emulator/App.ts"
import { help } from "./config/Help.ts"

/** A mistake of the operator is told in one sentence; anything else is a defect and keeps its trace. */
const tell = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const known = typeof error === "object" && error !== null && "_tag" in error && "message" in error
  const text = known ? `vps-service: ${String(error.message)}` : Cause.pretty(cause)
  return Effect.sync(() => void process.stderr.write(`${text}\n`))
}

/** Being told to stop is no failure: supervisors expect 0 for it. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)

const program = Effect.flatMap(
  fromProcess,
  (settings) => settings.emulator ? Emulator.run(settings) : App.run(settings, App.layer(settings))
).pipe(
  Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : tell(cause))
)

if (process.argv.includes("--help")) process.stdout.write(help())
else NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
