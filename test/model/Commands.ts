/** Sequences of API requests, and a small model that predicts their responses. */
import type * as fc from "fast-check"
import assert from "node:assert/strict"
import { type Plan, PRICES } from "../support/wallet.ts"

export interface Server {
  plan: Plan
  status: "running" | "stopped" | "rescue" | "failed"
  snapshots: Array<number>
}

/** All that counts of an account. The clock is frozen, so each period has all of its time left. */
export interface Account {
  cents: number
  readonly keys: Map<string, number>
  readonly servers: Map<number, Server>
}

export interface Reply {
  readonly status: number
  readonly replayed: boolean
  /** Any response; commands inspect it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** The service, with one account's key. */
export interface Real {
  readonly api: (method: string, path: string, body?: object, key?: string) => Promise<Reply>
  /** Cents. */
  readonly fill: (cents: number) => Promise<void>
  readonly balance: () => Promise<number>
  /** The next operation of this type is rejected permanently. */
  readonly refuse: (operation: string) => Promise<void>
  /** Completes when all started tasks are done. */
  readonly settle: () => Promise<void>
}

type Command = fc.AsyncCommand<Account, Real>

const SNAPSHOTS_MAX = 3

/** The n-th of the account's servers, counted round; there may be none. */
const nth = ({ servers }: Account, index: number): readonly [number, Server] | undefined => {
  const all = [...servers]
  return all.length === 0 ? undefined : all[index % all.length]
}

/** The invariants after every command. */
const agree = async (model: Account, real: Real): Promise<void> => {
  await real.settle()
  assert.equal(await real.balance(), model.cents, "what the wallet holds")
  const { body } = await real.api("GET", "/instances")
  const shown = (body as ReadonlyArray<{ id: number; status: string; order: { service_id: number } }>)
    .map(({ id, order, status }) => [id, status, order.service_id])
  const expected = [...model.servers].map(([id, { plan, status }]) => [id, status, plan])
  assert.deepEqual(shown.toSorted(), expected.toSorted(), "the instances")
}

/** A command by its name, its condition, and what it does to both. */
const command = (
  name: string,
  run: (model: Account, real: Real) => Promise<void>,
  check: (model: Readonly<Account>) => boolean = () => true
): Command => ({
  check,
  run: async (model, real) => {
    await run(model, real)
    await agree(model, real)
  },
  toString: () => name
})

/** Buys, under a key or not; the upstream may refuse to build it, and then the money comes back. */
export const buy = (plan: Plan, key: string | undefined, refused: boolean): Command =>
  command(`buy(${plan}, ${key}${refused ? ", refused" : ""})`, async (model, real) => {
    const known = key === undefined ? undefined : model.keys.get(key)
    const enough = model.cents >= PRICES[plan]
    if (refused && known === undefined && enough) await real.refuse("provision")
    const { body, replayed, status } = await real.api("POST", "/instances", { service_id: plan }, key)
    if (known === undefined && !enough) return assert.equal(status, 402)
    assert.equal(status, 201)
    assert.equal(replayed, known !== undefined)
    if (known !== undefined) return assert.equal(body.id, known)
    assert.ok(!model.servers.has(body.id), "a new server has a new id")
    if (key !== undefined) model.keys.set(key, body.id)
    model.servers.set(body.id, { plan, status: refused ? "failed" : "running", snapshots: [] })
    if (!refused) model.cents -= PRICES[plan]
  })

export const preview = (plan: Plan): Command =>
  command(`preview(${plan})`, async (model, real) => {
    const { body, status } = await real.api("POST", "/instances?dry_run=true", { service_id: plan })
    assert.equal(status, 200)
    assert.equal(body.sufficient_funds, model.cents >= PRICES[plan])
  })

export const fill = (cents: number): Command =>
  command(`fill(${cents})`, async (model, real) => {
    await real.fill(cents)
    model.cents += cents
  })

type Power = "start" | "stop" | "restart"

/** The state after each power operation; undefined is a 409. */
const POWERED: Readonly<Record<Power, Partial<Record<Server["status"], Server["status"]>>>> = {
  start: { running: "running", stopped: "running", rescue: "rescue" },
  stop: { running: "stopped", stopped: "stopped", rescue: "stopped" },
  restart: { running: "running", stopped: "running", rescue: "running" }
}

export const power = (index: number, operation: Power): Command =>
  command(`${operation}(${index})`, async (model, real) => {
    const [id, server] = nth(model, index)!
    const after = POWERED[operation][server.status]
    const { status } = await real.api("POST", `/instances/${id}/${operation}`)
    assert.equal(status, after === undefined ? 409 : 200)
    if (after !== undefined) server.status = after
  }, (model) => model.servers.size > 0)

/** A larger plan costs the difference, a smaller one nothing; what the upstream refuses costs nothing in the end. */
export const resize = (index: number, plan: Plan, refused: boolean): Command =>
  command(`resize(${index}, ${plan}${refused ? ", refused" : ""})`, async (model, real) => {
    const [id, server] = nth(model, index)!
    const charge = Math.max(0, PRICES[plan] - PRICES[server.plan])
    const able = (server.status === "running" || server.status === "stopped") && plan !== server.plan
    if (refused && able && model.cents >= charge) await real.refuse("resize")
    const { body, status } = await real.api("POST", `/instances/${id}/resize`, { service_id: plan })
    if (!able) return assert.equal(status, 409)
    if (model.cents < charge) return assert.equal(status, 402)
    assert.equal(status, 200)
    assert.equal(Math.round(100 * body.charge_amount), charge)
    if (refused) return
    model.cents -= charge
    server.plan = plan
  }, (model) => model.servers.size > 0)

const canImage = ({ status }: Server): boolean => status === "running" || status === "stopped"

export const takeSnapshot = (index: number): Command =>
  command(`takeSnapshot(${index})`, async (model, real) => {
    const [id, server] = nth(model, index)!
    const { body, status } = await real.api("POST", `/instances/${id}/snapshots`, { name: "one" })
    const able = canImage(server) && server.snapshots.length < SNAPSHOTS_MAX
    assert.equal(status, able ? 200 : 409)
    if (able) server.snapshots.push(body.snapshot.id)
  }, (model) => model.servers.size > 0)

export const dropSnapshot = (index: number): Command =>
  command(`dropSnapshot(${index})`, async (model, real) => {
    const [id, server] = nth(model, index)!
    const [first] = server.snapshots
    const { status } = await real.api("DELETE", `/instances/${id}/snapshots/${first ?? 0}`)
    assert.equal(status, first === undefined ? 404 : server.status === "failed" ? 409 : 200)
    if (status === 200) server.snapshots.shift()
    const { body } = await real.api("GET", `/instances/${id}/snapshots`)
    await real.settle()
    assert.ok(Array.isArray(body))
  }, (model) => model.servers.size > 0)

export const rescue = (index: number, enters: boolean): Command =>
  command(`${enters ? "enter" : "exit"}Rescue(${index})`, async (model, real) => {
    const [id, server] = nth(model, index)!
    const { status } = await real.api(enters ? "POST" : "DELETE", `/instances/${id}/rescue`)
    if (server.status === "failed") return assert.equal(status, 409)
    assert.equal(status, 200)
    if (enters) server.status = "rescue"
    else if (server.status === "rescue") server.status = "running"
  }, (model) => model.servers.size > 0)
