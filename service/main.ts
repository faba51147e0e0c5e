/** `vps-service`: resolves the settings, runs the service until it is told to stop, and says when it is ready. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as App from "./App.ts"
import { fromProcess } from "./Config.ts"

const HELP = `vps-service: a VPS hosting service with an HTTP API

  vps-service admin ...     accounts, keys, wallets, catalogue, tasks: see vps-service admin --help
  vps-service config        every setting and limit: its value, its source, its unit and its reason
  vps-service [--host ADDRESS] [--port PORT] [--database PATH] [--emulator] [--request-log=false]

  --host         address to listen on (VPS_SERVICE_HOST, default 127.0.0.1)
  --port         TCP port, 0 picks a free one (VPS_SERVICE_PORT, default 8787)
  --database     SQLite file or :memory: (VPS_SERVICE_DATABASE, default vps-service.db; in memory for the emulator)
  --emulator     seed an empty database and open the controls under /_emulator (VPS_SERVICE_EMULATOR)
  --emulator-remote  let other machines use the controls, which ask for no key (VPS_SERVICE_EMULATOR_REMOTE)
  --request-log  one JSON line per request on standard error (VPS_SERVICE_REQUEST_LOG, default true)

When it is ready, the first line on standard output is a JSON object with its url.
`

/** A mistake of the operator is told in one sentence; anything else is a defect and keeps its trace. */
const tell = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const known = typeof error === "object" && error !== null && "_tag" in error && "message" in error
  const text = known ? `vps-service: ${String(error.message)}` : Cause.pretty(cause)
  return Effect.sync(() => void process.stderr.write(`${text}\n`))
}

const program = Effect.flatMap(fromProcess, App.run)

if (process.argv.includes("--help")) process.stdout.write(HELP)
else {
  NodeRuntime.runMain(
    program.pipe(Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : tell(cause))),
    { disableErrorReporting: true }
  )
}
