/** The real dynamic host as a child process, called over gRPC as the engine calls it. */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Cut } from "./Cut.ts"
import { fromStruct, grpc, provider, services, status, toStruct, unwrapAll, type Values } from "./Wire.ts"

/** A half-made resource, as the host reports it inside an error. */
export class InitFailed extends Error {
  readonly id: string
  readonly outputs: Values
  readonly reasons: ReadonlyArray<string>
  constructor(id: string, outputs: Values, reasons: ReadonlyArray<string>) {
    super(reasons.map((reason) => `* ${reason}`).join("\n"))
    this.id = id
    this.outputs = outputs
    this.reasons = reasons
  }
}

type Call = (method: string, request: unknown) => Promise<unknown>

/** bytes; the engine's own limit. */
const MAX_MESSAGE = 400 * 1024 * 1024

interface GrpcError extends Error {
  readonly details?: string
  readonly metadata?: { readonly get: (key: string) => Array<Uint8Array> }
}

const asError = (error: GrpcError): Error => {
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? []
  const [detail] = bytes === undefined ? [] : status.Status.deserializeBinary(bytes).getDetailsList()
  if (detail === undefined) return new Error(error.details ?? error.message, { cause: error })
  const failed = provider.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8())
  return new InitFailed(failed.getId(), fromStruct(failed.getProperties()), failed.getReasonsList())
}

const connect = (port: string): Call => {
  const options = { "grpc.max_receive_message_length": MAX_MESSAGE, "grpc.max_send_message_length": MAX_MESSAGE }
  const client = new services.ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options)
  const methods = client as unknown as Record<
    string,
    (request: unknown, answer: (error: GrpcError | null, reply: unknown) => void) => void
  >
  return (method, request) =>
    new Promise((resolve, reject) => {
      methods[method]!.call(client, request, (error, reply) => error === null ? resolve(reply) : reject(asError(error)))
    })
}

export interface Difference {
  readonly changes: boolean
  readonly replaces: ReadonlyArray<string>
  readonly deleteFirst: boolean
}

export interface Launch {
  readonly folder: string
  /** Of the engine. */
  readonly address: string
  readonly project: string
  readonly environment: Record<string, string>
  readonly cut: Cut
  readonly say: (line: string) => void
}

export class ProviderProcess {
  readonly #child: ChildProcess
  readonly #call: Call

  private constructor(child: ChildProcess, call: Call) {
    this.#child = child
    this.#call = call
  }

  /** Starts it as the engine does: in the program's folder, with the engine's address. */
  static launch({ address, environment, folder, project, say }: Launch): ChildProcess {
    const script = createRequire(join(folder, "package.json")).resolve("@pulumi/pulumi/cmd/dynamic-provider")
    const child = spawn(process.execPath, [script, address], {
      cwd: folder,
      env: { ...environment, PULUMI_NODEJS_PROJECT: project },
      stdio: ["ignore", "pipe", "pipe"]
    })
    createInterface({ input: child.stderr }).on("line", (line) => say(`provider: ${line}`))
    return child
  }

  /** Waits until it is ready, then calls `configure`. */
  static async connect(child: ChildProcess, config: Values, { cut, say }: Launch): Promise<ProviderProcess> {
    const port = await new Promise<string>((resolve, reject) => {
      let first = true
      createInterface({ input: child.stdout! }).on("line", (line) => {
        if (!first) say(`provider: ${line}`)
        first = false
        resolve(line)
      })
      child.once("exit", (code) => reject(new Error(`the dynamic host ended with ${code} before it was ready`)))
    })
    const call = connect(port)
    const host = new ProviderProcess(child, (method, request) => cut.unless(call(method, request)))
    const request = new provider.ConfigureRequest()
    request.setArgs(toStruct(config))
    await host.#call("configure", request)
    return host
  }

  async check(olds: Values, news: Values): Promise<{ inputs: Values; failures: ReadonlyArray<string> }> {
    const request = new provider.CheckRequest()
    request.setOlds(toStruct(unwrapAll(olds)))
    request.setNews(toStruct(unwrapAll(news)))
    const reply = await this.#call("check", request) as InstanceType<typeof provider.CheckResponse>
    const failures = reply.getFailuresList().map((failure) =>
      `${failure.getProperty() === "" ? "a problem" : failure.getProperty()}: ${failure.getReason()}`
    )
    return { inputs: fromStruct(reply.getInputs()), failures }
  }

  async diff(id: string, olds: Values, news: Values): Promise<Difference> {
    const request = new provider.DiffRequest()
    request.setId(id)
    request.setOlds(toStruct(unwrapAll(olds)))
    request.setNews(toStruct(unwrapAll(news)))
    const reply = await this.#call("diff", request) as InstanceType<typeof provider.DiffResponse>
    const changes = reply.getChanges() !== provider.DiffResponse.DiffChanges.DIFF_NONE
    return { changes, replaces: reply.getReplacesList(), deleteFirst: reply.getDeletebeforereplace() }
  }

  async create(inputs: Values): Promise<{ id: string; outputs: Values }> {
    const request = new provider.CreateRequest()
    request.setProperties(toStruct(unwrapAll(inputs)))
    const reply = await this.#call("create", request) as InstanceType<typeof provider.CreateResponse>
    return { id: reply.getId(), outputs: fromStruct(reply.getProperties()) }
  }

  /** An empty id means that the resource is gone. */
  async read(id: string, outputs: Values, inputs: Values): Promise<{ id: string; outputs: Values; inputs?: Values }> {
    const request = new provider.ReadRequest()
    request.setId(id)
    request.setProperties(toStruct(unwrapAll(outputs)))
    request.setInputs(toStruct(unwrapAll(inputs)))
    const reply = await this.#call("read", request) as InstanceType<typeof provider.ReadResponse>
    const seen = { id: reply.getId(), outputs: fromStruct(reply.getProperties()) }
    return reply.hasInputs() ? { ...seen, inputs: fromStruct(reply.getInputs()) } : seen
  }

  async update(id: string, olds: Values, news: Values): Promise<Values> {
    const request = new provider.UpdateRequest()
    request.setId(id)
    request.setOlds(toStruct(unwrapAll(olds)))
    request.setNews(toStruct(unwrapAll(news)))
    const reply = await this.#call("update", request) as InstanceType<typeof provider.UpdateResponse>
    return fromStruct(reply.getProperties())
  }

  async delete(id: string, outputs: Values): Promise<void> {
    const request = new provider.DeleteRequest()
    request.setId(id)
    request.setProperties(toStruct(unwrapAll(outputs)))
    await this.#call("delete", request)
  }

  /** The engine ends its providers with SIGINT after each phase. */
  stop(): void {
    this.#child.kill("SIGINT")
  }
}
