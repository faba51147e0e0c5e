/** The gRPC service: each call goes to its method, and whatever that throws becomes an answer. */
import type { sendUnaryData, ServerUnaryCall, UntypedHandleCall, UntypedServiceImplementation } from "@grpc/grpc-js"
import { readFileSync } from "node:fs"
import { VERSION } from "#sdk/client/Version"
import { nameOf } from "../definition/Properties.ts"
import type { Plugin } from "./Plugin.ts"
import { grpc, plugin as messages, provider, services } from "./Proto.ts"
import { type GrpcError, grpcErrorOf } from "./GrpcError.ts"
import type { Resources } from "./Resources.ts"

type Method = (request: never, peer: string) => object | Promise<object>

/** As far as failing goes: what is about a resource names it. */
interface Request {
  readonly getUrn?: () => string
}

/** What needs the SDK and the lifecycles; loaded when the engine knows our port and is still getting to know us. */
export type Load = () => Promise<{ readonly plugin: Plugin; readonly resources: Resources }>

/** Beside this file, in the source as in the bundle. */
const schema = (): string => readFileSync(new URL("schema.json", import.meta.url), "utf8")

const getPluginInfo = (): object => new messages.PluginInfo().setVersion(VERSION)

const getSchema = (): object => new provider.GetSchemaResponse().setSchema(schema())

const OF_THE_PLUGIN = ["handshake", "attach", "checkConfig", "diffConfig", "configure", "invoke", "cancel"] as const
const OF_A_RESOURCE = ["check", "diff", "create", "read", "update", "delete"] as const

const isRefusal = (error: unknown): error is GrpcError =>
  error !== null && typeof error === "object" && "code" in error && typeof error.code === "number" && "details" in error

const subjectOf = (request: Request): string | undefined => {
  const urn = request.getUrn?.() ?? ""
  return urn === "" ? undefined : nameOf(urn)
}

export class Service {
  readonly #load: Load
  #underWay = 0
  #idle: (() => void) | undefined

  constructor(load: Load) {
    this.#load = load
  }

  /** Every method of the protocol: those that a provider need not have are refused as such. */
  get implementation(): UntypedServiceImplementation {
    const methods: Record<string, Method> = { getPluginInfo, getSchema }
    for (const name of OF_THE_PLUGIN) {
      methods[name] = async (request, peer) => await this.#told(({ plugin }) => plugin[name](request, peer))
    }
    for (const name of OF_A_RESOURCE) {
      methods[name] = async (request, peer) => await this.#told(({ resources }) => resources[name](request, peer))
    }
    const all = Object.entries(services.ResourceProviderService)
    return Object.fromEntries(all.map(([name, { responseStream }]) => {
      const method = methods[name]
      return [name, method === undefined ? refuse(name, responseStream) : this.#serve(method)]
    }))
  }

  /** Resolves when no call is under way any more. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay === 0) resolve()
      else this.#idle = resolve
    })
  }

  #serve(method: Method): UntypedHandleCall {
    return (call: ServerUnaryCall<Request, object>, reply: sendUnaryData<object>): void => {
      this.#underWay++
      const answered = Promise.resolve(call.request).then((request) => method(request as never, call.getPeer()))
      void answered.then((answer) => reply(null, answer), (error: unknown) => {
        reply(isRefusal(error) ? error : grpcErrorOf(error, subjectOf(call.request)))
      }).finally(() => {
        if (--this.#underWay === 0) this.#idle?.()
      })
    }
  }

  /** What is said on the way reaches the user before the answer reaches the engine. */
  async #told(method: (loaded: Awaited<ReturnType<Load>>) => object | Promise<object>): Promise<object> {
    const loaded = await this.#load()
    try {
      return await method(loaded)
    } finally {
      await loaded.plugin.host.log.flush()
    }
  }
}

const refuse = (name: string, stream: boolean): UntypedHandleCall => {
  const refusal: GrpcError = { code: grpc.status.UNIMPLEMENTED, details: `the vps provider has no ${name}` }
  return stream
    ? (call: { emit: (event: "error", error: GrpcError) => void }): void => call.emit("error", refusal)
    : (_: unknown, reply: sendUnaryData<object>): void => reply(refusal)
}
