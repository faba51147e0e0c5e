/** The two services that a program talks to: the resource monitor, and the engine (its log and the root resource). */
import type { sendUnaryData, ServerUnaryCall, UntypedServiceImplementation } from "@grpc/grpc-js"
import { Empty, engine, fromStruct, grpc, resource, services, toStruct, type Values } from "./Wire.ts"

/** The program's goal for one resource. */
export interface Goal {
  readonly type: string
  readonly name: string
  readonly parent: string
  readonly custom: boolean
  readonly inputs: Values
  readonly secretOutputs: ReadonlyArray<string>
  readonly dependencies: ReadonlyArray<string>
  readonly propertyDependencies: Readonly<Record<string, ReadonlyArray<string>>>
  /** URNs. */
  readonly aliases: ReadonlyArray<string>
  readonly protect: boolean
  readonly retainOnDelete: boolean
  /** The URN of the resource whose deletion deletes this one, too; empty if there is none. */
  readonly deletedWith: string
  /** Undefined: the provider decides. */
  readonly deleteBeforeReplace: boolean | undefined
  readonly sourcePosition: string | undefined
}

export interface Registered {
  readonly urn: string
  readonly id: string
  readonly outputs: Values
  /** The program receives the failure, and continues (`--continue-on-error`). */
  readonly failed?: boolean
}

export interface MonitoredProgram {
  readonly register: (goal: Goal) => Promise<Registered>
  /** Calls a provider's function. */
  readonly invoke: (tok: string, args: Values) => Promise<Values>
  readonly say: (line: string) => void
}

const answer =
  <Request, Reply>(work: (request: Request) => Promise<Reply> | Reply) =>
  (call: ServerUnaryCall<Request, Reply>, reply: sendUnaryData<Reply>): void => {
    Promise.resolve(call.request).then(work).then(
      (value) => reply(null, value),
      // The SDK takes this for an engine that is ending, and is quiet about it: the engine itself has said what failed.
      (error: unknown) => reply({ code: grpc.status.UNAVAILABLE, details: (error as Error).message })
    )
  }

type Request = InstanceType<typeof resource.RegisterResourceRequest>

const byProperty = (request: Request): Record<string, ReadonlyArray<string>> => {
  const all: Record<string, ReadonlyArray<string>> = {}
  request.getPropertydependenciesMap().forEach((dependencies, name) => {
    all[name] = dependencies.getUrnsList()
  })
  return all
}

const positionOf = (request: Request): string | undefined => {
  const position = request.getSourceposition()
  return position && `${position.getUri()}#${position.getLine()},${position.getColumn()}`
}

const goalOf = (request: Request): Goal => ({
  type: request.getType(),
  name: request.getName(),
  parent: request.getParent(),
  custom: request.getCustom(),
  inputs: fromStruct(request.getObject()),
  secretOutputs: request.getAdditionalsecretoutputsList(),
  dependencies: request.getDependenciesList(),
  propertyDependencies: byProperty(request),
  aliases: request.getAliasurnsList(),
  protect: request.getProtect() === true,
  retainOnDelete: request.getRetainondelete() === true,
  deletedWith: request.getDeletedwith(),
  deleteBeforeReplace: request.getDeletebeforereplacedefined() ? request.getDeletebeforereplace() : undefined,
  sourcePosition: positionOf(request)
})

const monitor = ({ invoke, register }: MonitoredProgram): UntypedServiceImplementation => ({
  supportsFeature: answer((request: InstanceType<typeof resource.SupportsFeatureRequest>) => {
    const reply = new resource.SupportsFeatureResponse()
    // Without structured aliases the SDK works the URNs out itself.
    reply.setHassupport(["secrets", "deletedWith"].includes(request.getId()))
    return reply
  }),
  registerResource: answer(async (request: Request) => {
    const { failed = false, id, outputs, urn } = await register(goalOf(request))
    const reply = new resource.RegisterResourceResponse()
    reply.setUrn(urn)
    reply.setId(id)
    reply.setObject(toStruct(outputs))
    if (failed) reply.setResult(resource.Result.FAIL)
    return reply
  }),
  invoke: answer(async (request: InstanceType<typeof resource.ResourceInvokeRequest>) => {
    const reply = new resource.ResourceInvokeResponse()
    reply.setReturn(toStruct(await invoke(request.getTok(), fromStruct(request.getArgs()))))
    return reply
  }),
  registerResourceOutputs: answer(() => new Empty()),
  signalAndWaitForShutdown: answer(() => new Empty())
})

const log = ({ say }: MonitoredProgram): UntypedServiceImplementation => {
  let root = ""
  return {
    log: answer((request: InstanceType<typeof engine.LogRequest>) => {
      // Debug lines are for the SDK's own developers.
      if (request.getSeverity() > 0) say(`program: ${request.getMessage()}`)
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

/** Both on one loopback port; returns its address. */
export const listen = async (programme: MonitoredProgram): Promise<{ address: string; close: () => void }> => {
  const server = new grpc.Server()
  server.addService(services.ResourceMonitorService, monitor(programme))
  server.addService(services.EngineService, log(programme))
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound)
      else reject(error)
    })
  })
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() }
}
