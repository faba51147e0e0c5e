/** The amount that an account has to pay, until when, and how. */
import * as Effect from "effect/Effect"
import type { Whoami } from "@pulumi-vps/contract/Account"
import { Payment } from "../config/Payment.ts"
import { type HowToPay, paymentOf } from "../domain/HowToPay.ts"
import { type Minor, toAmount } from "../domain/Money.ts"
import { toOptionalTimestamp, toTimestamp } from "../domain/Timestamp.ts"
import { ownerOf } from "../instances/Admission.ts"
import { type Risk, riskOfAccount } from "./MoneyAtRisk.ts"

const riskRecord = ({ deletion, missing, unpaid, until }: Risk, currency: string) => ({
  missing: toAmount(missing),
  currency,
  until: toTimestamp(until),
  deletion: toOptionalTimestamp(deletion),
  instances: unpaid.map(({ instanceId }) => instanceId)
})

export interface AmountDue {
  readonly wallet: Minor
  readonly currency: string
  /** For all that is due soon, and for what the account owes; 0 if nothing is. */
  readonly missing: Minor
  readonly record: Required<Pick<Whoami, "at_risk">>
  /** Undefined if the host has not said it. */
  readonly howToPay: HowToPay | undefined
}

export const amountDue = Effect.fnUntraced(function*(account: { readonly accountId: number }) {
  const { accountId } = account
  const { currency, wallet } = yield* ownerOf(account)
  const risk = yield* riskOfAccount(accountId)
  return {
    wallet,
    currency,
    missing: risk?.missing ?? Math.max(0, -wallet),
    record: { at_risk: risk === undefined ? null : riskRecord(risk, currency) },
    howToPay: yield* Payment
  } satisfies AmountDue
})

/** For the API: a key sees what is missing and how to pay it, but not the balance. */
export const dueRecord = Effect.fnUntraced(function*(account: { readonly accountId: number }) {
  const { currency, howToPay, missing, record } = yield* amountDue(account)
  const payment = howToPay === undefined ? null : paymentOf(howToPay, { ...account, currency, missing })
  return { ...record, payment } satisfies Pick<Whoami, "at_risk" | "payment">
})
