/** The program `terraform-provider-vps`: go-plugin's handshake and its services. The engine starts it. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import grpc from "@grpc/grpc-js"
import { processEnvironment } from "../Config.ts"
import { limitHeapGrowth } from "../engine/Host.ts"
import { selfSigned } from "./Certificate.ts"
import {
  CLIENT_CERTIFICATE,
  decode,
  encode,
  handshake,
  MAGIC_COOKIE,
  type MessageName,
  type Method,
  METHODS,
  pathOf,
  PLUGIN_SERVICES,
  SERVING
} from "./Protocol.ts"

/** ms; a provider whose engine was killed ends within this time. */
const PARENT_CHECK = 500
/** No limit: the engine, on this computer, decides about the size of its own state. */
const UNLIMITED = -1

limitHeapGrowth()
const environment = processEnvironment()
if (environment[MAGIC_COOKIE.name] !== MAGIC_COOKIE.value) {
  process.stderr.write("terraform-provider-vps is a provider. Run `tofu` or `terraform`, which start it.\n")
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), "terraform-provider-vps-"))
const end = (): never => {
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}

/** The command that started this process, on Linux, and elsewhere. */
const parentCommand = (): string => {
  try {
    return readFileSync(`/proc/${process.ppid}/comm`, "utf8")
  } catch {
    return spawnSync("ps", ["-o", "comm=", "-p", String(process.ppid)], { encoding: "utf8" }).stdout ?? ""
  }
}

/** "tofu" or "terraform", for messages; another program's provider is named after the first. */
const engine = (): string => /(?:^|\/)terraform\s*$/.test(parentCommand()) ? "terraform" : "tofu"

const loaded = (async () => {
  const [{ Provider }, { TerraformHost }, { wordsOf }] = await Promise.all([
    import("./Provider.ts"),
    import("./TerraformHost.ts"),
    import("./TerraformWords.ts")
  ])
  return new Provider({ host: new TerraformHost(end), words: wordsOf(engine()), environment })
})()

const definition = (
  path: string,
  request: MessageName,
  response: MessageName,
  streams = { in: false, out: false }
) => ({
  path,
  requestStream: streams.in,
  responseStream: streams.out,
  requestSerialize: (message: object) => encode(request, message),
  requestDeserialize: (bytes: Buffer) => decode(request, bytes),
  responseSerialize: (message: object) => encode(response, message),
  responseDeserialize: (bytes: Buffer) => decode(response, bytes)
})

type Unary = grpc.handleUnaryCall<object, object>
const handle = (method: Method): Unary => (call, reply) => {
  void loaded.then((provider) => provider.answer(method, call.request)).then(
    (answer) => reply(null, answer),
    (error: unknown) => reply({ code: grpc.status.INTERNAL, details: String((error as Error).stack ?? error) })
  )
}

const server = new grpc.Server({
  "grpc.max_receive_message_length": UNLIMITED,
  "grpc.max_send_message_length": UNLIMITED
})
server.addService(
  Object.fromEntries(METHODS.map((name) => [name, definition(pathOf(name), `${name}.Request`, `${name}.Response`)])),
  Object.fromEntries(METHODS.map((name) => [name, handle(name)]))
)
const { broker, health, shutdown, stdio } = PLUGIN_SERVICES
const silent = (call: { on: (event: "cancelled", act: () => void) => unknown; end: () => void }): void =>
  void call.on("cancelled", () => call.end())
server.addService(
  {
    broker: definition(broker, "Empty", "Empty", { in: true, out: true }),
    stdio: definition(stdio, "Empty", "Empty", { in: false, out: true }),
    health: definition(health, "Empty", "HealthCheckResponse"),
    shutdown: definition(shutdown, "Empty", "Empty")
  },
  {
    broker: silent as grpc.handleBidiStreamingCall<object, object>,
    stdio: silent as grpc.handleServerStreamingCall<object, object>,
    health: ((_, reply) => reply(null, { status: SERVING })) as Unary,
    shutdown: ((_, reply) => {
      reply(null, {})
      setImmediate(end)
    }) as Unary
  }
)

const authority = environment[CLIENT_CERTIFICATE]
const own = authority === undefined ? undefined : selfSigned(performance.timeOrigin + performance.now())
const credentials = authority === undefined || own === undefined
  ? grpc.ServerCredentials.createInsecure()
  : grpc.ServerCredentials.createSsl(
    Buffer.from(authority),
    [{ private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.certificate) }],
    true
  )
const socket = join(folder, "socket")
// Node.js has no Unix sockets on Windows.
const isWindows = process.platform === "win32"
server.bindAsync(isWindows ? "127.0.0.1:0" : `unix:${socket}`, credentials, (error, port) => {
  if (error !== null) {
    process.stderr.write(`terraform-provider-vps cannot listen: ${error.message}\n`)
    process.exit(1)
  }
  const line = isWindows ? handshake("tcp", `127.0.0.1:${port}`, own?.der) : handshake("unix", socket, own?.der)
  process.stdout.write(`${line}\n`)
})
// Ctrl-C reaches the whole process group; the engine then calls StopProvider.
process.on("SIGINT", () => undefined)
process.on("SIGTERM", end)
// After a kill -9 of the engine, nothing else would end this process.
const parent = process.ppid
setInterval(() => process.ppid === parent ? undefined : end(), PARENT_CHECK).unref()
// An unexpected error must not end the calls in flight, whose purchases would be lost.
process.on("uncaughtException", (error) => void process.stderr.write(`terraform-provider-vps: ${error.stack}\n`))
