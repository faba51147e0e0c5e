/** The controls of an emulator, with their types. Each is one request below `/_emulator`. */
import * as Duration from "effect/Duration"
import type { Task } from "#contract/Monitoring"
import type {
  ClockReading,
  DriverFault,
  Fault,
  FaultRule,
  Ledger,
  LoggedRequest,
  NewAccount,
  NewKey,
  SavedState,
  Wallet
} from "./ControlTypes.ts"
import type { DeploySetting } from "./Options.ts"

/** Asks a control. Rejects with `EmulatorError`. */
export type Ask = <T>(method: string, path: string, body?: unknown) => Promise<T>

const clock = (ask: Ask) => ({
  /** What it shows. */
  now: () => ask<ClockReading>("GET", "/clock"),
  /** Stops it: nothing falls due until it is moved. Timeouts of clients go on. */
  freeze: () => ask<ClockReading>("POST", "/clock", { freeze: true }),
  /**
   * Moves it forward by up to ten years (milliseconds, `"31 days"`, `{ hours: 2 }`), and does what falls due meanwhile
   * in due order: deployments, renewals, expiry, backups, retries. Ends when all of that is done.
   */
  advance: (duration: Duration.Input) =>
    ask<ClockReading>("POST", "/clock", { advance_ms: Duration.toMillis(duration) }),
  /** Lets it run again, from where it stands. */
  release: () => ask<ClockReading>("POST", "/clock", { freeze: false })
})

const deploy = (ask: Ask) => {
  const set = (setting: DeploySetting) => ask<Required<DeploySetting>>("PUT", "/deploy", setting)
  return {
    /** Deployments and all other work on machines are done at once, those under way too. */
    instant: () => set({ mode: "instant" }),
    /** They take so long on the emulator's clock: milliseconds, `"2 minutes"`, ...; at most a day. */
    after: (duration: Duration.Input) => set({ mode: "after_ms", value: Duration.toMillis(duration) }),
    /** They are done when their instance has been read so many times: waiting takes no time at all. */
    afterPolls: (reads: number) => set({ mode: "after_polls", value: reads }),
    /**
     * They fail, and are paid back: the next `count`, or all until `faults.clear()`. Those that were accepted before
     * are not struck.
     */
    failing: (options: { readonly count?: number } = {}) =>
      ask<Fault & DriverFault>("POST", "/faults", { operation: "driver.provision", driver: "rejected", ...options })
  }
}

const faults = (ask: Ask) => ({
  /** A rule that holds from now on, until it has struck `count` times or is cleared. The oldest that fits strikes. */
  add: (rule: FaultRule) => ask<Fault>("POST", "/faults", rule),
  /** Oldest first, with how often each has struck; those that are used up too. */
  list: () => ask<ReadonlyArray<Fault>>("GET", "/faults"),
  /** Takes all of them away. */
  clear: async () => void await ask("DELETE", "/faults")
})

const wallet = (ask: Ask) => ({
  /** Puts money in, and answers what it holds now. What had expired for want of money is renewed from it first. */
  topUp: async (amount: number, account_id = 1) =>
    (await ask<Pick<Wallet, "balance">>("POST", "/wallet", { account_id, amount })).balance,
  /** Lets it hold exactly this, and answers what it holds now: less when something expired was renewed from it. */
  set: async (balance: number, account_id = 1) =>
    (await ask<Pick<Wallet, "balance">>("PUT", "/wallet", { account_id, balance })).balance,
  /** What it holds, and the journals that led there. */
  statement: (account_id = 1) => ask<Wallet>("GET", `/wallet/${account_id}`)
})

const accounts = (ask: Ask) => ({
  /** Another customer, with a key of scope `vps:create`. */
  create: (account: NewAccount) =>
    ask<{ readonly account_id: number; readonly api_key: string }>("POST", "/accounts", account)
})

const keys = (ask: Ask) => ({
  /** A key with exactly these scopes. */
  mint: (key: NewKey) => ask<{ readonly id: number; readonly api_key: string }>("POST", "/keys", key),
  /** It opens nothing from now on. */
  revoke: async (id: number) => void await ask("DELETE", `/keys/${id}`)
})

const states = (ask: Ask) => ({
  /**
   * Keeps everything as it is now under a name of 1 to 64 letters, digits, dots, dashes, underscores; replaces what had
   * the name.
   */
  save: (name: string) => ask<SavedState>("POST", `/states/${encodeURIComponent(name)}`),
  /** Everything goes on from where it was then, the clock too; the same every time. */
  restore: (name: string) => ask<SavedState>("POST", `/states/${encodeURIComponent(name)}/restore`),
  /** By name. */
  list: () => ask<ReadonlyArray<SavedState>>("GET", "/states")
})

const requests = (ask: Ask) => ({
  /** The last 1,000 requests that were answered, oldest first; retries and dry runs are requests of their own. */
  list: () => ask<ReadonlyArray<LoggedRequest>>("GET", "/requests"),
  /** Forgets them: what comes next stands alone. */
  clear: async () => void await ask("DELETE", "/requests")
})

/** Every control. */
export const controls = (ask: Ask) => ({
  /** The clock by which the service lives: deployments, renewals, expiry, backups. */
  clock: clock(ask),
  /** How deployments go. */
  deploy: deploy(ask),
  /** What goes wrong on demand. */
  faults: faults(ask),
  /** Money of account 1, unless another is named. Amounts have two decimals. */
  wallet: wallet(ask),
  /** Customers. */
  accounts: accounts(ask),
  /** API keys. */
  keys: keys(ask),
  /** Named states to come back to. */
  states: states(ask),
  /** What clients have asked: for assertions. */
  requests: requests(ask),
  /** The tasks of all instances, newest first. */
  tasks: () => ask<ReadonlyArray<Task>>("GET", "/tasks"),
  /** The books of all accounts. */
  ledger: () => ask<Ledger>("GET", "/ledger"),
  /** Back to the seed, with the same key: instances, money, faults, requests, clock. Saved states stay. */
  reset: async () => void await ask("POST", "/reset")
})

export type Controls = ReturnType<typeof controls>
