/**
 * A wallet and the keys that buy from it, as one object: concurrent calls over HTTP, their responses, and the possible
 * outcomes of each call, had it been alone.
 */
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

const send = async (
  origin: string,
  { accountId, apiKey }: Customer,
  deed: Deed,
  signal: AbortSignal
): Promise<WalletResponse> => {
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
  const key = deed.key === undefined ? {} : { "idempotency-key": deed.key }
  const headers = { authorization: `Bearer ${apiKey}`, ...key }
  const response = await post(`${origin}/api/v1/instances`, { service_id: deed.plan }, { headers, signal })
  const body = await json(response)
  if (response.status === 201) return { bought: Number(body["id"]) }
  if (response.status === 402) return "too little"
  throw new Error(`a create answered ${response.status}: ${JSON.stringify(body)}`)
}

/** Lets callers act at once, each doing one thing after the other, and writes down what they saw. */
export const record = async (
  origin: string,
  customer: Customer,
  callers: ReadonlyArray<ReadonlyArray<WalletRequest>>
): Promise<ReadonlyArray<Call<Deed, WalletResponse>>> => {
  const history: Array<Call<Deed, WalletResponse>> = []
  let moment = 0
  const act = async ({ cut, deed }: WalletRequest): Promise<void> => {
    const invoked = ++moment
    const controller = new AbortController()
    const told = send(origin, customer, deed, controller.signal)
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
