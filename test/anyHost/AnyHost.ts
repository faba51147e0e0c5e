/** Serves the paths, the statuses and the shown records of the specification over the state, in a style. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import {
  type Account,
  IMAGES,
  ISOS,
  type Machine,
  Machines,
  type Order,
  type Plan,
  PLANS,
  Refusal
} from "./Machines.ts"
import { type Fault, Faults } from "./Faults.ts"
import { type Style, type StyleName, STYLES } from "./Styles.ts"

const PREFIX = "/api/v1"

const euros = (cents: number): number => cents / 100
const time = (ms: number): string => new Date(ms).toISOString()
const FIRST_DAY = Date.UTC(2020, 0, 1)

interface Call {
  readonly account: Account
  readonly apiKey: string
  readonly path: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly key: string | undefined
}

interface Request {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly authorization: string
  readonly key: string | undefined
  readonly text: string
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

const plain = (value: unknown, least: number, most: number): string | undefined => {
  if (typeof value !== "string") return "a string is required"
  return value.length >= least && value.length <= most ? undefined : `the length is ${least} to ${most}`
}
const whole = (value: unknown): string | undefined =>
  Number.isInteger(value) && Number(value) > 0 ? undefined : "an integer above 0 is required"

type Check = (value: unknown) => string | undefined
type Checks = Readonly<Record<string, Check>>
const required = (least: number, most: number): Check => (value) => plain(value, least, most)
const optional = (check: Check): Check => (value) => value === undefined || value === null ? undefined : check(value)
const matching = (pattern: RegExp, most: number): Check => (value) =>
  plain(value, 1, most) ?? (pattern.test(String(value)) ? undefined : `${String(pattern)} does not match`)
const hostname = matching(/^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i, 253)
const publicKey = matching(/^(?:ssh-|ecdsa-)\S+ \S+/, 4096)

const CREATE: Checks = {
  service_id: whole,
  hostname: optional(hostname),
  os: optional(required(1, 64)),
  ssh_pubkey: optional(publicKey),
  root_password: optional(required(8, 20)),
  coupon_code: optional(required(1, 64))
}
const REINSTALL: Checks = {
  os: required(1, 64),
  os_id: optional(whole),
  password: optional(required(8, 128)),
  ssh_pubkey: optional(required(1, 4096))
}

/** Properties that are not listed are forbidden. */
const valid = <A>(body: Readonly<Record<string, unknown>>, checks: Checks): A => {
  const items = [
    ...Object.keys(body).filter((name) => checks[name] === undefined).map((name) => [name, "not allowed"] as const),
    ...Object.entries(checks).map(([name, check]) => [name, check(body[name])] as const)
  ].filter(([, msg]) => msg !== undefined)
  if (items.length === 0) return body as A
  throw new Refusal(422, items.map(([name, msg]) => ({ loc: ["body", name], msg, type: "value_error" })))
}

const id = (text: string | undefined): number => {
  if (!/^\d+$/.test(text ?? "")) throw new Refusal(422, [{ loc: ["path"], msg: "not an integer", type: "int_parsing" }])
  return Number(text)
}

export class AnyHost {
  readonly machines: Machines
  readonly #style: Style
  readonly #faults = new Faults()
  readonly #server: Server

