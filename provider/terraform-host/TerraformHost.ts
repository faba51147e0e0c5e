/** The process as the lifecycles see it: messages become diagnostics of the call during which they are written. */
import { AsyncLocalStorage } from "node:async_hooks"
import { CanceledError } from "../api/Errors.ts"
import type { Host } from "../engine/Host.ts"
import { sleepUnlessCanceled } from "../waiting/Cancellation.ts"
import { Redaction } from "../engine/Redaction.ts"
import { ERROR, type Message, WARNING } from "./Protocol.ts"

export type Diagnostic = Message<"Diagnostic">

/** The first sentence is the summary, which the engine prints in one line. */
const SENTENCE = /\. (?=[A-Z])|\n/

/**
 * Charges that a plan shows one by one. 100 purchases would print 100 warnings of 35 lines each: those after the tenth
 * have one summary, by which the engine folds them into one and counts them.
 */
const MAX_SINGLE_CHARGES = 10

const FURTHER = "More charges than those above: the plan shows each as charge_amount"

interface Call {
  readonly diagnostics: Array<Diagnostic>
  /** Information is shown in a plan only, where charges are among it: the protocol knows errors and warnings alone. */
  readonly isPlan: boolean
}

export class TerraformHost implements Host {
  readonly redaction = new Redaction()
  readonly #end: () => void
  readonly #calls = new AsyncLocalStorage<Call>()
  #cancelled = new AbortController()
  readonly #parent = process.ppid
  #charges = 0

  constructor(end: () => void) {
    this.#end = end
  }

  /** Runs a call, and returns its answer with the messages that were written meanwhile. */
  async collect<A>(isPlan: boolean, work: () => Promise<A>): Promise<readonly [A, ReadonlyArray<Diagnostic>]> {
    const call: Call = { diagnostics: [], isPlan }
    return [await this.#calls.run(call, work), call.diagnostics]
  }

  /** A message without secrets. */
  diagnostic(severity: typeof ERROR | typeof WARNING, message: string, attribute?: string): Diagnostic {
    const text = this.redaction.redact(message)
    const end = text.search(SENTENCE)
    return {
      severity,
      summary: end < 0 ? text : text.slice(0, end),
      ...(end < 0 ? {} : { detail: text.slice(end + 1).trim() }),
      ...(attribute === undefined ? {} : { attribute: { steps: [{ attribute_name: attribute }] } })
    }
  }

  error(message: string, attribute?: string): Diagnostic {
    return this.diagnostic(ERROR, message, attribute)
  }

  readonly warn = (message: string): void => {
    const call = this.#calls.getStore()
    if (call === undefined) this.progress(message)
    else call.diagnostics.push(this.diagnostic(WARNING, message))
  }

  readonly info = (message: string): void => {
    const call = this.#calls.getStore()
    if (call?.isPlan !== true) return this.progress(message)
    const isSingle = this.#charges++ < MAX_SINGLE_CHARGES
    call.diagnostics.push(
      isSingle ? this.diagnostic(WARNING, message) : { ...this.diagnostic(WARNING, message), summary: FURTHER }
    )
  }

  /** The engine's log: `TF_LOG_PROVIDER=INFO` shows it. */
  readonly progress = (message: string): void => {
    process.stderr.write(`[INFO] ${this.redaction.redact(message)}\n`)
  }

  readonly now = (): number => performance.timeOrigin + performance.now()

  /** Begins another run: the engine may use one process for several. */
  begin(): void {
    this.#cancelled = new AbortController()
    this.#charges = 0
  }

  /** Ends all waits; their callers record the partial results. */
  cancel(): void {
    this.#cancelled.abort()
  }

  readonly sleep = (ms: number): Promise<void> => sleepUnlessCanceled(ms, this.#cancelled.signal)

  readonly checkpoint = (): Promise<void> => {
    if (this.#cancelled.signal.aborted) return Promise.reject(new CanceledError())
    // Nothing more is sent for an engine that is no longer there to record the result.
    if (process.ppid !== this.#parent) this.#end()
    return Promise.resolve()
  }
}
