/** The commands that change accounts, close them and open them again. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Authentication } from "../../auth/Authentication.ts"
import { asText, toAmount } from "../../domain/Money.ts"
import { Accounts } from "../../persistence/Accounts.ts"
import { ApiKeys } from "../../persistence/ApiKeys.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { addFacts } from "../AuditFacts.ts"
import { reject } from "../CommandRejected.ts"
import { hundredths } from "../Input.ts"
import { findAccount, findOpenAccount, showAccount } from "./Accounts.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

/** New charges have the new VAT; bookings stay as they are. */
const editAccount = Effect.fnUntraced(function*(input: InputOf<"accounts.edit">) {
  const { id } = input
  const accounts = yield* Accounts
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const { email, vat } = yield* findAccount(id)
    const rate = input.vat_rate === undefined ? vat.rate : hundredths(input.vat_rate)
    yield* accounts.edit(id, {
      email: input.email ?? email,
      vat: { treatment: input.vat_treatment ?? vat.treatment, rate }
    })
    yield* addFacts({ before: { email, vat_treatment: vat.treatment, vat_rate: vat.rate / 100 } })
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

export const ACCOUNT_CHANGES_USE_CASES = {
  "accounts.edit": editAccount,
  "accounts.close": closeAccount,
  "accounts.reopen": reopenAccount
} satisfies UseCases
