/**
 * A wallet and the keys that buy from it, as one object: concurrent calls over HTTP, their responses, and the possible
 * outcomes of each call, had it been alone.
 */
import * as fc from "fast-check"
import { setImmediate } from "node:timers/promises"
import type { Call, Model } from "./Linearizability.ts"

/** Prices of the emulator's plans, in cents. */
const PRICES = { 1: 499, 2: 999, 3: 1_999 } as const
type Plan = keyof typeof PRICES

export type Deed =
  | { readonly kind: "buy"; readonly plan: Plan; readonly key: string | undefined }
  | { readonly kind: "fill"; readonly cents: number }
  | { readonly kind: "look" }

export interface WalletRequest {
  readonly deed: Deed
  /** The caller goes away at once: whether it was done is not known. */
  readonly cut: boolean
}

/** Few keys, so that callers meet; few coins, so that the wallet runs dry. */
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("buy" as const),
      plan: fc.constantFrom(1 as const, 2 as const, 3 as const),
      key: fc.option(fc.constantFrom("k-1", "k-2", "k-3"), { nil: undefined })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("fill" as const), cents: fc.integer({ min: 1, max: 1_500 }) })
  },
  { weight: 2, arbitrary: fc.constant({ kind: "look" as const }) }
)

const asked: fc.Arbitrary<WalletRequest> = fc.record({
  deed,
  cut: fc.integer({ min: 0, max: 9 }).map((number) => number === 0)
})

export const callers = fc.array(fc.array(asked, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 6 })
export const cents = fc.integer({ min: 0, max: 6_000 })

/** A 201 with its id, a 402, a wallet that was filled, or what it holds. */
export type WalletResponse =
  | { readonly bought: number }
  | "too little"
  | "filled"
  | { readonly holds: number }

export interface Wallet {
  readonly cents: number
  /** The instance that each key bought. */
  readonly keys: ReadonlyMap<string, number>
  readonly ids: ReadonlySet<number>
}

const bought = (state: Wallet, plan: Plan, key: string | undefined, id: number): Wallet => ({
  cents: state.cents - PRICES[plan],
  keys: key === undefined ? state.keys : new Map([...state.keys, [key, id]]),
  ids: new Set([...state.ids, id])
})

/** An instance whose buyer got no response; its id is learned from a later response. */
const UNHEARD = -1

const buy = (
  state: Wallet,
  plan: Plan,
  key: string | undefined,
  told: WalletResponse | undefined
): Wallet | undefined => {
  const known = key === undefined ? undefined : state.keys.get(key)
  const enough = state.cents >= PRICES[plan]
  if (told === undefined) return known === undefined && enough ? bought(state, plan, key, UNHEARD) : state
  if (told === "too little") return known === undefined && !enough ? state : undefined
  if (typeof told === "string" || !("bought" in told)) return undefined
  const id = told.bought
  if (known === UNHEARD) {
    // It was bought before; now its id is known, and must not be another's.
    if (state.ids.has(id)) return undefined
    return { ...state, keys: new Map([...state.keys, [key!, id]]), ids: new Set([...state.ids, id]) }
  }
  if (known !== undefined) return known === id ? state : undefined
  return enough && !state.ids.has(id) ? bought(state, plan, key, id) : undefined
}

/** The behavior of a wallet and its keys, one call at a time. */
export const walletModel = (cents: number): Model<Wallet, Deed, WalletResponse> => ({
  initial: { cents, keys: new Map(), ids: new Set() },
  step: (state, deed, told) => {
    switch (deed.kind) {
      case "buy":
        return buy(state, deed.plan, deed.key, told)
      case "fill":
        return { ...state, cents: state.cents + deed.cents }
      case "look":
        if (told === undefined) return state
        return typeof told !== "string" && "holds" in told && told.holds === state.cents ? state : undefined
    }
  },
  show: ({ cents, ids, keys }) => `${cents} ${[...keys].toSorted().join(";")} ${[...ids].toSorted().join(",")}`
})

interface Customer {
  readonly accountId: number
  readonly apiKey: string
}

const json = async (response: Response): Promise<Record<string, unknown>> => {
  const read: unknown = await response.json()
  return typeof read === "object" && read !== null ? Object.fromEntries(Object.entries(read)) : {}
}

const post = (url: string, body: unknown, more: Omit<RequestInit, "headers"> & { headers?: object } = {}) =>
  fetch(url, {
    method: "POST",
    body: JSON.stringify(body),
    ...more,
    headers: { "content-type": "application/json", ...more.headers }
  })

/** A customer of its own for each history, so that histories do not meet. */
export const openAccount = async (origin: string, cents: number): Promise<Customer> => {
  const made = await json(
    await post(`${origin}/_emulator/accounts`, { email: "history@example.test", wallet: cents / 100 })
  )
  return { accountId: Number(made["account_id"]), apiKey: String(made["api_key"]) }
}

const CENTS = 100
const centsOf = (amount: unknown): number => Math.round(Number(amount) * CENTS)

/** Executes one call. */
export type Send = (deed: Deed, signal: AbortSignal) => Promise<WalletResponse>

/** Buys by HTTP. */
export const buyAt = async (
  api: string,
  apiKey: string,
  { key, plan }: Deed & { readonly kind: "buy" },
  signal: AbortSignal
): Promise<WalletResponse> => {
  const headers = { authorization: `Bearer ${apiKey}`, ...(key === undefined ? {} : { "idempotency-key": key }) }
  const response = await post(`${api}/instances`, { service_id: plan }, { headers, signal })
  const body = await json(response)
  if (response.status === 201) return { bought: Number(body["id"]) }
  if (response.status === 402) return "too little"
  throw new Error(`a create answered ${response.status}: ${JSON.stringify(body)}`)
}

/** Sends everything to an emulator. */
export const toEmulator = (origin: string, { accountId, apiKey }: Customer): Send => async (deed, signal) => {
  if (deed.kind === "look") {
    const shown = await json(await fetch(`${origin}/_emulator/wallet/${accountId}`, { signal }))
    return { holds: centsOf(shown["balance"]) }
  }
  if (deed.kind === "fill") {
    const filled = { account_id: accountId, amount: deed.cents / CENTS }
    const { status } = await post(`${origin}/_emulator/wallet`, filled, { signal })
    if (status !== 200) throw new Error(`the wallet was not filled: ${status}`)
    return "filled"
  }
  return buyAt(`${origin}/api/v1`, apiKey, deed, signal)
}

/** Lets callers act at once, each doing one thing after the other, and writes down what they saw. */
export const record = async (
  send: Send,
  callers: ReadonlyArray<ReadonlyArray<WalletRequest>>
): Promise<ReadonlyArray<Call<Deed, WalletResponse>>> => {
  const history: Array<Call<Deed, WalletResponse>> = []
  let moment = 0
  const act = async ({ cut, deed }: WalletRequest): Promise<void> => {
    const invoked = ++moment
    const controller = new AbortController()
    const told = send(deed, controller.signal)
    if (cut) {
      const gone = told.catch(() => undefined)
      await setImmediate()
      controller.abort()
      const output = await gone
      const returned = output === undefined ? Number.POSITIVE_INFINITY : ++moment
      history.push({ invoked, returned, input: deed, output })
      return
    }
    const output = await told
    history.push({ invoked, returned: ++moment, input: deed, output })
  }
  await Promise.all(callers.map(async (deeds) => {
    for (const deed of deeds) await act(deed)
  }))
  return history
}
