/** The commands for accounts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Authentication } from "../../auth/Authentication.ts"
import { asText, toAmount } from "../../domain/Money.ts"
import { HOME_RATE } from "../../domain/Vat.ts"
import { Accounts, Accounts as AccountsRepository } from "../../persistence/Accounts.ts"
import { ApiKeys } from "../../persistence/ApiKeys.ts"
import { type ListedAccount, type ListedInstance, OperatorLists } from "../../persistence/OperatorLists.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { addFacts, type UseCases } from "../UseCases.ts"
import { CommandRejected, hundredths, notFound, reject } from "../Input.ts"
import { accountsInNeed, chargesDue, failures } from "../AccountsInNeed.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Timestamp.ts"
import { Limits } from "../../config/Limits.ts"
import { Instances } from "../../persistence/Instances.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { closeToOwner, openToOwner } from "./Instances.ts"

const nameOf = (name: string | undefined): string | null => name?.trim() || null

/** A second account is mostly a mistake, and payments then go to either. An address is the same in any case. */
const assertFirst = Effect.fnUntraced(function*(email: string, own?: number) {
  const others = (yield* (yield* Accounts).ofAddress(email)).filter((id) => id !== own)
  if (others.length === 0) return
  return yield* reject(
    `${email} already has an account: ${others.join(", ")}. Use it, or pass --another to have one more.`
  )
})

/** New charges have the new VAT; bookings stay as they are. */
const editAccount = Effect.fnUntraced(function*(input: InputOf<"accounts.edit">) {
  const { id } = input
  const accounts = yield* Accounts
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const { email, name, vat } = yield* findAccount(id)
    if (input.email !== undefined && !input.another) yield* assertFirst(input.email, id)
    const rate = input.vat_rate === undefined ? vat.rate : hundredths(input.vat_rate)
    yield* accounts.edit(id, {
      email: input.email ?? email,
      vat: { treatment: input.vat_treatment ?? vat.treatment, rate }
    })
    if (input.name !== undefined) yield* accounts.rename(id, nameOf(input.name))
    yield* addFacts({ before: { email, name, vat_treatment: vat.treatment, vat_rate: vat.rate / 100 } })
    return yield* showAccount({ id })
  }))
})

/** More are not named. */
const NAMED_MAX = 10

/** Fails with `CommandRejected` while the customer has something to lose. */
const assertEmpty = Effect.fnUntraced(function*(id: number) {
  const { currency, wallet } = yield* findOpenAccount(id)
  const all = yield* (yield* OperatorLists).instances(
    { id: null, accountId: id, lifecycle: null, search: null, before: null },
    NAMED_MAX + 1
  )
  const open = all.filter(({ lifecycle }) => lifecycle !== "failed")
  if (open.length > 0) {
    const named = open.slice(0, NAMED_MAX).map((instance) => instance.id).join(", ")
    const more = open.length > NAMED_MAX ? ", and more" : ""
    return yield* reject(`Account ${id} has instances (${named}${more}). Terminate them first.`)
  }
  if (wallet === 0) return
  if (wallet < 0) {
    return yield* reject(
      `Account ${id} owes ${asText(toAmount(-wallet))} ${currency}. Book its payment, or write it off by refunding a `
        + "charge of its statement: wallet refund LINE --reason REASON."
    )
  }
  const amount = asText(toAmount(wallet))
  return yield* reject(
    `The wallet of account ${id} holds ${amount} ${currency}. Pay it out first: wallet debit ${id} ${amount} --payout.`
  )
})

/** Revokes all keys. The account's records stay, because the law requires them; its people can no longer use it. */
export const closeAccount = Effect.fnUntraced(function*({ id }: InputOf<"accounts.close">) {
  const at = yield* Clock.currentTimeMillis
  const [accounts, keys] = [yield* Accounts, yield* ApiKeys]
  const closed = yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* assertEmpty(id)
    yield* accounts.setClosed(id, at)
    const revoked = yield* keys.revokeAll(id, at)
    yield* addFacts({ revoked_keys: revoked })
    return { ...(yield* showAccount({ id })), revoked_keys: revoked }
  }))
  yield* (yield* Authentication).clearCache
  return closed
})

/** Its keys remain revoked. */
export const reopenAccount = Effect.fnUntraced(function*({ id }: { readonly id: number }) {
  const accounts = yield* Accounts
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const { closedAt } = yield* findAccount(id)
    if (closedAt === null) return yield* reject(`Account ${id} is not closed.`)
    yield* accounts.setClosed(id, null)
    return yield* showAccount({ id })
  }))
})

/** Suspends each of the account's active instances by itself: one that is busy does not hold up the others. */
const suspendAll = Effect.fnUntraced(function*(accountId: number, reason: string, at: number) {
  const { run } = yield* Transaction
  const { instances } = yield* OperatorLists
  const suspension = { reason, note: "The account is frozen.", freeSince: at, frozen: true }
  const suspended: Array<number> = []
  const left: Array<Left> = []
  const filter = { id: null, accountId, lifecycle: "active", search: null } as const
  for (let before: number | null = null;;) {
    const page: ReadonlyArray<ListedInstance> = yield* instances({ ...filter, before }, PAGE)
    for (const { id } of page) {
      const refusal = yield* refusalOf(run(closeToOwner(id, suspension, at)))
      if (refusal === undefined) suspended.push(id)
      else left.push({ instance_id: id, reason: refusal })
    }
    if (page.length < PAGE) return { suspended, left }
    before = page.at(-1)!.id
  }
})

