/** The typed controls of an emulator. Each sends one request below `/_emulator`. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { Task } from "@pulumi-vps/sdk"
import type {
  ClockReading,
  DeploySetting,
  DriverFault,
  DurationInput,
  Fault,
  FaultRule,
  Ledger,
  LoggedRequest,
  NewAccount,
  NewKey,
  SavedState,
  SentMail,
  Wallet
} from "./Types.ts"
import { EmulatorError } from "./EmulatorError.ts"

/** Sends a request to a control. Rejects with `EmulatorError`. */
export type SendControl = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** Programs without types may pass anything; a text that is not a duration must not be an error of another kind. */
const toMillis = (duration: DurationInput): number => {
  const parsed = Number.isNaN(duration) ? Option.none() : Duration.fromInput(duration)
  if (Option.isSome(parsed)) return Duration.toMillis(parsed.value)
  const hint = "Pass milliseconds, a text like \"31 days\", or an object like { hours: 2 }."
  throw new EmulatorError(`Invalid duration: ${String(duration)}. ${hint}`)
}

const clock = (send: SendControl) => ({
  /** Reads the clock. */
  now: () => send<ClockReading>("GET", "/clock"),
  /** Stops the clock: nothing becomes due until it is advanced. Client timeouts still run. */
  freeze: () => send<ClockReading>("POST", "/clock", { freeze: true }),
  /**
   * Advances the clock by up to ten years (milliseconds, `"31 days"`, `{ hours: 2 }`) and runs everything that becomes
   * due, in order: deployments, renewals, expiry, backups, retries. Resolves when all of it is done.
   */
  advance: async (duration: DurationInput) => send<ClockReading>("POST", "/clock", { advance_ms: toMillis(duration) }),
  /** Resumes the clock from its current time. */
  release: () => send<ClockReading>("POST", "/clock", { freeze: false })
})

const deploy = (send: SendControl) => {
  const set = (setting: DeploySetting) => send<Required<DeploySetting>>("PUT", "/deploy", setting)
  return {
    /** Deployments and all other tasks complete immediately, including running ones. */
    instant: () => set({ mode: "instant" }),
    /** Tasks take this long on the emulator's clock: milliseconds, `"2 minutes"`, ...; at most a day. */
    after: async (duration: DurationInput) => set({ mode: "after_ms", value: toMillis(duration) }),
    /** Tasks complete when their instance has been read this many times, so waiting takes no time. */
    afterPolls: (reads: number) => set({ mode: "after_polls", value: reads }),
    /** Deployments fail and are refunded: the next `count`, or all until `faults.clear()`. Running ones continue. */
    failing: (options: { readonly count?: number } = {}) =>
      send<Fault & DriverFault>("POST", "/faults", { operation: "driver.provision", driver: "rejected", ...options })
  }
}

const faults = (send: SendControl) => ({
  /** Adds a rule that applies until it was triggered `count` times or is cleared. The oldest matching rule wins. */
  add: (rule: FaultRule) => send<Fault>("POST", "/faults", rule),
  /** Lists the rules, oldest first, including exhausted ones, with their hits. */
  list: () => send<ReadonlyArray<Fault>>("GET", "/faults"),
  /** Removes all rules. */
  clear: async () => void await send("DELETE", "/faults")
})

const wallet = (send: SendControl) => ({
  /** Adds money and returns the new balance. Renews instances that expired for lack of funds first. */
  topUp: async (amount: number, account_id = 1) =>
    (await send<Pick<Wallet, "balance">>("POST", "/wallet", { account_id, amount })).balance,
  /** Sets the balance and returns it; less if it renewed an expired instance. */
  set: async (balance: number, account_id = 1) =>
    (await send<Pick<Wallet, "balance">>("PUT", "/wallet", { account_id, balance })).balance,
  /** The balance and the journals behind it. */
  statement: (account_id = 1) => send<Wallet>("GET", `/wallet/${account_id}`)
})

const accounts = (send: SendControl) => ({
  /** Creates another customer with a key of scope `vps:create`. */
  create: (account: NewAccount) =>
    send<{ readonly account_id: number; readonly api_key: string }>("POST", "/accounts", account)
})

const keys = (send: SendControl) => ({
  /** Creates a key with exactly these scopes. */
  mint: (key: NewKey) => send<{ readonly id: number; readonly api_key: string }>("POST", "/keys", key),
  /** Revokes a key immediately. */
  revoke: async (id: number) => void await send("DELETE", `/keys/${id}`)
})

const states = (send: SendControl) => ({
  /** Saves the whole state. A name has 1 to 64 letters, digits, dots, dashes, and underscores; it may be reused. */
  save: (name: string) => send<SavedState>("POST", `/states/${encodeURIComponent(name)}`),
  /** Restores everything, including the clock. What follows is deterministic. */
  restore: (name: string) => send<SavedState>("POST", `/states/${encodeURIComponent(name)}/restore`),
  /** Lists the saved states by name. */
  list: () => send<ReadonlyArray<SavedState>>("GET", "/states")
})

const requests = (send: SendControl) => ({
  /** The last 1,000 answered requests, oldest first. Retries and dry runs count separately. */
  list: () => send<ReadonlyArray<LoggedRequest>>("GET", "/requests"),
  /** Clears the log. */
  clear: async () => void await send("DELETE", "/requests")
})

const mails = (send: SendControl) => ({
  /** The last 1,000 mails that were sent, or would have been without a mail server, oldest first. */
  list: () => send<ReadonlyArray<SentMail>>("GET", "/mails"),
  /** Clears the list. */
  clear: async () => void await send("DELETE", "/mails")
})

/** All controls. */
export const controls = (send: SendControl) => ({
  /** The clock for deployments, renewals, expiry, and backups. */
  clock: clock(send),
  /** The duration and outcome of deployments. */
  deploy: deploy(send),
  /** Fault injection. */
  faults: faults(send),
  /** The wallet of account 1 by default. Amounts have two decimals. */
  wallet: wallet(send),
  /** Customers. */
  accounts: accounts(send),
  /** API keys. */
  keys: keys(send),
  /** Saved states. */
  states: states(send),
  /** The log of client requests, for assertions. */
  requests: requests(send),
  /** The mails to customers, for assertions. */
  mails: mails(send),
  /** The tasks of all instances, newest first. */
  tasks: () => send<ReadonlyArray<Task>>("GET", "/tasks"),
  /** The ledger of all accounts. */
  ledger: () => send<Ledger>("GET", "/ledger"),
  /** Resets everything but saved states to the seed, with the same key. */
  reset: async () => void await send("POST", "/reset")
})

export type Controls = ReturnType<typeof controls>
