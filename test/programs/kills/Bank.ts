/**
 * Customers who buy, resize, and switch machines on and off through the SDK, and an operator who fills their wallets:
 * they record what was acknowledged, and continue through every kill.
 */
import { Vps } from "#sdk/client/Vps"
import { ApiError } from "#sdk/client/errors/ApiErrors"
import type { Cluster } from "./Cluster.ts"
import { untilDone } from "./Cluster.ts"
import { SHOP } from "../../support/operator.ts"

export interface Bought {
  readonly key: string
  readonly id: number
  readonly plan: number
}

export interface Accepted {
  readonly task: number
  readonly instance: number
  /** The charge, in units of the currency; 0 if it is free. */
  readonly charge: number
}

/** Everything that was acknowledged. */
export interface Acknowledged {
  readonly bought: Array<Bought>
  readonly resized: Array<Accepted>
  readonly switched: Array<Accepted>
  readonly paidIn: Array<{ readonly reference: string; readonly amount: number }>
  /** The plan that an instance was last resized to; absent once an answer was lost. */
  readonly plans: Map<number, number>
  /** Returns that were lost, of what the SDK does not repeat: done or not. */
  lost: number
}

export interface Bank {
  readonly acknowledged: Acknowledged
  /** Resolves when so many more were acknowledged. */
  readonly more: (count: number) => Promise<void>
  /** Lets all customers finish their current operation. */
  readonly stop: () => Promise<void>
}

const PLANS = SHOP.plans.map(({ id }) => id)

/** In units of the currency. */
const FIRST_WALLET = 20_000
const TOP_UP = 12.34

/** A small generator (mulberry32), so that a run can be repeated. */
const chance = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * below)
  }
}

/** An answer of the service that nothing was done, as opposed to no answer. */
const isAnswer = (cause: unknown): boolean => cause instanceof ApiError && cause.status < 500

interface Customer {
  readonly name: string
  readonly account: number
  readonly vps: Vps
  readonly pick: (below: number) => number
  readonly machines: Array<number>
}

const open = async (cluster: Cluster, number: number, seed: number): Promise<Customer> => {
  const name = `customer-${number}`
  const terms = { currency: "EUR", vat_treatment: "domestic" } as const
  const { id: account } = await cluster.command("accounts.create", { email: `${name}@example.test`, ...terms })
  await cluster.command("wallet.top_up", { account_id: account, amount: FIRST_WALLET, reference: `${name}-first` })
  const { api_key: apiKey } = await cluster.command("keys.create", {
    account_id: account,
    name,
    scopes: ["vps:create"]
  })
  const baseUrl = cluster.urls[number % cluster.urls.length]!
  return { name, account, vps: new Vps({ apiKey, baseUrl }), pick: chance(seed * 1_000 + number), machines: [] }
}

const ACTIONS = ["start", "stop", "restart"] as const

const makeActions = (cluster: Cluster, record: Acknowledged) => {
  const buy = async ({ machines, name, pick, vps }: Customer, turn: number): Promise<void> => {
    const [key, plan] = [`${name}-${turn}`, PLANS[pick(PLANS.length)]!]
    const call = () => vps.instances.create({ service_id: plan }, { idempotencyKey: key })
    const { id } = await untilDone<{ readonly id: number }>(call, isAnswer)
    record.bought.push({ key, id, plan })
    record.plans.set(id, plan)
    machines.push(id)
  }
  /** Operations that the SDK does not repeat after a lost response. */
  const once = async <A>(id: number, call: () => Promise<A>): Promise<A | undefined> => {
    try {
      return await call()
    } catch (cause) {
      if (isAnswer(cause)) return undefined
      record.lost++
      record.plans.delete(id)
      return undefined
    }
  }
  const resize = async ({ machines, pick, vps }: Customer): Promise<void> => {
    const [id, plan] = [machines[pick(machines.length)]!, PLANS[pick(PLANS.length)]!]
    const done = await once(id, async () => vps.instances.resize(id, { service_id: plan }))
    if (done === undefined || done.task_id === null) return
    record.resized.push({ task: done.task_id, instance: id, charge: done.charge_amount })
    if (record.plans.has(id)) record.plans.set(id, plan)
  }
  const press = async ({ machines, pick, vps }: Customer): Promise<void> => {
    const [id, action] = [machines[pick(machines.length)]!, ACTIONS[pick(ACTIONS.length)]!]
    const done = await once(id, async () => vps.power[action](id))
    if (done === undefined || done.task_id === null) return
    record.switched.push({ task: done.task_id, instance: id, charge: 0 })
  }
  const pay = async ({ account, name }: Customer, turn: number): Promise<void> => {
    const reference = `${name}-${turn}`
    // An earlier booking counts: its response was lost, as the payment's name shows.
    await cluster.command("wallet.top_up", { account_id: account, amount: TOP_UP, reference }).catch(
      (cause: unknown) => {
        if (!String(cause).includes("is already booked")) throw cause
      }
    )
    record.paidIn.push({ reference: `top_up:${reference}`, amount: TOP_UP })
  }
  return { buy, resize, press, pay }
}

/** Opens a shop with so many customers; `begin` lets them loose. */
export const openBank = async (cluster: Cluster, customers: number, seed: number) => {
  await cluster.command("catalogue.import", { document: SHOP, dry_run: false })
  const all = await Promise.all(Array.from({ length: customers }, (_, number) => open(cluster, number, seed)))
  const record: Acknowledged = { bought: [], resized: [], switched: [], paidIn: [], plans: new Map(), lost: 0 }
  const { buy, pay, press, resize } = makeActions(cluster, record)

  const act = (customer: Customer, turn: number): Promise<void> => {
    const what = customer.pick(10)
    if (customer.machines.length === 0 || what < 3) return buy(customer, turn)
    if (what < 6) return resize(customer)
    return what < 9 ? press(customer) : pay(customer, turn)
  }
  /** Before the first kill: instances that renew during the storm. */
  const fleet = async (size: number): Promise<ReadonlyArray<number>> => {
    await Promise.all(all.map(async (customer) => {
      for (let turn = 0; turn < size / customers; turn++) await buy(customer, -1 - turn)
    }))
    return record.bought.map(({ id }) => id)
  }
  const begin = (): Bank => {
    const end = new AbortController()
    const count = () => record.bought.length + record.resized.length + record.switched.length + record.paidIn.length
    const working = all.map(async (customer) => {
      for (let turn = 0; !end.signal.aborted; turn++) await act(customer, turn)
    })
    return {
      acknowledged: record,
      more: async (wanted) => {
        const until = count() + wanted
        while (count() < until) {
          await Promise.race([...working, new Promise((resolve) => setTimeout(resolve, 10))])
        }
      },
      stop: async () => {
        end.abort()
        await Promise.all(working)
        await Promise.all(all.map(({ vps }) => vps.close()))
      }
    }
  }
  return { fleet, begin, reader: all[0]!.vps }
}
