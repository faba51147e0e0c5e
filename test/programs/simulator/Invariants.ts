/** The invariants after every step, despite any failure: read from the database itself, past the service. */
import type { Treatment } from "#service/contract/Words"
import { price as priceFor } from "#service/domain/Vat"
import { announced } from "#service/operations/Renew"
import { EARLY_MILLIS } from "./ClockJumps.ts"
import type { Store } from "./Storage.ts"
import { must, type ReferenceModel } from "./ReferenceModel.ts"
import type { Upstream } from "./Upstream.ts"
import { DEFAULT_LIMITS } from "../../support/limits.ts"

/** Journals of a reference, and of any that only adds to it: a second one would need a name of its own. */
const journalsOf = (reference: string): string =>
  `(SELECT count(*) FROM journals j WHERE j.reference = ${reference})
   + (SELECT count(*) FROM journals j WHERE j.reference >= ${reference} || ':' AND j.reference < ${reference} || ';')`

/** Charges and refunds that were made of each order, beside what it cost. */
const ORDERS = `SELECT o.id, o.charge, o.status, ${journalsOf("'instance_create:order:' || o.id")},
    ${
  journalsOf("'refund:order:' || o.id")
}, (SELECT group_concat(CASE WHEN i.expires_at IS NULL THEN 'failed' ELSE i.lifecycle END) FROM instances i
    WHERE i.order_id = o.id)
  FROM orders o WHERE o.id >= ?`

/** More than one refund for a resize, or one without the charge. */
const RESIZES = `SELECT r.reference FROM journals r WHERE r.reference LIKE 'refund:resize:%' AND NOT EXISTS
  (SELECT 1 FROM journals p WHERE 'refund:resize:' || substr(p.reference, 17) = r.reference)`

/** Failed resizes without a refund, and successful ones with one. */
const KEPT = `SELECT 'task ' || t.id FROM tasks t JOIN journals p ON p.reference = 'instance_resize:task:' || t.id
  WHERE t.type = 'resize' AND (t.status = 'failed') <>
    EXISTS (SELECT 1 FROM journals r WHERE r.reference = 'refund:resize:task:' || t.id)`

/** Instances that have another plan than the last resize gave them, or than they were bought with. */
const UNPAID_PLANS = `SELECT 'instance ' || i.id FROM instances i JOIN orders o ON o.id = i.order_id
  WHERE o.plan_id <> coalesce(
    (SELECT json_extract(t.params, '$.plan_id') FROM tasks t WHERE t.instance_id = i.id AND t.type = 'resize'
       AND t.status = 'succeeded' AND t.purpose = 'request' ORDER BY t.id DESC LIMIT 1),
    json_extract(o.config, '$.service_id'))`

/** Coupons that count other uses than there are, and redemptions that did not go back with the money, or without it. */
const COUPONS = `SELECT 'coupon ' || c.code FROM coupons c WHERE c.uses <>
    (SELECT count(*) FROM coupon_redemptions r WHERE r.coupon_id = c.id AND r.released_at IS NULL)
  UNION ALL SELECT 'order ' || r.order_id FROM coupon_redemptions r JOIN orders o ON o.id = r.order_id
    WHERE (r.released_at IS NULL) <> (o.status = 'paid')`

const MISCOUNTED = `SELECT 'instance ' || id FROM instances
  WHERE task_count <> (SELECT count(*) FROM tasks t WHERE t.instance_id = instances.id)`

/** Instances that ended before the end of their paid period, unless an operator terminated them. */
const ENDED_EARLY = `SELECT 'instance ' || id || ', paid until ' || datetime(expires_at / 1000, 'unixepoch')
  FROM instances WHERE lifecycle IN ('expired', 'deleted') AND expires_at > ?
    AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.instance_id = instances.id AND t.type = 'terminate'
      AND t.actor = 'admin')`

/** Renewals of instances whose termination had begun. */
const CHARGED_LATE =
  `SELECT j.reference FROM journals j WHERE j.kind = 'instance_renew' AND EXISTS (SELECT 1 FROM tasks t
  WHERE t.instance_id = j.instance_id AND t.type = 'terminate' AND t.created_at < j.created_at)`

/** Charges of resizes for time after the paid period, which was taken back. */
const UNPAID_RESIZES = `SELECT p.reference FROM journals p JOIN instances i ON i.id = p.instance_id
  WHERE p.kind = 'instance_resize' AND json_extract(p.explanation, '$.from') >= i.expires_at
    AND NOT EXISTS (SELECT 1 FROM journals r WHERE r.reverses = p.id)`

