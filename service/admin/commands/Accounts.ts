/** The commands for accounts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Calendar.ts"
import { toAmount } from "../../domain/Money.ts"
import { HOME_RATE } from "../../domain/Vat.ts"
import { Limits } from "../../config/Limits.ts"
import { Accounts as AccountsRepository } from "../../persistence/Accounts.ts"
import { type ListedAccount, OperatorLists } from "../../persistence/OperatorLists.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { addFacts } from "../AuditFacts.ts"
import { notFound, reject } from "../CommandRejected.ts"
import { hundredths } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

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
  created_at: toTimestamp(account.createdAt),
  closed_at: account.closedAt === null ? null : toTimestamp(account.closedAt)
})

/** Fails with `CommandRejected` if the account does not exist. */
export const findAccount = Effect.fnUntraced(function*(id: number) {
  return (yield* (yield* OperatorLists).account(id)) ?? (yield* notFound("account", id))
})

/** Fails with `CommandRejected` if the account does not exist, or is closed. */
export const findOpenAccount = Effect.fnUntraced(function*(id: number) {
  const account = yield* findAccount(id)
  if (account.closedAt === null) return account
  return yield* closed(id)
})

export const closed = (id: number) => reject(`Account ${id} is closed. Run "accounts reopen ${id}" first.`)

const createAccount = Effect.fnUntraced(function*(input: InputOf<"accounts.create">) {
  const accounts = yield* AccountsRepository
  const at = yield* Clock.currentTimeMillis
  const { currency, email, vat_rate, vat_treatment: treatment } = input
  const vat = { treatment, rate: vat_rate === undefined ? HOME_RATE : hundredths(vat_rate) }
  const id = yield* (yield* Transaction).run(
    Effect.tap(accounts.create({ email, currency, vat, at }), (id) => addFacts({ account_id: id }))
  )
  return toRecord(yield* findAccount(id))
})

const listAccounts = Effect.fnUntraced(function*({ after, limit, search }: InputOf<"accounts.list">) {
  return (yield* (yield* OperatorLists).accounts(search ?? null, after, limit)).map(toRecord)
})

export const showAccount = Effect.fnUntraced(function*({ id }: { id: number }) {
  return toRecord(yield* findAccount(id))
})

/** Changes the create limits of an account, and returns the effective ones. */
export const accountLimits = Effect.fnUntraced(function*(input: InputOf<"accounts.limits">) {
  const { id } = yield* findAccount(input.id)
  const accounts = yield* AccountsRepository
  const defaults = yield* Limits
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const current = (yield* accounts.find(id))!.creates
    const perMinute = input.creates_per_minute === undefined ? current.perMinute : input.creates_per_minute
    const perHour = input.creates_per_hour === undefined ? current.perHour : input.creates_per_hour
    if (perMinute !== current.perMinute || perHour !== current.perHour) {
      yield* accounts.setCreateLimits(id, { perMinute, perHour })
    }
    return {
      account_id: id,
      creates_per_minute: perMinute ?? defaults.CREATES_PER_MINUTE,
      creates_per_hour: perHour ?? defaults.CREATES_PER_HOUR,
      set_for_account: [
        ...(perMinute === null ? [] : ["creates_per_minute" as const]),
        ...(perHour === null ? [] : ["creates_per_hour" as const])
      ]
    }
  }))
})

export const ACCOUNTS_USE_CASES = {
  "accounts.create": createAccount,
  "accounts.list": listAccounts,
  "accounts.show": showAccount,
  "accounts.limits": accountLimits
} satisfies UseCases
