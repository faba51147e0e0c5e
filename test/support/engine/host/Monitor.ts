/** The two services that a program talks to: the resource monitor, and the engine (its log and the root resource). */
import type { sendUnaryData, ServerUnaryCall, UntypedServiceImplementation } from "@grpc/grpc-js"
import { Empty, engine, fromStruct, grpc, resource, services, toStruct, type Values } from "./Wire.ts"

export interface Registration {
  readonly type: string
  readonly name: string
  readonly parent: string
  readonly custom: boolean
  readonly inputs: Values
  readonly secretOutputs: ReadonlyArray<string>
}

export interface Registered {
  readonly urn: string
  readonly id: string
  readonly outputs: Values
}

type Register = (registration: Registration) => Promise<Registered>

const answer =
  <Request, Reply>(work: (request: Request) => Promise<Reply> | Reply) =>
  (call: ServerUnaryCall<Request, Reply>, reply: sendUnaryData<Reply>): void => {
    Promise.resolve(call.request).then(work).then(
      (value) => reply(null, value),
      (error: unknown) => reply({ code: grpc.status.UNKNOWN, details: (error as Error).message })
    )
  }

const registration = (request: InstanceType<typeof resource.RegisterResourceRequest>): Registration => ({
  type: request.getType(),
  name: request.getName(),
  parent: request.getParent(),
  custom: request.getCustom(),
  inputs: fromStruct(request.getObject()),
  secretOutputs: request.getAdditionalsecretoutputsList()
})

const monitor = (register: Register): UntypedServiceImplementation => ({
  supportsFeature: answer((request: InstanceType<typeof resource.SupportsFeatureRequest>) => {
    const reply = new resource.SupportsFeatureResponse()
    reply.setHassupport(request.getId() === "secrets")
    return reply
  }),
  registerResource: answer(async (request: InstanceType<typeof resource.RegisterResourceRequest>) => {
    const { id, outputs, urn } = await register(registration(request))
    const reply = new resource.RegisterResourceResponse()
    reply.setUrn(urn)
    reply.setId(id)
    reply.setObject(toStruct(outputs))
    return reply
  }),
  registerResourceOutputs: answer(() => new Empty()),
  signalAndWaitForShutdown: answer(() => new Empty())
})

const log = (): UntypedServiceImplementation => {
  let root = ""
  return {
    log: answer((request: InstanceType<typeof engine.LogRequest>) => {
      // Debug lines are for the SDK's own developers.
      if (request.getSeverity() > 0) process.stdout.write(`program: ${request.getMessage()}\n`)
      return new Empty()
    }),
    getRootResource: answer(() => {
      const reply = new engine.GetRootResourceResponse()
      reply.setUrn(root)
      return reply
    }),
    setRootResource: answer((request: InstanceType<typeof engine.SetRootResourceRequest>) => {
      root = request.getUrn()
      return new engine.SetRootResourceResponse()
    })
  }
}

/** Both on one loopback port; answers its address. */
export const listen = async (register: Register): Promise<{ address: string; close: () => void }> => {
  const server = new grpc.Server()
  server.addService(services.ResourceMonitorService, monitor(register))
  server.addService(services.EngineService, log())
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound)
      else reject(error)
    })
  })
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() }
}