/** Expired instances that an operator terminates end at once. */
const IN_GRACE = `SELECT id FROM instances WHERE lifecycle = 'expired' AND terminate_at IS NULL`

const TERMINATED_BY_GRACE = `SELECT instance_id FROM tasks t WHERE t.type = 'terminate' AND t.actor = 'system'
  AND NOT EXISTS (SELECT 1 FROM tasks o WHERE o.instance_id = t.instance_id AND o.type = 'terminate'
    AND o.actor = 'admin')`

const CLOSED = "SELECT 'account ' || id FROM accounts WHERE closed_at IS NOT NULL AND wallet <> 0"

const ANNOUNCED = `SELECT id, sold_id, next_price || ' from ' || next_price_from FROM orders
  WHERE next_price IS NOT NULL`

const PRICES = "SELECT id, plan_id, price, coalesce(next_price, price) FROM orders"

/** Expired instances that are renewed as soon as the wallet pays for them, with what that costs. */
const RENEWABLE = `SELECT i.id, a.wallet, o.price, o.next_price, o.next_price_from, i.expires_at, a.vat_treatment,
    a.vat_rate
  FROM instances i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = i.account_id
  WHERE i.lifecycle = 'expired' AND i.auto_renew = 1 AND i.terminate_at IS NULL AND i.grace_until > ?
    AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.instance_id = i.id AND t.finished_at IS NULL)`

const OPEN = "finished_at IS NULL"
const TWO_OPEN = `SELECT instance_id FROM tasks WHERE ${OPEN} GROUP BY instance_id HAVING count(*) > 1`
/** Open tasks that are never claimed again, or that have ended without a time. */
const LOST = `SELECT id FROM tasks WHERE ${OPEN} AND (status NOT IN ('queued', 'running')
  OR (status = 'queued' AND run_at IS NULL AND type <> 'provision') OR (status = 'running' AND lease_until IS NULL))`

/** A wrong clock of less than this, in milliseconds, may go unnoticed at both the beginning and the end of a grace. */
const GRACE_EARLY_MILLIS = 2 * EARLY_MILLIS

/** Orders that were made before this many are looked at only now and then: they change seldom. */
const RECENT = 8
/** Every so many looks, everything is looked at. */
const THOROUGH = 64

type RenewableRow = readonly [
  id: number,
  wallet: number,
  price: number,
  nextPrice: number | null,
  nextPriceFrom: number | null,
  expiresAt: number,
  treatment: Treatment,
  rate: number
]

type OrderRow = [id: number, charge: number, status: string, charges: number, refunds: number, lifecycles: string]

export class Invariants {
  readonly #model: ReferenceModel
  readonly #upstream: Upstream
  readonly #store: Store
  readonly #ask: ReturnType<typeof prepare>
  readonly #balances = new Map<string, number>()
  /** The earliest end of the grace of each expired instance, by id. */
  readonly #graces = new Map<number, number>()
  #announced = new Map<number, readonly [soldId: number, price: string]>()
  #journal = 0
  #renewal = 0
  readonly #now: () => number
  #changes = -1
  looks = 0
  /** The database is being replaced. */
  isPaused = false

  /** `now` is the right time. */
  constructor(store: Store, upstream: Upstream, model: ReferenceModel, now: () => number) {
    this.#now = now
    this.#store = store
    this.#upstream = upstream
    this.#model = model
    this.#ask = prepare(store)
  }

