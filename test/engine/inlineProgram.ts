/**
 * Runs `pulumi` for a program in Node.js without Pulumi's language host for it, as the Automation API runs inline
 * programs: this process serves the program to the engine that it starts, and ends with the engine and its status.
 *
 * Usage, in the project's folder: inlineProgram.ts PROGRAM pulumi-ARGUMENTS
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { constants } from "node:os"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

const [file = "", ...args] = process.argv.slice(2)
const program = resolve(file)

/** The SDK that the program loads, and what it depends on: the state of a run is in it. */
const load = createRequire(createRequire(program).resolve("@pulumi/pulumi"))
const { Server, ServerCredentials } = load("@grpc/grpc-js")
const { LanguageServer } = load("@pulumi/pulumi/automation/server.js")
const { LanguageRuntimeService } = load("@pulumi/pulumi/proto/language_grpc_pb.js")
const { grpcChannelOptions } = load("@pulumi/pulumi/runtime/index.js")

let evaluations = 0

/** The stack's outputs. An `up` with a preview evaluates the program twice. */
const evaluate = async (): Promise<unknown> => {
  const again = evaluations++ === 0 ? "" : `?evaluation=${evaluations}`
  const { default: main, ...named } = await import(`${pathToFileURL(program).href}${again}`) as Record<string, unknown>
  const outputs = typeof main === "function" ? await (main as () => unknown)() : main
  return outputs ?? named
}

const server = new Server(grpcChannelOptions)
server.addService(LanguageRuntimeService, new LanguageServer(evaluate))
const port = await new Promise<number>((done, failed) => {
  server.bindAsync(
    "127.0.0.1:0",
    ServerCredentials.createInsecure(),
    (error: Error | null, bound: number) => error === null ? done(bound) : failed(error)
  )
})

const client = [`--client=127.0.0.1:${port}`, "--exec-kind=auto.inline"]
const engine = spawn("pulumi", [...args, ...client], { stdio: "inherit" })
// A Ctrl-C reaches the engine, which ends by itself.
process.on("SIGINT", () => engine.kill("SIGINT"))
const [status, signal] = await once(engine, "exit") as [number | null, NodeJS.Signals | null]
process.exit(status ?? 128 + constants.signals[signal!])