  private constructor(style: StyleName, now: () => number) {
    this.#style = STYLES[style]
    this.machines = new Machines(now)
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  static async start(style: StyleName, now: () => number = Date.now, port = 0): Promise<AnyHost> {
    const host = new AnyHost(style, now)
    host.#server.listen(port, "127.0.0.1")
    await once(host.#server, "listening")
    return host
  }

  /** Without a server, for tests in which the time is not the real one: they call `answer`. */
  static unserved(style: StyleName, now: () => number): AnyHost {
    return new AnyHost(style, now)
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get url(): string {
    return this.origin + PREFIX
  }

  /** Of the first account. */
  get apiKey(): string {
    return this.machines.accounts[0]!.keys[0]!
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { headers: { authorization = "", "idempotency-key": key }, method = "", url = "" } = request
    const fault = this.#faults.take(method, url)
    const answer = fault?.status === undefined
      ? this.answer({ method, url, authorization, key: typeof key === "string" ? key : undefined, text })
      : { status: fault.status, body: { detail: `${fault.status} by a fault of the test.` } }
    if (fault?.drop_connection === "after") response.destroy()
    if (response.destroyed) return
    response.sendDate = false
    const date = this.#style.showsDate ? { date: new Date(this.machines.now).toUTCString() } : {}
    response.writeHead(answer.status, { "content-type": "application/json", ...date })
    response.end(JSON.stringify(answer.body))
  }

  /** The answer to a request, at the time that it has now. */
  answer(request: Request): Answer {
    try {
      return this.#answer(request)
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: { detail: error.detail } }
      return { status: 500, body: { detail: String(error) } }
    }
  }

  #answer({ authorization, key, method, text, url }: Request): Answer {
    const { pathname, searchParams: query } = new URL(url, "http://host.test")
    const body = text === "" ? {} : JSON.parse(text) as Call["body"]
    if (pathname.startsWith("/_emulator/")) {
      return { status: 200, body: this.#control(`${method} ${pathname.slice("/_emulator/".length)}`, body) }
    }
    if (!pathname.startsWith(PREFIX)) throw new Refusal(404, "Not found.")
    const bearer = /^Bearer (.+)$/.exec(authorization)?.[1]
    const account = this.machines.accounts.find(({ keys }) => keys.includes(bearer ?? ""))
    if (account === undefined) throw new Refusal(401, "The API key is missing, invalid, revoked or expired.")
    const path = pathname.slice(PREFIX.length).split("/").filter(Boolean)
    return this.#route(method, { account, apiKey: bearer!, path, query, body, key })
  }

  /** Controls and counts of the tests, under the paths that the emulator has for them. */
  #control(call: string, body: Call["body"]): unknown {
    const { machines } = this
    switch (call) {
      case "POST reset":
        machines.reset()
        this.#faults.clear()
        return {}
      case "PUT deploy":
        machines.deployMs = body["mode"] === "instant" ? 0 : Number(body["value"])
        return {}
      case "POST clock":
        machines.advance(Number(body["advance_ms"]))
        return {}
      case "POST accounts": {
        const { id, keys } = machines.open(String(body["email"]), Number(body["wallet"]) * 100)
        return { account_id: id, api_key: keys[0] }
      }
      case "POST keys":
        return { api_key: machines.addKey() }
      case "POST wallet":
        machines.accounts[0]!.cents += Math.round(Number(body["amount"]) * 100)
        return {}
      case "POST faults":
        this.#faults.add(body as unknown as Fault)
        return {}
      case "DELETE faults":
        this.#faults.clear()
        return {}
      case "GET ledger":
        return { balanced: true, journals: [...machines.all.keys()].map(() => ({ kind: "instance_create" })) }
      case "GET deeds":
        return { deeds: machines.deeds, records: Object.fromEntries(machines.records) }
      case "GET machines":
        return {
          machines: [...machines.all.values()].map(({ charged, hostname, id, on, os, plan, rescue, snapshots }) => ({
            id,
            hostname,
            on,
            os,
            rescue,
            service_id: plan.id,
            charged,
            snapshots: snapshots.map(({ id, name }) => ({ id, name }))
          }))
        }
      default:
        throw new Refusal(404, `${call} is not a control of this host`)
    }
  }

  #route(method: string, call: Call): Answer {
    const [group, first, ...rest] = call.path
    const get = method === "GET"
    if (group === undefined && get) return ok(this.#style.root)
    if (group === "whoami" && get) return ok(this.#style.whoami(call.account.email))
    if (group === "services" && get) return ok(this.#catalogue(first))
    if (group !== "instances") throw new Refusal(404, "Not found.")
    if (first === undefined) {
      if (get) return ok(this.machines.owned(call.account).map((machine) => this.#instance(machine)))
      if (method === "POST") return this.#create(call)
      throw new Refusal(404, "Not found.")
    }
    const machine = this.machines.find(call.account, id(first))
    if (rest.length === 0 && get) return ok(this.#instance(machine))
    return ok(get ? this.#read(rest.join("/"), machine, call) : this.#change(`${method} ${rest[0]}`, machine, call))
  }

  #catalogue(first: string | undefined): unknown {
    if (first === undefined) return PLANS.map((plan) => ({ ...publicPlan(plan), ...this.#style.planOptional(plan) }))
    const plan = PLANS.find((one) => one.id === id(first))
    if (plan === undefined) throw new Refusal(404, "No such plan.")
    return { location_label: plan.dataCenter, os_options: IMAGES }
  }

  #create({ account, apiKey, body, key, query }: Call): Answer {
    const order = valid<Order>(body, CREATE)
    if (query.get("dry_run") !== "true") {
      return { status: 201, body: this.#instance(this.machines.buy(account, apiKey, order, key)) }
    }
    const { cents, off, plan } = this.machines.price(order)
    const sufficient_funds = cents <= account.cents
    return ok({
      dry_run: true,
      would_create: sufficient_funds,
      service_id: plan.id,
      plan_name: plan.name,
      billing_cycle: "monthly",
      charge_amount: euros(cents),
      discount_amount: euros(off),
      currency: "EUR",
      wallet_balance: euros(account.cents),
      sufficient_funds
    })
  }

  #instance(machine: Machine): unknown {
    const { boughtAt, expiresAt, id, orderId, plan, userId } = machine
    const style = this.#style
    return {
      id,
      user_id: userId,
      order_id: orderId,
      status: style.status(machine),
      ...style.optional(machine),
      expires_at: time(expiresAt),
      created_at: time(boughtAt),
      order: {
        id: orderId,
        user_id: userId,
        service_id: plan.id,
        status: style.orderStatus,
        ...style.orderOptional(machine),
        created_at: time(boughtAt),
        paid_at: time(boughtAt),
        service: {
          ...publicPlan(plan),
          description: null,
          specs: null,
          is_active: true,
          out_of_stock: false,
          auto_deploy: true,
          created_at: time(FIRST_DAY),
          ...style.pricing(plan)
        }
      }
    }
  }

  #read(what: string, machine: Machine, { query }: Call): unknown {
    const style = this.#style
    switch (what) {
      case "status":
        return style.live(machine)
      case "metrics": {
        const range = query.get("range") ?? "1h"
        if (["1h", "6h", "24h", "7d", "30d"].includes(range)) return style.metrics
        throw new Refusal(422, [{ loc: ["query", "range"], msg: "not a range", type: "literal_error" }])
      }
      case "tasks":
        return style.tasks(machine, this.machines)
      case "available-plans":
        return style.availablePlans(machine)
      case "snapshots":
        return style.snapshots(machine)
      case "backups":
        return style.backups
      case "isos":
        return style.isos(machine)
      default:
        throw new Refusal(404, "Not found.")
    }
  }

  #change(what: string, machine: Machine, call: Call): unknown {
    const { account, body, path: [, , , thing, verb] } = call
    const { machines } = this
    const style = this.#style
    const power = (operation: "start" | "stop" | "restart", on: boolean): unknown => {
      machines.run(machine, operation, () => {
        machine.on = on
      })
      return style.done(operation, machine)
    }
    switch (what) {
      case "POST start":
        return power("start", true)
      case "POST stop":
        return power("stop", false)
      case "POST restart":
        return power("restart", true)
      case "POST reinstall": {
        const { os } = valid<{ os: string }>(body, REINSTALL)
        machines.price({ service_id: machine.plan.id, os })
        machines.run(machine, "reinstall", () => Object.assign(machine, { os, on: true, rescue: false }))
        return style.done("reinstall", machine)
      }
      case "POST reset-password": {
        machines.note(machine, "reset_password")
        const password = `pw-${machines.deeds.length}-of-${machine.id}`
        return { ok: true, action: "reset_password", provider_id: String(machine.id), password, show_once: true }
      }
      case "PATCH hostname":
        machines.note(machine, "hostname")
        machine.hostname = valid<{ hostname: string }>(body, { hostname: required(1, 253) }).hostname
        return style.done("hostname", machine)
      case "POST rdns": {
        machines.note(machine, "rdns")
        const { ip, ptr } = valid<{ ip: string; ptr: string }>(body, { ip: required(3, 45), ptr: required(1, 253) })
        machines.records.set(ip, ptr)
        return style.done("rdns", machine)
      }
      case "POST resize": {
        const { service_id } = valid<{ service_id: number }>(body, { service_id: whole })
        return style.resized(machine, machines.resize(account, machine, service_id))
      }
      case "POST snapshots":
        return thing === undefined
          ? style.snapshotTaken(machines.snapshot(machine, valid<{ name: string }>(body, NAMED).name))
          : this.#restore(machine, id(thing), verb)
      case "DELETE snapshots": {
        const at = this.#snapshotAt(machine, id(thing))
        machines.run(machine, "delete_snapshot", () => void machine.snapshots.splice(at, 1))
        return style.done("delete_snapshot", machine)
      }
      case "POST iso": {
        const { iso_id } = valid<{ iso_id: number }>(body, { iso_id: whole })
        if (ISOS.every((one) => one.id !== iso_id)) throw new Refusal(404, "No such ISO.")
        machines.run(machine, "mount", () => {
          machine.iso = iso_id
        })
        return style.done("mount", machine)
      }
      case "DELETE iso":
        machines.run(machine, "unmount", () => {
          machine.iso = undefined
        })
        return style.done("unmount", machine)
      case "POST rescue":
      case "DELETE rescue": {
        const entering = what.startsWith("POST")
        machines.run(machine, entering ? "rescue_enter" : "rescue_exit", () => {
          machine.rescue = entering
          machine.on = true
        })
        const action = entering ? "rescue_enter" : style.rescueExit
        return { ok: true, action, boot_mode: entering ? "rescue" : "disk", restarted: true }
      }
      default:
        throw new Refusal(404, "Not found.")
    }
  }

  #snapshotAt({ snapshots }: Machine, wanted: number): number {
    const at = snapshots.findIndex((one) => one.id === wanted)
    if (at === -1) throw new Refusal(404, "No such snapshot.")
    return at
  }

  #restore(machine: Machine, wanted: number, verb: string | undefined): unknown {
    if (verb !== "restore") throw new Refusal(404, "Not found.")
    this.#snapshotAt(machine, wanted)
    this.machines.run(machine, "restore", () => undefined)
    return this.#style.done("restore", machine)
  }
}

const NAMED: Checks = { name: required(1, 64) }

const ok = (body: unknown): Answer => ({ status: 200, body })

const publicPlan = ({ cents, id, name, slug }: Plan) => ({
  id,
  name,
  slug,
  price: euros(cents),
  billing_cycle: "monthly",
  category: "vps"
})
