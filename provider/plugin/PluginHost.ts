/** The process that the lifecycles run in: its clock, its words to the user, and its end. */
import { AsyncLocalStorage } from "node:async_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { EngineConnection } from "../engine/EngineConnection.ts"
import type { Host } from "../engine/Host.ts"
import { CancelledError } from "../api/Errors.ts"
import { nameOf } from "../definition/Properties.ts"
import { EngineLog, type Line } from "./EngineLog.ts"

export class PluginHost implements Host {
  readonly log = new EngineLog()
  /** The resource that is being worked on. */
  readonly #urn = new AsyncLocalStorage<string>()
  /** By the name that messages begin with: a wait that many share speaks for each of them. */
  readonly #urns = new Map<string, string>()
  readonly #end: () => void
  #engine: EngineConnection
  #cancelled = new AbortController()

  /** `end` ends the process, as the end of the engine that has started it does: that is at `address`. */
  constructor(end: () => void, address: string | undefined) {
    this.#end = end
    this.#engine = new EngineConnection(address, end)
    this.serve(address)
    // From now on this process ends with its engine, also when it is at nothing.
    void this.#engine.isAlive()
  }

  /** A new run begins, of this engine; an earlier one may have been cancelled. */
  serve(address: string | undefined): void {
    this.#cancelled = new AbortController()
    if (address === undefined || address === "") return
    // Somebody who debugs us has started us, and has us serve one engine after the other: we outlive those.
    if (!this.#engine.connectsTo(address)) this.#engine = new EngineConnection(address)
    this.log.connect(address)
  }

  /** Ends all waiting; what is waited for is kept by whoever waits. */
  cancel(): void {
    this.#cancelled.abort()
  }

  /** What is said meanwhile is about this resource. */
  async runFor<A>(urn: string, work: () => Promise<A>): Promise<A> {
    this.#urns.set(nameOf(urn), urn)
    return await this.#urn.run(urn, work)
  }

  readonly info = (message: string): void => this.#write({ severity: "info", message, ephemeral: false })
  readonly warn = (message: string): void => this.#write({ severity: "warning", message, ephemeral: false })
  readonly progress = (message: string): void => this.#write({ severity: "info", message, ephemeral: true })

  readonly now = (): number => performance.timeOrigin + performance.now()

  readonly sleep = async (ms: number): Promise<void> => {
    const { signal } = this.#cancelled
    try {
      await sleep(ms, undefined, { signal })
    } catch (error) {
      throw signal.aborted ? new CancelledError() : error
    }
  }

  readonly checkpoint = async (): Promise<void> => {
    if (this.#cancelled.signal.aborted) throw new CancelledError()
    // Whatever was sent is done; nothing more is begun for an engine that is no longer there to record it.
    if (!(await this.#engine.isAlive())) this.#end()
  }

  #write(line: Omit<Line, "urn">): void {
    const name = line.message.slice(0, Math.max(line.message.indexOf(": "), 0))
    const current = this.#urn.getStore() ?? ""
    const urn = nameOf(current) === name ? current : this.#urns.get(name) ?? current
    this.log.write({ ...line, urn })
  }
}
