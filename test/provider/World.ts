/** A service in memory with its own clock, behind the provider's ports: the lifecycle without host or network. */
import { type CreateInstance, type Instance } from "#contract/Instance"
import { readSettings, type SettingName } from "#provider/Config"
import { keyDigest } from "#provider/instance/PurchaseKey"
import type { Api, Host } from "#provider/Ports"
import { Session } from "#provider/Session"

/** An error of the API as the SDK throws it. */
export const apiError = (status: number, detail: string, more: Record<string, unknown> = {}): Error =>
  Object.assign(new Error(`${status}: ${detail}`), { status, detail, ...more })

/** A request that got no answer. */
export const noAnswer = (): Error => Object.assign(new Error("socket hang up"), { _tag: "ConnectionError" })

const PRICES: Readonly<Record<number, readonly [name: string, price: number]>> = {
  1: ["vps-s", 4.99],
  2: ["vps-m", 9.99],
  3: ["vps-l", 19.99]
}

/** ms after the purchase. */
export const DEPLOY_TIME = 60_000
const START = Date.parse("2026-03-01T12:00:00.000Z")

interface Bought {
  readonly id: number
  readonly at: number
  readonly body: CreateInstance
  readonly key: string | undefined
  serviceId: number
  hostname: string | undefined
  status: string | undefined
}

export class World {
  now = START
  account = 1
  wallet = 100
  /** Whether the host shows what was ordered and what is installed. */
  shows = true
  readonly calls: Array<string> = []
  readonly lines: Array<string> = []
  readonly rdns = new Map<string, string>()
  readonly #bought: Array<Bought> = []
  readonly #faults: Array<{ operation: string; error: Error; after: boolean }> = []

  /** The next call of the operation fails: instead of the work, or after it. */
  fail(operation: keyof Api, error: Error, after = false): void {
    this.#faults.push({ operation, error, after })
  }

