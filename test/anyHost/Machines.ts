/**
 * The state of a host that knows the specification's text and nothing of this repository: wallet, instances, power,
 * snapshots, PTR records, host names. What the specification does not show is up to a style.
 */

export interface Plan {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly cents: number
  readonly dataCenter: string
}

export const PLANS: ReadonlyArray<Plan> = [
  { id: 1, slug: "vps-s", name: "VPS S", cents: 499, dataCenter: "North" },
  { id: 2, slug: "vps-m", name: "VPS M", cents: 999, dataCenter: "North" },
  { id: 3, slug: "vps-l", name: "VPS L", cents: 1999, dataCenter: "North" },
  { id: 4, slug: "far-s", name: "Far S", cents: 499, dataCenter: "South" }
]

export const IMAGES = [
  { slug: "debian-12", label: "Debian", version: "12", os_id: 11 },
  { slug: "debian-13", label: "Debian", version: "13", os_id: 12 },
  { slug: "alma-9", label: "AlmaLinux", version: "9", os_id: 13 }
]

export const ISOS = [{ id: 1, title: "rescue" }, { id: 2, title: "installer" }]

/** The operations that take time, by what the style's words describe. */
export type Operation =
  | "deploy"
  | "start"
  | "stop"
  | "restart"
  | "reinstall"
  | "resize"
  | "snapshot"
  | "delete_snapshot"
  | "restore"
  | "rescue_enter"
  | "rescue_exit"
  | "mount"
  | "unmount"

export interface Snapshot {
  readonly id: number
  readonly name: string
  readonly takenAt: number
}

interface Work {
  readonly operation: Operation
  readonly doneAt: number
  readonly finish: () => void
}

/** One finished or running operation, for tests that count them. */
export interface Deed {
  readonly operation: Operation | "hostname" | "rdns" | "reset_password"
  readonly instance: number
}

export interface Machine {
  readonly id: number
  readonly userId: number
  readonly orderId: number
  readonly boughtAt: number
  readonly charged: number
  readonly ordered: Readonly<Record<string, unknown>>
  plan: Plan
  expiresAt: number
  hostname: string | undefined
  os: string
  deployed: boolean
  on: boolean
  rescue: boolean
  iso: number | undefined
  work: Work | undefined
  readonly snapshots: Array<Snapshot>
}

export interface Account {
  readonly id: number
  /** All of them may do everything. */
  readonly keys: Array<string>
  readonly email: string
  cents: number
}

/** An answer with this status and `detail`. */
export class Refusal extends Error {
  readonly status: number
  readonly detail: unknown
  constructor(status: number, detail: unknown) {
    super(typeof detail === "string" ? detail : JSON.stringify(detail))
    this.status = status
    this.detail = detail
  }
}

const DAY = 86_400_000
const PERIOD = 30 * DAY
const SNAPSHOTS_MAX = 3

/** The header and the path of a request name these. */
export interface Order {
  readonly service_id: number
  readonly hostname?: string | null
  readonly os?: string | null
  readonly coupon_code?: string | null
}

