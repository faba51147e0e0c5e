/** A client of the plugin's protocol, over real gRPC, with an engine that listens; the service is in memory. */
import type { StackState } from "#provider/orphans/Orphans"
import { PluginHost } from "#provider/plugin-host/PluginHost"
import { Plugin } from "#provider/plugin-host/Plugin"
import {
  empty,
  type engine,
  engineServices,
  grpc,
  plugin as messages,
  provider,
  services,
  status,
  struct
} from "#provider/plugin-host/Proto"
import { Resources } from "#provider/plugin-host/Resources"
import { Service } from "#provider/plugin-host/Service"
import { Environment } from "../Environment.ts"

export type Json = Readonly<Record<string, unknown>>

/** The recorded outcome of one call. */
export interface CallRecord {
  readonly method: string
  readonly request: Json
  readonly answer?: Json
  readonly error?: Json
  /** The messages to the user during the call. */
  readonly messages?: ReadonlyArray<string>
}

/** Waits in the emulator's time. */
class TestHost extends PluginHost {
  readonly #env: Environment

  constructor(env: Environment) {
    super(() => undefined, undefined)
    this.#env = env
  }

  override readonly now = (): number => this.#env.now

  override readonly sleep = async (ms: number): Promise<void> => {
    await this.#env.advance(ms)
    await this.checkpoint()
  }
}

type Message = Record<string, (...args: ReadonlyArray<unknown>) => unknown>

const REQUESTS: Readonly<Record<string, new() => object>> = {
  handshake: provider.ProviderHandshakeRequest,
  getSchema: provider.GetSchemaRequest,
  getPluginInfo: empty.Empty,
  attach: messages.PluginAttach,
  checkConfig: provider.CheckRequest,
  diffConfig: provider.DiffRequest,
  configure: provider.ConfigureRequest,
  check: provider.CheckRequest,
  diff: provider.DiffRequest,
  create: provider.CreateRequest,
  read: provider.ReadRequest,
  update: provider.UpdateRequest,
  delete: provider.DeleteRequest,
  invoke: provider.InvokeRequest,
  cancel: empty.Empty,
  getMapping: provider.GetMappingRequest,
  call: provider.CallRequest,
  construct: provider.ConstructRequest
}

const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const isObject = (value: unknown): value is Json => value !== null && typeof value === "object" && !Array.isArray(value)

/** `{news: {...}}` becomes a message whose field is a struct. */
const messageOf = (method: string, request: Json): object => {
  const message = new REQUESTS[method]!() as Message
  for (const [name, value] of Object.entries(request)) {
    message[`set${capital(name)}`]!(isObject(value) ? struct.Struct.fromJavaScript(value as never) : value)
  }
  return message
}

const KINDS = Object.entries(provider.PropertyDiff.Kind)

const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readable)
  if (value instanceof struct.Struct) return value.toJavaScript()
  if (value instanceof provider.CheckFailure) return { property: value.getProperty(), reason: value.getReason() }
  if (value instanceof provider.PropertyDiff) {
    return `${KINDS.find(([, kind]) => kind === value.getKind())?.[0]}${value.getInputdiff() ? "" : " of an output"}`
  }
  return value
}

/** All that a message says; what is empty or false is left out. */
const said = (message: object): Json => {
  const fields = message as Message
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(message)).filter((name) => /^get[A-Z]/.test(name))
  const entries = names.filter((name) => !name.endsWith("Map")).map((name) => [
    name.slice(3),
    readable(fields[name]!())
  ])
  const { getDetaileddiffMap } = message as { getDetaileddiffMap?: () => { toArray: () => Array<[string, unknown]> } }
  const details = message instanceof provider.DiffResponse ? message.getDetaileddiffMap() : undefined
  const diff: Record<string, unknown> = {}
  details?.forEach((value: unknown, path: string) => {
    diff[path] = readable(value)
  })
  const all = [...entries, ...(getDetaileddiffMap === undefined ? [] : [["DetailedDiff", diff]])]
  return Object.fromEntries(
    all.filter(([, value]) =>
      value !== undefined && value !== "" && value !== false && value !== 0 && JSON.stringify(value) !== "[]"
    )
  )
}

interface Failure extends Error {
  readonly code: number
  readonly details: string
  readonly metadata: { readonly get: (key: string) => ReadonlyArray<unknown> }
}

