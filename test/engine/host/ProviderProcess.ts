/** The real dynamic host as a child process, called over gRPC as the engine calls it. */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { type Call, connectTo, type Difference, forwardErrors, type Launch, portOf, type Provider } from "./Provider.ts"
import { fromStruct, provider, toStruct, UNKNOWN, unwrapAll, type Values } from "./Wire.ts"

export class ProviderProcess implements Provider {
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
    forwardErrors(child, say)
    return child
  }

  /** Waits until it is ready, then calls `configure`. */
  static async connect(child: ChildProcess, config: Values, { cut, say }: Launch): Promise<ProviderProcess> {
    const call = connectTo(await portOf(child, say))
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

  /** The dynamic host has no previews: what a create or an update answers is not known yet. */
  foreseen(inputs: Values, old?: { readonly outputs: Values }): Promise<Values> {
    const unknown = Object.fromEntries(Object.keys(old?.outputs ?? {}).map((name) => [name, UNKNOWN]))
    return Promise.resolve({ ...unknown, ...inputs })
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
