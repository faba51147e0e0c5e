/**
 * The program `pulumi-resource-vps`. The engine starts it several times in every run and waits for the port, which must
 * be the first output: so it listens first, and loads the rest while the engine connects.
 */
import { limitHeapGrowth } from "../engine/Host.ts"
import { grpc, MAX_MESSAGE, services } from "./Proto.ts"
import { type Load, Service } from "./Service.ts"

// Before the rest is loaded: compiling it enlarges the space of young objects, which never shrinks.
limitHeapGrowth()

const once = <A>(work: () => Promise<A>): () => Promise<A> => {
  let result: Promise<A> | undefined
  return () => result ??= work()
}

const end = (): never => process.exit(0)

const load: Load = once(async () => {
  const { start } = await import("./Start.ts")
  // The engine's address; in a debugger the handshake brings it instead.
  return start(process.argv[2], end)
})

const service = new Service(load)
const limits = { "grpc.max_receive_message_length": MAX_MESSAGE, "grpc.max_send_message_length": MAX_MESSAGE }
const server = new grpc.Server(limits)
server.addService(services.ResourceProviderService, service.implementation)
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) {
    process.stderr.write(`pulumi-resource-vps cannot listen: ${error.message}\n`)
    process.exit(1)
  }
  process.stdout.write(`${port}\n`)
  void load()
})

/**
 * The engine ends every provider with SIGINT. Calls in flight stop waiting and return partial results: an id that is
 * lost is an instance that is paid for and in no state.
 */
const stop = async (): Promise<void> => {
  void load().then(({ plugin }) => plugin.host.cancel())
  await service.idle()
  end()
}
// An unexpected error must not end the calls in flight, whose purchases would be lost.
process.on("uncaughtException", (error) => void process.stderr.write(`pulumi-resource-vps: ${error.stack}\n`))
process.on("SIGINT", () => void stop())
process.on("SIGTERM", () => void stop())
