/** The commands `vps-service admin` and `vps-service config`, loaded only if one of them is used. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { EXIT, program } from "./Program.ts"

// A reader like `head` may close the pipe early, which is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.success)
  process.exit(EXIT.failure)
})

const ran = Effect.tap(program(process.argv.slice(2)), (code) => Effect.sync(() => void (process.exitCode = code)))

NodeRuntime.runMain(ran, { disableErrorReporting: true })