const failed = ({ code, details, metadata }: Failure): Json => {
  const [bytes] = metadata.get("grpc-status-details-bin") as ReadonlyArray<Uint8Array>
  const [detail] = bytes === undefined ? [] : status.Status.deserializeBinary(bytes).getDetailsList()
  const partial = detail && said(provider.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8()))
  return { code: grpc.status[code] ?? code, details, ...(partial === undefined ? {} : { partial }) }
}

/** An engine that only collects messages. */
const listen = async (lines: Array<string>): Promise<{ address: string; close: () => void }> => {
  const server = new grpc.Server()
  const log = (
    { request }: { request: InstanceType<typeof engine.LogRequest> },
    reply: (error: null, value: object) => void
  ): void => {
    const severity = request.getSeverity() === 2 ? "warning" : "info"
    const about = request.getUrn().split("::").slice(-2).join(" ")
    lines.push(`${severity}${request.getEphemeral() ? ", while it lasts" : ""} [${about}] ${request.getMessage()}`)
    reply(null, new empty.Empty())
  }
  server.addService(engineServices.EngineService, { log } as never)
  return { address: `127.0.0.1:${await bound(server)}`, close: () => server.forceShutdown() }
}

const bound = (server: InstanceType<typeof grpc.Server>): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port)
      else reject(error)
    })
  })

export class Talk {
  env!: Environment
  readonly records: Array<CallRecord> = []
  readonly #lines: Array<string> = []
  readonly #environment: Record<string, string>
  /** The result of `pulumi stack export`. */
  state: StackState | Error = { source: "stack prod", held: [], pending: [] }
  #client: { readonly close: () => void } | undefined
  #closers: ReadonlyArray<() => void> = []
  address = ""
  #engine = ""

  constructor(environment: Record<string, string> = { VPS_API_KEY: "vps_live_environment" }) {
    this.#environment = environment
  }

  async open(): Promise<this> {
    this.env = await Environment.make()
    const host = new TestHost(this.env)
    const state = async (): Promise<StackState> => {
      if (this.state instanceof Error) throw this.state
      return this.state
    }
    const stacks = { read: state, updatedSince: async () => (await state(), []) }
    const plugin = new Plugin({ host, connect: () => this.env.api, environment: this.#environment, stacks })
    const loaded = { plugin, resources: new Resources(plugin) }
    const server = new grpc.Server()
    server.addService(services.ResourceProviderService, new Service(() => Promise.resolve(loaded)).implementation)
    this.address = `127.0.0.1:${await bound(server)}`
    const { address, close } = await listen(this.#lines)
    this.#engine = address
    this.#connect(() => server.forceShutdown(), close)
    return this
  }

  /** Another connection to the same process. */
  another(): Talk {
    const other = new Talk()
    other.env = this.env
    other.address = this.address
    other.#connect()
    return other
  }

  #connect(...closers: ReadonlyArray<() => void>): void {
    // Each with a channel of its own: connections to one address are shared otherwise.
    const options = { "grpc.use_local_subchannel_pool": 1 }
    const client = new services.ResourceProviderClient(this.address, grpc.credentials.createInsecure(), options)
    this.#client = client
    this.#closers = [() => client.close(), ...closers]
  }

  close(): void {
    for (const close of this.#closers) close()
  }

  /** Handshake and configuration, as every engine begins; not recorded. */
  async begin(args: Json = {}): Promise<void> {
    await this.#send("handshake", messageOf("handshake", { engineAddress: this.#engine }))
    await this.#send("configure", messageOf("configure", { args }))
  }

  /** Makes a call, and records its outcome. */
  async call(method: string, request: Json = {}): Promise<CallRecord> {
    this.#lines.length = 0
    const record = await this.#send(method, messageOf(method, request)).then(
      (answer): CallRecord => ({ method, request, answer: said(answer) }),
      (error: Failure): CallRecord => ({ method, request, error: failed(error) })
    )
    const full = this.#lines.length === 0 ? record : { ...record, messages: [...this.#lines] }
    this.records.push(full)
    return full
  }

  #send(method: string, message: object): Promise<object> {
    const client = this.#client as unknown as Record<
      string,
      (message: object, answer: (error: Failure | null, value: object) => void) => void
    >
    return new Promise((resolve, reject) => {
      client[method]!.call(client, message, (error, value) => error === null ? resolve(value) : reject(error))
    })
  }
}
