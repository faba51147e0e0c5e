/** The responses to customers, and the facts that must hold from then on. */
import type { SimulatedRequest, SimulatedResponse } from "./Network.ts"

/** Something is not as it must be. */
export class Violation extends Error {
  readonly invariant: string
  readonly detail: string
  constructor(invariant: string, detail: string) {
    super(`${invariant}: ${detail}`)
    this.invariant = invariant
    this.detail = detail
  }
}

/** Refuses what is not so. */
export const must = (holds: boolean, invariant: string, detail: () => string): void => {
  if (!holds) throw new Violation(invariant, detail())
}

/** Milliseconds that a revoked key may still work: positive look-ups are cached for this time. */
const REVOCATION_MILLIS = 2_000

/** The statuses that the contract allows for any endpoint. A 500 is always a bug. */
const LEGAL: ReadonlySet<number> = new Set([0, 200, 201, 400, 401, 402, 403, 404, 409, 422, 429, 502, 503, 504])

/** A payment of an account, in minor units. */
export interface Payment {
  readonly accountId: number
  readonly amount: number
}

/** Empties a collection, and fills it as another one. */
const become = <A>(set: Set<A>, from: ReadonlySet<A>): void => {
  set.clear()
  for (const each of from) set.add(each)
}

export class ReferenceModel {
  /** The purchases, by API key and idempotency key. */
  readonly bought = new Map<string, number>()
  /** Instances that a 201 named. */
  readonly instances = new Set<number>()
  /** Tasks from responses whose end was not yet observed. */
  readonly tasks = new Set<number>()
  /** Payments that were acknowledged. */
  readonly payments = new Set<string>()
  /** The time at which a token was known to be revoked. */
  readonly revoked = new Map<string, number>()
  /** The payments that were ever acknowledged: they are entered again after a restore. */
  readonly paid = new Map<string, Payment>()
  /** Ids of instances that a restore by the command has taken back: they are never assigned again. */
  readonly #lost = new Set<number>()
  /** Ids of instances that any restore has taken back. */
  readonly missing = new Set<number>()
  /** The prices that an order of a plan may have, in minor units, by the plan's id. */
  readonly prices = new Map<number, Set<number>>()
  answers = 0
  /** True if an instance was never deployed: its key buys again a day later. */
  isFailed: (id: number) => boolean = () => false

  /** A price that an operator has announced, or the catalogue's. */
  announce(planId: number, price: number): void {
    const prices = this.prices.get(planId) ?? new Set()
    this.prices.set(planId, prices.add(price))
  }

  acknowledge(reference: string, payment: Payment): void {
    this.payments.add(reference)
    this.paid.set(reference, payment)
  }

  /** As of now, for `restore`. */
  save() {
    return {
      bought: new Map(this.bought),
      instances: new Set(this.instances),
      tasks: new Set(this.tasks),
      payments: new Set(this.payments),
      paid: new Set(this.paid.keys()),
      revoked: new Map(this.revoked)
    }
  }

  /** The service has been set back to an earlier state, and lacks these instances. */
  restore(saved: ReturnType<ReferenceModel["save"]>, lost: ReadonlySet<number>, byHand: boolean): void {
    for (const map of ["bought", "revoked"] as const) {
      this[map].clear()
      for (const [key, value] of saved[map]) (this[map] as Map<string, number>).set(key, value)
    }
    become(this.instances, saved.instances)
    become(this.tasks, saved.tasks)
    become(this.payments, saved.payments)
    for (const id of lost) {
      this.missing.add(id)
      if (!byHand) this.#lost.add(id)
    }
  }

  /** The payments that a restored state lacks. */
  unpaid({ paid }: ReturnType<ReferenceModel["save"]>): ReadonlyArray<readonly [reference: string, Payment]> {
    return [...this.paid].filter(([reference]) => !paid.has(reference))
  }

  answered(asked: SimulatedRequest, answer: SimulatedResponse, askedAt: number): void {
    this.answers++
    const { body, status } = answer
    const what = () => `${asked.method} ${asked.path} answered ${status} ${JSON.stringify(body)}`
    must(LEGAL.has(status), "only documented answers", what)
    const revoked = this.revoked.get(asked.token)
    if (revoked !== undefined && askedAt > revoked + REVOCATION_MILLIS) {
      must(status === 401 || status === 0 || status === 503 || status === 429, "a revoked key opens nothing", what)
    }
    if (status === 201) this.#bought(asked, body.id, what)
    if (status === 200 && typeof body?.task_id === "number") this.tasks.add(body.task_id)
  }

  #bought({ idempotencyKey, token }: SimulatedRequest, id: number, what: () => string): void {
    must(!this.#lost.has(id), "no id is sold twice", what)
    this.instances.add(id)
    if (idempotencyKey === undefined) return
    const key = `${token} ${idempotencyKey}`
    const before = this.bought.get(key) ?? id
    must(before === id || this.isFailed(before), "a key buys one instance", () => `${what()}, and ${before} before`)
    this.bought.set(key, id)
  }
}
