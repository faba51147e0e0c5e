/** Accounts, as operators make and see them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Calendar.ts"
import { toAmount } from "../../domain/Money.ts"
import { HOME_RATE, type Treatment } from "../../domain/Vat.ts"
import { Limits } from "../../config/Limits.ts"
import { Accounts as AccountsRepository } from "../../persistence/Accounts.ts"
import { type ListedAccount, OperatorLists } from "../../persistence/OperatorLists.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { CommandRejected, hundredths } from "../InputSchemas.ts"

/** Basis points in a percent. */
const PERCENT = 100

const toRecord = (account: ListedAccount) => ({
  id: account.id,
  email: account.email,
  currency: account.currency,
  wallet: toAmount(account.wallet),
  vat_treatment: account.vat.treatment,
  vat_rate: account.vat.rate / PERCENT,
  instances: account.instances,
  keys: account.keys,
  created_at: toTimestamp(account.createdAt)
})

/** The account. Fails with `Refused` when there is none. */
export const findAccount = Effect.fnUntraced(function*(id: number) {
  const found = yield* (yield* OperatorLists).account(id)
  return found ??
    (yield* new CommandRejected({ message: `There is no account ${id}; "accounts list" shows those there are.` }))
})

export interface NewAccount {
  readonly email: string
  readonly currency: string
  readonly vat_treatment: Treatment
  /** In percent; the home rate unless given. */
  readonly vat_rate?: number
}

export const createAccount = Effect.fnUntraced(function*({ currency, email, vat_rate, vat_treatment }: NewAccount) {
  const accounts = yield* AccountsRepository
  const at = yield* Clock.currentTimeMillis
  const vat = { treatment: vat_treatment, rate: vat_rate === undefined ? HOME_RATE : hundredths(vat_rate) }
  const id = yield* (yield* Transaction).run(accounts.create({ email, currency, vat, at }))
  return toRecord(yield* findAccount(id))
})

export const listAccounts = Effect.fnUntraced(function*({ after, limit }: { after: number; limit: number }) {
  return (yield* (yield* OperatorLists).accounts(after, limit)).map(toRecord)
})

export const showAccount = Effect.fnUntraced(function*({ id }: { id: number }) {
  return toRecord(yield* findAccount(id))
})

/** Limits that are absent stay as they are; null is the service's own. */
export interface AskedLimits {
  readonly id: number
  readonly creates_per_minute?: number | null
  readonly creates_per_hour?: number | null
}

/** Sets how often an account may create, and shows what holds. */
export const accountLimits = Effect.fnUntraced(function*(asked: AskedLimits) {
  const { id } = yield* findAccount(asked.id)
  const accounts = yield* AccountsRepository
  const defaults = yield* Limits
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const before = (yield* accounts.find(id))!.creates
    const perMinute = asked.creates_per_minute === undefined ? before.perMinute : asked.creates_per_minute
    const perHour = asked.creates_per_hour === undefined ? before.perHour : asked.creates_per_hour
    if (perMinute !== before.perMinute || perHour !== before.perHour) {
      yield* accounts.setCreateLimits(id, { perMinute, perHour })
    }
    return {
      account_id: id,
      creates_per_minute: perMinute ?? defaults.CREATES_PER_MINUTE,
      creates_per_hour: perHour ?? defaults.CREATES_PER_HOUR,
      set_for_account: [
        ...(perMinute === null ? [] : ["creates_per_minute"]),
        ...(perHour === null ? [] : ["creates_per_hour"])
      ]
    }
  }))
})