/** An instance that a command could not change. */
export interface Left {
  readonly instance_id: number
  readonly reason: string
}

/** Instances that are read at once. */
const PAGE = 500

/** The reason for which an operator's command is rejected; undefined if it is executed. */
const refusalOf = <A, E extends { readonly _tag: string }, R>(command: Effect.Effect<A, CommandRejected | E, R>) =>
  command.pipe(
    Effect.as(undefined),
    Effect.catchIf((error) => error instanceof CommandRejected, ({ message }) => Effect.succeed(message))
  )

/**
 * Stops what costs money: purchases, larger plans, and renewals that the customer would turn on. Repeated, it changes
 * the reason, and suspends the instances that were busy.
 */
export const freezeAccount = Effect.fnUntraced(function*(input: InputOf<"accounts.freeze">) {
  const { id, reason, suspend } = input
  const at = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* findOpenAccount(id)
    yield* (yield* Accounts).freeze(id, reason, at)
    yield* addFacts({ account_id: id })
  }))
  const { left, suspended } = suspend ? yield* suspendAll(id, reason, at) : { suspended: [], left: [] }
  yield* (yield* WorkerNotifier).notify
  return { ...(yield* showAccount({ id })), suspended, not_suspended: left }
})

/** Lifts the suspensions that freezing the account began, too. */
export const unfreezeAccount = Effect.fnUntraced(function*({ id }: { readonly id: number }) {
  const at = yield* Clock.currentTimeMillis
  const { run } = yield* Transaction
  const instances = yield* Instances
  const frozen = yield* run(Effect.gen(function*() {
    const { frozenReason } = yield* findAccount(id)
    const suspended = yield* instances.frozen(id)
    if (frozenReason === null && suspended.length === 0) return yield* reject(`Account ${id} is not frozen.`)
    yield* (yield* Accounts).unfreeze(id)
    yield* addFacts({ account_id: id })
    return suspended
  }))
  const released: Array<number> = []
  const left: Array<Left> = []
  for (const instanceId of frozen) {
    const refusal = yield* refusalOf(run(openToOwner(instanceId, at)))
    if (refusal === undefined) released.push(instanceId)
    else left.push({ instance_id: instanceId, reason: refusal })
  }
  yield* (yield* WorkerNotifier).notify
  return { ...(yield* showAccount({ id })), released, not_released: left }
})

/** Basis points in a percent. */
const PERCENT = 100

const toRecord = (account: ListedAccount) => ({
  id: account.id,
  email: account.email,
  name: account.name,
  currency: account.currency,
  wallet: toAmount(account.wallet),
  vat_treatment: account.vat.treatment,
  vat_rate: account.vat.rate / PERCENT,
  instances: account.instances,
  keys: account.keys,
  created_at: toTimestamp(account.createdAt),
  closed_at: toOptionalTimestamp(account.closedAt),
  frozen_at: toOptionalTimestamp(account.frozenAt),
  frozen_reason: account.frozenReason
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
  const id = yield* (yield* Transaction).run(Effect.gen(function*() {
    if (!input.another) yield* assertFirst(email)
    const id = yield* accounts.create({ email, currency, vat, at })
    yield* accounts.rename(id, nameOf(input.name))
    yield* addFacts({ account_id: id })
    return id
  }))
  return toRecord(yield* findAccount(id))
})

const withNeeds = Effect.fnUntraced(function*(accounts: ReadonlyArray<ListedAccount>) {
  const due = yield* chargesDue(accounts.map(({ id }) => id))
  const failed = yield* failures
  return accounts.map((account) => {
    const charges = due.get(account.id) ?? 0
    return {
      ...toRecord(account),
      charges_due: toAmount(charges),
      low_balance: charges > account.wallet,
      failed_tasks: failed.get(account.id) ?? 0
    }
  })
})

const listAccounts = Effect.fnUntraced(function*({ after, limit, need, search }: InputOf<"accounts.list">) {
  const lists = yield* OperatorLists
  const ids = need === undefined ? undefined : (yield* accountsInNeed(need)).filter((id) => id > after)
  return yield* withNeeds(yield* lists.accounts(search ?? null, after, limit, ids))
})

export const showAccount = Effect.fnUntraced(function*({ id }: { id: number }) {
  return toRecord(yield* findAccount(id))
})

const showWithNeeds = Effect.fnUntraced(function*({ id }: InputOf<"accounts.show">) {
  const [shown] = yield* withNeeds([yield* findAccount(id)])
  return shown!
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
  "accounts.edit": editAccount,
  "accounts.close": closeAccount,
  "accounts.reopen": reopenAccount,
  "accounts.freeze": freezeAccount,
  "accounts.unfreeze": unfreezeAccount,
  "accounts.create": createAccount,
  "accounts.list": listAccounts,
  "accounts.show": showWithNeeds,
  "accounts.limits": accountLimits
} satisfies UseCases
