/** Failures of calls, as the SDK reports them, and the death of the process that calls. */
import type { Api } from "#provider/api/Api"

/** An error of the API as the SDK throws it. */
export const apiError = (status: number, detail: string, more: Record<string, unknown> = {}): Error =>
  Object.assign(new Error(`${status}: ${detail}`), { status, detail, ...more })

export const notFound = (id: number): Error => apiError(404, `no instance ${id}`)

/** A request that got no answer. */
export const noAnswer = (): Error => Object.assign(new Error("socket hang up"), { _tag: "ConnectionError" })

interface Fault {
  readonly operation: keyof Api
  readonly error: Error
  /** The work is done before it fails. */
  readonly after: boolean
}

export class Faults {
  readonly #planned: Array<Fault> = []
  /** -1: dead. */
  #callsLeft: number | undefined

  /** The next call of the operation fails: instead of the work, or after it. */
  fail(operation: keyof Api, error: Error, after = false): void {
    this.#planned.push({ operation, error, after })
  }

  /** The process dies in place of its `count`th call from now on: nothing is sent from then on. */
  killAt(count: number): void {
    this.#callsLeft = count - 1
  }

  get isKilled(): boolean {
    return this.#callsLeft === -1
  }

  /** Another process begins; true if the one before was killed. */
  revive(): boolean {
    const killed = this.isKilled
    this.#callsLeft = undefined
    return killed
  }

  /** Counts a call. */
  isDead(): boolean {
    if (this.#callsLeft === undefined) return false
    if (this.#callsLeft > 0) return this.#callsLeft-- < 0
    this.#callsLeft = -1
    return true
  }

  async around<A>(operation: keyof Api, work: () => Promise<A>): Promise<A> {
    const index = this.#planned.findIndex((one) => one.operation === operation)
    const fault = index < 0 ? undefined : this.#planned.splice(index, 1)[0]
    if (fault !== undefined && !fault.after) throw fault.error
    const result = await work()
    if (fault !== undefined) throw fault.error
    return result
  }
}