  /** As of now, for `restore`. */
  save(): ReadonlyMap<number, number> {
    return new Map(this.#graces)
  }

  /** The database is as it was when these were saved: all of it is looked at again. */
  restore(graces: ReadonlyMap<number, number>): void {
    this.#graces.clear()
    for (const [id, end] of graces) this.#graces.set(id, end)
    this.#balances.clear()
    this.#announced.clear()
    this.#journal = 0
    this.#renewal = 0
    this.#changes = -1
    this.isPaused = false
  }

  /** Checks everything that may have changed since the last check. */
  check(): void {
    const { doubled, violation } = this.#upstream
    if (violation !== undefined) throw violation
    must(doubled.size === 0, "one server per instance", () => `a second one for ${[...doubled].join(", ")}`)
    if (this.isPaused || this.#store.database.connection.isTransaction) return
    const changes = this.#ask.changes()![0]
    if (changes === this.#changes) return
    this.#changes = changes
    this.look(this.looks % THOROUGH === 0)
  }

  look(thorough: boolean): void {
    this.looks++
    this.#books()
    this.#premature()
    this.#grace()
    this.#orders(thorough)
    this.#tasks()
    this.#announcements()
    this.#renewed()
    this.#none(this.#ask.closed(), "a closed account is empty")
    if (!thorough) return
    this.#acknowledged()
    this.#prices()
    this.#none(this.#ask.chargedLate(), "nothing is charged once a termination has begun")
    this.#none(this.#ask.unpaidResizes(), "no resize is paid beyond the paid period")
  }

  /** A wrong clock takes no money and no instance. */
  #premature(): void {
    const moment = this.#now() + EARLY_MILLIS
    for (const [id, reference] of this.#ask.renewals(this.#renewal)) {
      this.#renewal = id
      const start = reference.split(":").slice(3, 6).join(":")
      must(Date.parse(start) <= moment, "no period is charged before it begins", () => reference)
    }
    this.#none(this.#ask.endedEarly(moment), "no instance ends before its period")
  }

  /** The whole service is off from now until then, and no owner can pay. */
  switchedOff(until: number): void {
    const length = until - this.#now()
    for (const [id, end] of this.#graces) this.#graces.set(id, end + length)
  }

  #grace(): void {
    const ended = new Set(this.#ask.terminatedByGrace().map(([id]) => id))
    const now = this.#now()
    for (const [id, end] of this.#graces) {
      const isEarly = ended.has(id) && now < end - GRACE_EARLY_MILLIS
      must(!isEarly, "no grace ends early", () => `instance ${id}, ${end - now} ms before its end`)
    }
    const before = new Map(this.#graces)
    this.#graces.clear()
    for (const [id] of this.#ask.inGrace()) {
      this.#graces.set(id, before.get(id) ?? now + DEFAULT_LIMITS.EXPIRY_GRACE_MILLIS)
    }
  }

  /** The ledger is append-only, so what was summed up once stays summed up. */
  #books(): void {
    const sums = new Map<number, number>()
    for (const [journal, account, amount] of this.#ask.entries(this.#journal)) {
      sums.set(journal, (sums.get(journal) ?? 0) + amount)
      this.#balances.set(account, (this.#balances.get(account) ?? 0) + amount)
      this.#journal = Math.max(this.#journal, journal)
    }
    for (const [journal, sum] of sums) must(sum === 0, "journals sum to zero", () => `journal ${journal}: ${sum}`)
    for (const [id, wallet] of this.#ask.wallets()) {
      const booked = this.#balances.get(`wallet:${id}`) ?? 0
      must(wallet === booked, "wallets equal the ledger", () => `account ${id} has ${wallet}, booked are ${booked}`)
      must(wallet >= 0, "wallets are never negative", () => `account ${id} has ${wallet}`)
    }
  }

  #orders(thorough: boolean): void {
    const newest = this.#ask.newestOrder()![0] ?? 0
    for (const row of this.#ask.orders(thorough ? 0 : newest - RECENT)) checkOrder(row)
    if (!thorough) return
    this.#none(this.#ask.resizes(), "a resize is refunded once, and only if it was paid")
    this.#none(this.#ask.kept(), "a resize is paid unless it fails")
    this.#none(this.#ask.plans(), "a plan is what was last paid for")
    this.#none(this.#ask.coupons(), "a coupon goes back with the money")
    this.#none(this.#ask.miscounted(), "the count of an instance's tasks is exact")
  }

  /** An owner was promised the first announcement, until it applies or a resize ends it. */
  #announcements(): void {
    const before = this.#announced
    this.#announced = new Map()
    for (const [id, soldId, price] of this.#ask.announced()) {
      const [plan, promised] = before.get(id) ?? [soldId, price]
      must(
        plan !== soldId || promised === price,
        "an announced price stays",
        () => `order ${id}: ${promised}, ${price}`
      )
      this.#announced.set(id, [soldId, price])
    }
  }

  /** However money came into the wallet: by a payment, a refund, or a failed order. */
  #renewed(): void {
    for (
      const [id, wallet, price, nextPrice, nextPriceFrom, expiresAt, treatment, rate] of this.#ask.renewable(
        this.#now()
      )
    ) {
      const next = announced({ expiresAt, nextPrice, nextPriceFrom }) ?? price
      const { charge } = priceFor(next, { treatment, rate })
      must(wallet < charge, "what the wallet pays for is renewed", () => `instance ${id} for ${charge} of ${wallet}`)
    }
  }

