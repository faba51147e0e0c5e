/** The plugin as a child process, called over gRPC as the engine calls it: with secrets, URNs and previews. */
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Call, connectTo, type Difference, forwardErrors, type Launch, portOf, type Provider } from "./Provider.ts"
import { Empty, fromStruct, provider, toStruct, type Values } from "./Wire.ts"

const MAIN = fileURLToPath(new URL("../../../provider/plugin/pulumi-resource-vps", import.meta.url))

const DEFAULT = "urn:pulumi:test::project::pulumi:providers:vps::default"

/** The default provider in the state, for the runs that register it. */
export interface ProviderRecord {
  /** Its inputs; undefined where nothing is compared. */
  readonly before?: Values | undefined
  readonly store?: (inputs: Values) => void
}

export class PluginProcess {
  readonly #child: ChildProcess
  readonly #call: Call

  private constructor(child: ChildProcess, call: Call) {
    this.#child = child
    this.#call = call
  }

  /** The build, which the global setup has renewed: it loads in a third of the time. */
  static launch({ address, environment, folder, say }: Launch): ChildProcess {
    const child = spawn(process.execPath, [MAIN, address], {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"]
    })
    forwardErrors(child, say)
    return child
  }

  /** `config` is the stack's, by `vps:<name>`. */
  static async connect(
    child: ChildProcess,
    config: Values,
    { before, store }: ProviderRecord,
    { address, cut, say }: Launch
  ): Promise<PluginProcess> {
    const call = connectTo(await portOf(child, () => undefined))
    const host = new PluginProcess(child, (method, request) => cut.unless(call(method, request)))
    const hello = new provider.ProviderHandshakeRequest()
    hello.setEngineAddress(address)
    await host.#call("handshake", hello)
    const named = Object.fromEntries(Object.entries(config).map(([name, value]) => [name.slice(4), value]))
    try {
      const inputs = await host.#checkConfig(before ?? {}, named)
      if (before !== undefined) await host.#diffConfig(before, inputs)
      store?.(inputs)
      const request = new provider.ConfigureRequest()
      request.setArgs(toStruct(inputs))
      await host.#call("configure", request)
    } catch (error) {
      say(`error: ${(error as Error).message}`)
      throw error
    }
    return host
  }

  async #checkConfig(olds: Values, news: Values): Promise<Values> {
    const request = new provider.CheckRequest()
    request.setUrn(DEFAULT)
    request.setOlds(toStruct(olds))
    request.setNews(toStruct(news))
    const reply = await this.#call("checkConfig", request) as InstanceType<typeof provider.CheckResponse>
    const [failure] = reply.getFailuresList()
    if (failure !== undefined) throw new Error(failure.getReason())
    return fromStruct(reply.getInputs())
  }

  async #diffConfig(olds: Values, news: Values): Promise<void> {
    const request = new provider.DiffRequest()
    request.setUrn(DEFAULT)
    request.setOldInputs(toStruct(olds))
    request.setNews(toStruct(news))
    await this.#call("diffConfig", request)
  }

  about(urn: string): Provider {
    return new OnePluginResource(this.#call, urn)
  }

  async invoke(tok: string, args: Values): Promise<Values> {
    const request = new provider.InvokeRequest()
    request.setTok(tok)
    request.setArgs(toStruct(args))
    const reply = await this.#call("invoke", request) as InstanceType<typeof provider.InvokeResponse>
    return fromStruct(reply.getReturn())
  }

  async cancel(): Promise<void> {
    await this.#call("cancel", new Empty())
  }

  stop(): void {
    this.#child.kill("SIGINT")
  }
}

class OnePluginResource implements Provider {
  readonly #call: Call
  readonly #urn: string

  constructor(call: Call, urn: string) {
    this.#call = call
    this.#urn = urn
  }

  async check(olds: Values, news: Values): Promise<{ inputs: Values; failures: ReadonlyArray<string> }> {
    const request = new provider.CheckRequest()
    request.setUrn(this.#urn)
    request.setOlds(toStruct(olds))
    request.setNews(toStruct(news))
    const reply = await this.#call("check", request) as InstanceType<typeof provider.CheckResponse>
    const failures = reply.getFailuresList().map((failure) =>
      `${failure.getProperty() === "" ? "a problem" : failure.getProperty()}: ${failure.getReason()}`
    )
    return { inputs: fromStruct(reply.getInputs()), failures }
  }

  async diff(id: string, olds: Values, news: Values, oldInputs: Values): Promise<Difference> {
    const request = new provider.DiffRequest()
    request.setUrn(this.#urn)
    request.setId(id)
    request.setOlds(toStruct(olds))
    request.setOldInputs(toStruct(oldInputs))
    request.setNews(toStruct(news))
    const reply = await this.#call("diff", request) as InstanceType<typeof provider.DiffResponse>
    const changes = reply.getChanges() !== provider.DiffResponse.DiffChanges.DIFF_NONE
    return { changes, replaces: reply.getReplacesList(), deleteFirst: reply.getDeletebeforereplace() }
  }

  async create(inputs: Values, preview = false): Promise<{ id: string; outputs: Values }> {
    const request = new provider.CreateRequest()
    request.setUrn(this.#urn)
    request.setProperties(toStruct(inputs))
    request.setPreview(preview)
    const reply = await this.#call("create", request) as InstanceType<typeof provider.CreateResponse>
    return { id: reply.getId(), outputs: fromStruct(reply.getProperties()) }
  }

  async read(id: string, outputs: Values, inputs: Values): Promise<{ id: string; outputs: Values; inputs?: Values }> {
    const request = new provider.ReadRequest()
    request.setUrn(this.#urn)
    request.setId(id)
    request.setProperties(toStruct(outputs))
    request.setInputs(toStruct(inputs))
    const reply = await this.#call("read", request) as InstanceType<typeof provider.ReadResponse>
    const seen = { id: reply.getId(), outputs: fromStruct(reply.getProperties()) }
    return reply.hasInputs() ? { ...seen, inputs: fromStruct(reply.getInputs()) } : seen
  }

  async update(id: string, olds: Values, news: Values, preview = false): Promise<Values> {
    const request = new provider.UpdateRequest()
    request.setUrn(this.#urn)
    request.setId(id)
    request.setOlds(toStruct(olds))
    request.setNews(toStruct(news))
    request.setPreview(preview)
    const reply = await this.#call("update", request) as InstanceType<typeof provider.UpdateResponse>
    return fromStruct(reply.getProperties())
  }

  foreseen(inputs: Values, old?: { readonly id: string; readonly outputs: Values }): Promise<Values> {
    return old === undefined
      ? this.create(inputs, true).then(({ outputs }) => outputs)
      : this.update(old.id, old.outputs, inputs, true)
  }

  async delete(id: string, outputs: Values): Promise<void> {
    const request = new provider.DeleteRequest()
    request.setUrn(this.#urn)
    request.setId(id)
    request.setProperties(toStruct(outputs))
    await this.#call("delete", request)
  }
}