  /** Something happens to a server from outside. */
  change(id: number, what: Partial<Pick<Bought, "serviceId" | "hostname" | "status">>): void {
    Object.assign(this.#find(id), what)
  }

  count(call: string): number {
    return this.calls.filter((one) => one.startsWith(call)).length
  }

  said(text: string): boolean {
    return this.lines.some((line) => line.includes(text))
  }

  /** A new process of the provider. */
  session(configured: Partial<Record<SettingName, string>> = {}, environment: Record<string, string> = {}): Session {
    return new Session(this.api, readSettings((name) => configured[name], environment), this.host)
  }

  readonly host: Host = {
    info: (message) => void this.lines.push(`info ${message}`),
    warn: (message) => void this.lines.push(`warning ${message}`),
    progress: (message) => void this.lines.push(`progress ${message}`),
    now: () => this.now,
    sleep: async (ms) => {
      await new Promise((resolve) => setImmediate(resolve))
      this.now += ms
    },
    checkpoint: () => Promise.resolve()
  }

  readonly api: Api = {
    whoami: () => this.#do("whoami", () => ({ account_id: this.account, email: `owner-${this.account}@example.test` })),
    list: () =>
      this.#do("list", () => this.#bought.filter((one) => one.status !== "deleted").map((one) => this.#show(one))),
    get: (id) => this.#do("get", () => this.#show(this.#find(id)), String(id)),
    create: (body, key) =>
      this.#do("create", () => {
        const earlier = this.#bought.find((one) => one.key === key)
        if (earlier !== undefined) {
          return { instance: this.#show(earlier), replayed: true, mismatch: mismatch(earlier, body) }
        }
        return { instance: this.#show(this.buy(body, key)), replayed: false, mismatch: [] }
      }, JSON.stringify(body)),
    dryRun: (body, key) =>
      this.#do("dryRun", () => {
        const owned = key !== undefined && this.#bought.some((one) => one.key === key)
        const [plan_name, price] = PRICES[body.service_id] ?? []
        if (plan_name === undefined || price === undefined) throw apiError(404, `no plan ${body.service_id}`)
        const sufficient = owned || this.wallet >= price
        return {
          dry_run: true,
          would_create: sufficient && !owned,
          service_id: body.service_id,
          plan_name,
          billing_cycle: "monthly",
          charge_amount: owned ? 0 : price,
          discount_amount: 0,
          currency: "EUR",
          wallet_balance: this.wallet,
          sufficient_funds: sufficient
        }
      }, `${body.service_id}${key === undefined ? "" : " own key"}`),
    hostname: (id, hostname) => this.#do("hostname", () => this.change(id, { hostname }), `${id} ${hostname}`),
    rdns: (id, ip, ptr) => this.#do("rdns", () => void this.rdns.set(ip, ptr), `${id} ${ip} ${ptr}`),
    start: (id) => this.#do("start", () => this.change(id, { status: "running" }), String(id)),
    stop: (id) => this.#do("stop", () => this.change(id, { status: "stopped" }), String(id))
  }

  /** A purchase from elsewhere, or by an earlier run. */
  buy(body: CreateInstance, key?: string): Bought {
    const price = PRICES[body.service_id]?.[1] ?? 0
    if (this.wallet < price) throw apiError(402, `the wallet holds ${this.wallet}`)
    this.wallet -= price
    const id = this.#bought.length + 1
    const bought: Bought = {
      id,
      at: this.now,
      body,
      key,
      serviceId: body.service_id,
      hostname: body.hostname ?? undefined,
      status: undefined
    }
    this.#bought.push(bought)
    return bought
  }

  async #do<A>(operation: keyof Api, work: () => A, detail = ""): Promise<A> {
    this.calls.push(`${operation} ${detail}`.trim())
    await Promise.resolve()
    const index = this.#faults.findIndex((one) => one.operation === operation)
    const fault = index < 0 ? undefined : this.#faults.splice(index, 1)[0]
    if (fault !== undefined && !fault.after) throw fault.error
    const result = work()
    if (fault !== undefined) throw fault.error
    return result
  }

  #find(id: number): Bought {
    const found = this.#bought.find((one) => one.id === id && one.status !== "deleted")
    if (found === undefined || this.account !== 1) throw apiError(404, `no instance ${id}`)
    return found
  }

  #show(one: Bought): Instance {
    const deployed = this.now - one.at >= DEPLOY_TIME && one.status !== "failed"
    const at = new Date(one.at).toISOString()
    const [name = "unknown", price = 0] = PRICES[one.serviceId] ?? []
    const os = one.body.os ?? "debian-12"
    const config = {
      hostname: one.body.hostname ?? null,
      os,
      ssh_key_fingerprint: null,
      idempotency_key_sha256: one.key === undefined ? null : keyDigest(one.key)
    }
    return {
      id: one.id,
      user_id: 1,
      order_id: one.id,
      status: one.status ?? (deployed ? "running" : "provisioning"),
      provider_id: deployed ? `machine-${one.id}` : null,
      ipv4: deployed ? `203.0.113.${one.id}` : null,
      provider_data: deployed && this.shows ? JSON.stringify({ hostname: one.hostname ?? null, os }) : null,
      auto_renew: true,
      expires_at: "2026-04-01T12:00:00.000Z",
      created_at: at,
      order: {
        id: one.id,
        user_id: 1,
        service_id: one.serviceId,
        status: "paid",
        config: this.shows ? JSON.stringify(config) : null,
        created_at: at,
        paid_at: at,
        service: service(one.serviceId, name, price, at)
      }
    }
  }
}

const service = (id: number, name: string, price: number, created_at: string): Instance["order"]["service"] => ({
  id,
  name,
  slug: name,
  description: null,
  price,
  billing_cycle: "monthly",
  category: "vps",
  specs: null,
  is_active: true,
  out_of_stock: false,
  auto_deploy: true,
  created_at
})

const mismatch = (earlier: Bought, body: CreateInstance): ReadonlyArray<string> =>
  (["service_id", "hostname", "os", "ssh_pubkey", "root_password"] as const)
    .filter((field) => (earlier.body[field] ?? null) !== (body[field] ?? null))
