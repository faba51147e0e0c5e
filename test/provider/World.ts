/** A service in memory with its own clock, behind the provider's ports: the lifecycle without host or network. */
import type { Whoami } from "#contract/Account"
import { type CreateInstance, type Instance } from "#contract/Instance"
import { readSettings, type SettingName } from "#provider/Config"
import { purchaseKeyDigest } from "#provider/purchase/PurchaseKey"
import type { Api } from "#provider/api/Api"
import type { Host } from "#provider/engine/Host"
import { Session } from "#provider/session/Session"
import { priceOf, service } from "./Catalogue.ts"
import { apiError, Machine } from "./Machine.ts"
import { apiOf } from "./WorldApi.ts"

/** A request that got no answer. */
export const noAnswer = (): Error => Object.assign(new Error("socket hang up"), { _tag: "ConnectionError" })

/** ms after the purchase. */
export const DEPLOY_TIME = 60_000
const START = Date.parse("2026-03-01T12:00:00.000Z")

export interface Bought {
  readonly id: number
  readonly at: number
  readonly body: CreateInstance
  readonly key: string | undefined
  serviceId: number
  hostname: string | undefined
  status: string | undefined
  autoRenew: boolean
  readonly machine: Machine
}

export class World {
  now = START
  account = 1
  wallet = 100
  scopes: Whoami["key"]["scopes"] = ["vps:read", "vps:write", "vps:create"]
  /** Whether the host shows what was ordered and what is installed. */
  shows = true
  /** What a coupon took off every order; undefined: the host does not tell. */
  discount: number | undefined = 0
  /** Of every contract. */
  expiresAt = "2026-04-01T12:00:00.000Z"
  readonly calls: Array<string> = []
  readonly lines: Array<string> = []
  readonly rdns = new Map<string, string>()
  readonly #bought: Array<Bought> = []
  /** -1: dead. */
  #callsLeft: number | undefined
  readonly #faults: Array<{ operation: string; error: Error; after: boolean }> = []

  /** The next call of the operation fails: instead of the work, or after it. */
  fail(operation: keyof Api, error: Error, after = false): void {
    this.#faults.push({ operation, error, after })
  }

  /** The process dies in place of its `count`th call from now on: nothing that it asks for is done or answered. */
  killAt(count: number): void {
    this.#callsLeft = count - 1
  }

  /** Another process begins; answers whether the one before was killed. */
  revive(): boolean {
    const killed = this.#callsLeft === -1
    this.#callsLeft = undefined
    return killed
  }

  /** Something happens to a server from outside. */
  change(id: number, what: Partial<Pick<Bought, "serviceId" | "hostname" | "status" | "autoRenew">>): void {
    Object.assign(this.find(id), what)
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

  readonly api: Api = apiOf(this, (operation, work, detail) => this.attempt(operation, work, detail))

  /** A purchase from elsewhere, or by an earlier run. */
  buy(body: CreateInstance, key?: string): Bought {
    const price = priceOf(body.service_id) ?? 0
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
      status: undefined,
      autoRenew: true,
      machine: new Machine(id)
    }
    this.#bought.push(bought)
    return bought
  }

  /** One call: noted, and failed when the test said so. */
  async attempt<A>(operation: keyof Api, work: () => A, detail = ""): Promise<A> {
    if (this.#callsLeft === 0) this.#callsLeft = -1
    if (this.#callsLeft === -1) throw noAnswer()
    if (this.#callsLeft !== undefined) this.#callsLeft--
    this.calls.push(`${operation} ${detail}`.trim())
    await Promise.resolve()
    const index = this.#faults.findIndex((one) => one.operation === operation)
    const fault = index < 0 ? undefined : this.#faults.splice(index, 1)[0]
    if (fault !== undefined && !fault.after) throw fault.error
    const result = work()
    if (fault !== undefined) throw fault.error
    return result
  }

  /** What exists and is ours to see. */
  owned(): ReadonlyArray<Bought> {
    if (this.account !== 1) return []
    const owned = this.#bought.filter((one) => one.status !== "deleted")
    for (const { machine } of owned) machine.tick(this.now)
    return owned
  }

  boughtWith(key: string): Bought | undefined {
    return this.#bought.find((one) => one.key === key)
  }

  find(id: number): Bought {
    const found = this.owned().find((one) => one.id === id)
    if (found === undefined) throw apiError(404, `no instance ${id}`)
    return found
  }

  /** What a server has beside its contract. */
  machine(id: number): Machine {
    return this.find(id).machine
  }

  show(one: Bought): Instance {
    const deployed = this.now - one.at >= DEPLOY_TIME && one.status !== "failed"
    const at = new Date(one.at).toISOString()
    const ordered = one.body.os ?? "debian-12"
    const os = one.machine.os ?? ordered
    const config = {
      hostname: one.body.hostname ?? null,
      os: ordered,
      ssh_key_fingerprint: null,
      idempotency_key_sha256: one.key === undefined ? null : purchaseKeyDigest(one.key),
      service_id: one.body.service_id,
      ...(this.discount === undefined ? {} : { discount_amount: this.discount })
    }
    return {
      id: one.id,
      user_id: 1,
      order_id: one.id,
      status: one.status ?? (deployed ? one.machine.status : "provisioning"),
      provider_id: deployed ? `machine-${one.id}` : null,
      ipv4: deployed ? `203.0.113.${one.id}` : null,
      provider_data: deployed && this.shows ? JSON.stringify({ hostname: one.hostname ?? null, os }) : null,
      auto_renew: one.autoRenew,
      expires_at: this.expiresAt,
      created_at: at,
      order: {
        id: one.id,
        user_id: 1,
        service_id: one.serviceId,
        status: "paid",
        config: this.shows ? JSON.stringify(config) : null,
        created_at: at,
        paid_at: at,
        service: service(one.serviceId, at)
      }
    }
  }
}