export class Machines {
  readonly accounts: Array<Account> = []
  readonly all = new Map<number, Machine>()
  readonly records = new Map<string, string>()
  readonly deeds: Array<Deed> = []
  /** ms; each operation takes this long, a deployment `deployMs`. */
  workMs = 100
  deployMs = 100
  readonly #now: () => number
  #ahead = 0
  #next = 1
  readonly #keys = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
    this.reset()
  }

  /** As new: one account with 1000 in its wallet. */
  reset(): void {
    this.accounts.splice(0)
    this.all.clear()
    this.records.clear()
    this.deeds.splice(0)
    this.#keys.clear()
    this.#next = 1
    this.#ahead = 0
    this.open("owner@example.test", 100_000)
  }

  open(email: string, cents: number): Account {
    const id = 70 + this.accounts.length
    const account = { id, keys: [`key-${id}-${email.length}`], email, cents }
    this.accounts.push(account)
    return account
  }

  /** Another key of the first account. */
  addKey(): string {
    const { id, keys } = this.accounts[0]!
    const key = `key-${id}-next-${keys.length}`
    keys.push(key)
    return key
  }

  get now(): number {
    return this.#now() + this.#ahead
  }

  advance(ms: number): void {
    this.#ahead += ms
  }

  /** The instances of an account, with what has ended by now. */
  owned({ id }: Account): ReadonlyArray<Machine> {
    return [...this.all.values()].filter(({ userId }) => userId === id).map((machine) => this.#settled(machine))
  }

  find(account: Account, id: number): Machine {
    const machine = this.owned(account).find((one) => one.id === id)
    if (machine === undefined) throw new Refusal(404, "No such instance.")
    return machine
  }

  #settled(machine: Machine): Machine {
    const { work } = machine
    if (work !== undefined && work.doneAt <= this.now) {
      machine.work = undefined
      work.finish()
    }
    return machine
  }

  /** The price of an order in cents; refuses what cannot be bought. */
  price({ coupon_code, os, service_id }: Order): { readonly plan: Plan; readonly cents: number; readonly off: number } {
    const plan = PLANS.find(({ id }) => id === service_id)
    if (plan === undefined) throw new Refusal(404, "The plan does not exist or is inactive.")
    if (typeof os === "string" && IMAGES.every(({ slug }) => slug !== os)) {
      throw new Refusal(422, [{ loc: ["body", "os"], msg: "not an image of this plan", type: "value_error" }])
    }
    const off = coupon_code === "WELCOME10" ? Math.round(plan.cents / 10) : 0
    return { plan, cents: plan.cents - off, off }
  }

  /** An idempotency key is the API key's own. */
  buy(account: Account, apiKey: string, order: Order, key: string | undefined): Machine {
    const scoped = key === undefined ? undefined : `${apiKey} ${key}`
    const before = scoped === undefined ? undefined : this.#keys.get(scoped)
    if (before !== undefined) return this.#settled(this.all.get(before)!)
    const { cents, plan } = this.price(order)
    if (cents > account.cents) throw new Refusal(402, "The wallet balance is too low.")
    account.cents -= cents
    const id = this.#next++
    const machine: Machine = {
      id,
      userId: account.id,
      orderId: 500 + id,
      boughtAt: this.now,
      charged: cents,
      ordered: { ...order },
      plan,
      expiresAt: this.now + PERIOD,
      hostname: order.hostname ?? undefined,
      os: order.os ?? "debian-12",
      deployed: false,
      on: false,
      rescue: false,
      iso: undefined,
      work: undefined,
      snapshots: []
    }
    this.all.set(id, machine)
    if (scoped !== undefined) this.#keys.set(scoped, id)
    this.#begin(machine, "deploy", this.deployMs, () => {
      machine.deployed = true
      machine.on = true
    })
    return this.#settled(machine)
  }

  #begin(machine: Machine, operation: Operation, ms: number, finish: () => void): void {
    this.deeds.push({ operation, instance: machine.id })
    machine.work = { operation, doneAt: this.now + ms, finish }
  }

  /** One operation at a time. */
  #idle(machine: Machine): void {
    if (machine.work !== undefined) throw new Refusal(409, "The server is busy with another task. Retry shortly.")
  }

  run(machine: Machine, operation: Operation, finish: () => void): void {
    this.#idle(machine)
    this.#begin(machine, operation, this.workMs, finish)
  }

  /** At once. */
  note(machine: Machine, operation: "hostname" | "rdns" | "reset_password"): void {
    this.#idle(machine)
    this.deeds.push({ operation, instance: machine.id })
  }

  /** In cents: the difference of the prices for the rest of the period. */
  proration({ expiresAt, plan }: Machine, to: Plan): number {
    const rest = Math.max(0, Math.min(1, (expiresAt - this.now) / PERIOD))
    return Math.max(0, Math.round((to.cents - plan.cents) * rest))
  }

  resize(account: Account, machine: Machine, serviceId: number): number {
    const to = PLANS.find(({ id }) => id === serviceId)
    if (to === undefined || to.dataCenter !== machine.plan.dataCenter) throw new Refusal(404, "No such plan here.")
    this.#idle(machine)
    if (to.id === machine.plan.id) throw new Refusal(409, "This is the current plan.")
    const cents = this.proration(machine, to)
    if (cents > account.cents) throw new Refusal(402, "The wallet balance is too low.")
    account.cents -= cents
    this.run(machine, "resize", () => {
      machine.plan = to
    })
    return cents
  }

  snapshot(machine: Machine, name: string): Snapshot {
    this.#idle(machine)
    if (machine.snapshots.length >= SNAPSHOTS_MAX) throw new Refusal(409, "The snapshot quota is reached.")
    const snapshot = { id: this.#next++, name, takenAt: this.now }
    this.run(machine, "snapshot", () => {
      machine.snapshots.push(snapshot)
    })
    return snapshot
  }
}
