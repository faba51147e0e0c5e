/** The gRPC service: dispatches each call to its method, and turns errors into responses. */
import type { sendUnaryData, ServerUnaryCall, UntypedHandleCall, UntypedServiceImplementation } from "@grpc/grpc-js"
import { readFileSync } from "node:fs"
import { VERSION } from "@pulumi-vps/contract/Version"
import { nameOf } from "../definition/Properties.ts"
import { grpc, type GrpcError, grpcErrorOf, plugin as messages, provider, services } from "./Proto.ts"
import type { Plugin } from "./Plugin.ts"
import type { Resources } from "./Resources.ts"

type Method = (request: never, peer: string) => object | Promise<object>

/** The part of a request that errors need: the resource, if it has one. */
interface Request {
  readonly getUrn?: () => string
}

/** Loads the SDK and the lifecycles, while the engine connects to the port that it already knows. */
export type Load = () => Promise<Loaded>

interface Loaded {
  readonly plugin: Plugin
  readonly resources: Resources
}

/** Beside this file, in the source as in the bundle. */
const schema = (): string => readFileSync(new URL("schema.json", import.meta.url), "utf8")

const getPluginInfo = (): object => new messages.PluginInfo().setVersion(VERSION)

const getSchema = (): object => new provider.GetSchemaResponse().setSchema(schema())

const OF_THE_PLUGIN = ["handshake", "attach", "checkConfig", "diffConfig", "configure", "invoke", "cancel"] as const
const OF_A_RESOURCE = ["check", "diff", "create", "read", "update", "delete"] as const

const isGrpcError = (error: unknown): error is GrpcError =>
  error !== null && typeof error === "object" && "code" in error && typeof error.code === "number" && "details" in error

const subjectOf = (request: Request): string | undefined => {
  const urn = request.getUrn?.() ?? ""
  return urn === "" ? undefined : nameOf(urn)
}

export class Service {
  readonly #load: Load
  #inFlight = 0
  #idle: (() => void) | undefined

  constructor(load: Load) {
    this.#load = load
  }

  /** Every method of the protocol; optional ones that are not implemented return UNIMPLEMENTED. */
  get implementation(): UntypedServiceImplementation {
    const methods: Record<string, Method> = { getPluginInfo, getSchema }
    for (const name of OF_THE_PLUGIN) {
      methods[name] = (request, peer) => this.#answered(request, ({ plugin }) => plugin[name](request, peer))
    }
    for (const name of OF_A_RESOURCE) {
      methods[name] = (request, peer) => this.#answered(request, ({ resources }) => resources[name](request, peer))
    }
    const all = Object.entries(services.ResourceProviderService)
    return Object.fromEntries(all.map(([name, { responseStream }]) => {
      const method = methods[name]
      return [name, method === undefined ? unimplemented(name, responseStream) : this.#serve(method)]
    }))
  }

  /** Resolves when no call is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#inFlight === 0) resolve()
      else this.#idle = resolve
    })
  }

  #serve(method: Method): UntypedHandleCall {
    return (call: ServerUnaryCall<Request, object>, reply: sendUnaryData<object>): void => {
      this.#inFlight++
      const answered = Promise.resolve(call.request).then((request) => method(request as never, call.getPeer()))
      void answered.then((answer) => reply(null, answer), (error: unknown) => {
        reply(isGrpcError(error) ? error : grpcErrorOf(error, subjectOf(call.request)))
      }).finally(() => {
        if (--this.#inFlight === 0) this.#idle?.()
      })
    }
  }

  /** The messages of a call reach the user before the response reaches the engine. No error contains a secret. */
  async #answered(request: Request, method: (loaded: Loaded) => object | Promise<object>): Promise<object> {
    const loaded = await this.#load()
    const { log, redaction } = loaded.plugin.host
    try {
      return await method(loaded)
    } catch (error) {
      if (isGrpcError(error)) throw error
      const answer = grpcErrorOf(error, subjectOf(request))
      throw { ...answer, details: redaction.redact(answer.details) }
    } finally {
      await log.flush()
    }
  }
}

const unimplemented = (name: string, stream: boolean): UntypedHandleCall => {
  const error: GrpcError = { code: grpc.status.UNIMPLEMENTED, details: `the vps provider does not implement ${name}` }
  return stream
    ? (call: { emit: (event: "error", error: GrpcError) => void }): void => call.emit("error", error)
    : (_: unknown, reply: sendUnaryData<object>): void => reply(error)
}
