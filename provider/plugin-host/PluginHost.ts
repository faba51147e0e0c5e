/** The process of the plugin, as the lifecycles see it: its clock, its messages to the user, and its end. */
import { AsyncLocalStorage } from "node:async_hooks"
import { CanceledError } from "../api/Errors.ts"
import { nameOf } from "../definition/Properties.ts"
import { EngineConnection } from "../engine/EngineConnection.ts"
import type { Host } from "../engine/Host.ts"
import { sleepUnlessCanceled } from "../waiting/Cancellation.ts"
import { Redaction } from "../engine/Redaction.ts"
import { engine, engineServices, grpc } from "./Proto.ts"

// Sends messages to the engine, which shows each in the row of its resource.

/** The engine's numbers. */
const SEVERITY = { info: 1, warning: 2 } as const

export interface Line {
  readonly severity: keyof typeof SEVERITY
  readonly message: string
  readonly urn: string
  /** Shown live, and left out of the summary. */
  readonly ephemeral: boolean
}

class EngineLog {
  #client: InstanceType<typeof engineServices.EngineClient> | undefined
  readonly #pending = new Set<Promise<void>>()

  /** Sends later lines to this engine: a plugin in a debugger outlives its engines. */
  connect(address: string): void {
    this.#client?.close()
    this.#client = new engineServices.EngineClient(address, grpc.credentials.createInsecure())
  }

  write({ ephemeral, message, severity, urn }: Line): void {
    const request = new engine.LogRequest()
    request.setSeverity(SEVERITY[severity])
    request.setMessage(message)
    request.setUrn(urn)
    request.setEphemeral(ephemeral)
    // An unreachable engine is gone, which the next checkpoint detects.
    const sent = new Promise<void>((resolve) => {
      if (this.#client === undefined) resolve()
      else this.#client.log(request, () => resolve())
    })
    this.#pending.add(sent)
    void sent.then(() => this.#pending.delete(sent))
  }

  /** Resolves when every line has arrived: a line that is still in flight when a call is answered may get lost. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending)
  }
}

export class PluginHost implements Host {
  readonly log = new EngineLog()
  readonly redaction = new Redaction()
  /** The resource of the current call. */
  readonly #urn = new AsyncLocalStorage<string>()
  /** By the name that messages begin with: a shared wait writes messages for each of its resources. */
  readonly #urns = new Map<string, string>()
  readonly #end: () => void
  #engine: EngineConnection
  #cancelled = new AbortController()

  /** `end` ends the process; it is called when the engine at `address` ends, which started it. */
  constructor(end: () => void, address: string | undefined) {
    this.#end = end
    this.#engine = new EngineConnection(address, end)
    this.serve(address)
    // From now on this process ends with its engine, also when it is idle.
    void this.#engine.isAlive()
  }

  /** Starts a new run of this engine; an earlier one may have been canceled. */
  serve(address: string | undefined): void {
    this.#cancelled = new AbortController()
    if (address === undefined || address === "") return
    // A plugin that was started in a debugger serves one engine after the other, and outlives them.
    if (!this.#engine.connectsTo(address)) this.#engine = new EngineConnection(address)
    this.log.connect(address)
  }

  /** Ends all waits; their callers record the partial results. */
  cancel(): void {
    this.#cancelled.abort()
  }

  /** Attributes the messages during `work` to this resource. */
  async runFor<A>(urn: string, work: () => Promise<A>): Promise<A> {
    this.#urns.set(nameOf(urn), urn)
    return await this.#urn.run(urn, work)
  }

  readonly info = (message: string): void => this.#write({ severity: "info", message, ephemeral: false })
  readonly warn = (message: string): void => this.#write({ severity: "warning", message, ephemeral: false })
  readonly progress = (message: string): void => this.#write({ severity: "info", message, ephemeral: true })

  readonly now = (): number => performance.timeOrigin + performance.now()

  readonly sleep = (ms: number): Promise<void> => sleepUnlessCanceled(ms, this.#cancelled.signal)

  readonly checkpoint = async (): Promise<void> => {
    if (this.#cancelled.signal.aborted) throw new CanceledError()
    // Nothing more is sent for an engine that is no longer there to record the result.
    if (!(await this.#engine.isAlive())) this.#end()
  }

  #write(line: Omit<Line, "urn">): void {
    const name = line.message.slice(0, Math.max(line.message.indexOf(": "), 0))
    const current = this.#urn.getStore() ?? ""
    const urn = nameOf(current) === name ? current : this.#urns.get(name) ?? current
    this.log.write({ ...line, urn, message: this.redaction.redact(line.message) })
  }
}