  #prices(): void {
    for (const [id, planId, ...prices] of this.#ask.prices()) {
      const known = this.#model.prices.get(planId)
      must(
        prices.every((price) => known?.has(price) === true),
        "a price is one of the order's plan",
        () => `order ${id} of plan ${planId} has ${prices.join(", then ")}`
      )
    }
  }

  #none(found: ReadonlyArray<readonly [string]>, invariant: string): void {
    must(found.length === 0, invariant, () => found.join(", "))
  }

  #tasks(): void {
    const two = this.#ask.twoOpen()
    must(two.length === 0, "one open task per instance", () => `instances ${two.join(", ")}`)
    const lost = this.#ask.lost()
    must(lost.length === 0, "no task is lost", () => `tasks ${lost.join(", ")}`)
  }

  /** An instance that is not found may have been bought, and deleted since. */
  missing(id: number): void {
    const lifecycle = this.#ask.lifecycle(id)?.[0]
    must(
      lifecycle === "deleted" || this.#model.missing.has(id),
      "what was bought can be read",
      () => `instance ${id} is ${lifecycle}, and a 404`
    )
  }

  isFailed(id: number): boolean {
    return this.#ask.lifecycle(id)?.[0] === "failed"
  }

  /** Its key is free again some time later. */
  isOver(id: number): boolean {
    return this.isFailed(id) || this.#ask.lifecycle(id)?.[0] === "deleted"
  }

  /** Deployments wait for an operator. */
  get isHeld(): boolean {
    return this.#ask.hold() !== undefined
  }

  /** Open tasks in any state. */
  get open(): number {
    return this.#ask.open()![0]
  }

  /** The promised instances exist. */
  #acknowledged(): void {
    for (const id of this.#model.instances) {
      must(this.#ask.instance(id) !== undefined, "what a 201 named is there", () => `instance ${id}`)
    }
    for (const id of this.#model.tasks) {
      // The feed forgets tasks half a year after their end.
      const status = this.#ask.task(id)?.[0]
      must(status !== undefined, "no task is lost", () => `task ${id} was acknowledged`)
      if (status !== "queued" && status !== "running") this.#model.tasks.delete(id)
    }
    for (const reference of this.#model.payments) {
      must(this.#ask.journal(reference) !== undefined, "what was paid is booked", () => reference)
      this.#model.payments.delete(reference)
    }
  }
}

const checkOrder = ([id, charge, status, charges, refunds, lifecycle]: OrderRow): void => {
  const due = charge > 0 ? 1 : 0
  must(charges === due, "a paid order has one charge", () => `order ${id} of ${charge} has ${charges}`)
  must(
    (status === "refunded") === (lifecycle === "failed"),
    "only what failed is refunded, and all of it",
    () => `order ${id} is ${status}, its instance is ${lifecycle}`
  )
  const back = status === "refunded" ? due : 0
  must(refunds === back, "refunds happen once", () => `order ${id} is ${status} and has ${refunds}`)
}

const prepare = ({ database: { all, one } }: Store) => ({
  changes: one<[number]>("SELECT total_changes()"),
  entries: all<[number, string, number]>(
    "SELECT journal_id, account, amount FROM entries WHERE journal_id > ? ORDER BY journal_id"
  ),
  renewals: all<[id: number, reference: string]>(
    "SELECT id, reference FROM journals WHERE id > ? AND kind = 'instance_renew' ORDER BY id"
  ),
  endedEarly: all<[string]>(ENDED_EARLY),
  wallets: all<[number, number]>("SELECT id, wallet FROM accounts"),
  newestOrder: one<[number | null]>("SELECT max(id) FROM orders"),
  orders: all<OrderRow>(ORDERS),
  resizes: all<[string]>(RESIZES),
  kept: all<[string]>(KEPT),
  plans: all<[string]>(UNPAID_PLANS),
  coupons: all<[string]>(COUPONS),
  miscounted: all<[string]>(MISCOUNTED),
  chargedLate: all<[string]>(CHARGED_LATE),
  unpaidResizes: all<[string]>(UNPAID_RESIZES),
  inGrace: all<[number]>(IN_GRACE),
  terminatedByGrace: all<[number]>(TERMINATED_BY_GRACE),
  closed: all<[string]>(CLOSED),
  renewable: all<RenewableRow>(RENEWABLE),
  announced: all<[id: number, soldId: number, price: string]>(ANNOUNCED),
  prices: all<[id: number, planId: number, price: number, next: number]>(PRICES),
  twoOpen: all<[number]>(TWO_OPEN),
  lost: all<[number]>(LOST),
  instance: one<[number]>("SELECT id FROM instances WHERE id = ?"),
  lifecycle: one<[string]>("SELECT lifecycle FROM instances WHERE id = ?"),
  hold: one<[number]>("SELECT id FROM deployment_hold"),
  open: one<[number]>(`SELECT count(*) FROM tasks WHERE ${OPEN}`),
  task: one<[string]>("SELECT status FROM tasks WHERE id = ?"),
  journal: one<[number]>("SELECT id FROM journals WHERE reference = ?")
})
