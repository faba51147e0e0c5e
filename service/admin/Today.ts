/** The numbers that operators look at first. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../domain/Timestamp.ts"
import { toAmount } from "../domain/Money.ts"
import { Books } from "../ledger/Books.ts"
import { UNRECONCILED } from "../operations/Registry.ts"
import { ClockTrust } from "../persistence/clock/ServiceClock.ts"
import { Hosts } from "../persistence/Hosts.ts"
import { type MoneySum, Overview } from "../persistence/Overview.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { accountsAtRisk, type Due, dueOf } from "../billing/MoneyAtRisk.ts"
import { ownerOf } from "../instances/Admission.ts"
import { nextCharge } from "../operations/Renew.ts"
import { Instances } from "../persistence/Instances.ts"
import { accountsInNeed } from "./AccountsInNeed.ts"
import type { EndingReason, JournalKind } from "../contract/Words.ts"

const DAY_MILLIS = 86_400_000

/** Days ahead, in which a customer can still be informed. */
const EXPIRING_DAYS = 7

/** Longest lists: more need a list of their own. */
const LISTED_MAX = 100

export const CHARGES: ReadonlyArray<JournalKind> = ["instance_create", "instance_renew", "instance_resize", "debit"]

const moneyOf = (currency: string, sums: ReadonlyArray<MoneySum>) => {
  const sum = (kinds: ReadonlyArray<JournalKind>) =>
    toAmount(sums.reduce((total, { amount, kind }) => kinds.includes(kind) ? total + amount : total, 0))
  return {
    currency,
    top_ups: sum(["top_up"]),
    payouts: sum(["payout"]),
    charges: sum(CHARGES),
    refunds: sum(["refund"])
  }
}

const money = Effect.fnUntraced(function*(since: number) {
  const sums = yield* (yield* Overview).money(since)
  return [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, own]) => moneyOf(currency, own))
})

const tasks = Effect.fnUntraced(function*(now: number) {
  const overview = yield* Overview
  const { dueSince, held, queued, running } = yield* overview.tasks(now)
  return {
    queued,
    running,
    held,
    failed: yield* overview.failedSince(now - DAY_MILLIS),
    unreconciled: (yield* (yield* Tasks).unreconciled(UNRECONCILED, LISTED_MAX)).length,
    due_since: dueSince === null ? null : toTimestamp(dueSince)
  }
})

/** An instance that is powered off or deleted at a moment, unless the customer acts. */
interface Ending extends Due {
  readonly accountId: number
  readonly why: EndingReason
}

const momentOf = ({ at, graceUntil }: Due): number => graceUntil ?? at

/** Those that are not renewed, that the wallet does not pay for, or that wait to be deleted; soonest first. */
const endingsOf = Effect.fnUntraced(function*(now: number) {
  const before = now + EXPIRING_DAYS * DAY_MILLIS
  const off = (yield* (yield* Overview).endings(before, LISTED_MAX)).map((one): Ending => ({
    ...dueOf(one),
    accountId: one.accountId,
    why: "not_renewed"
  }))
  const unpaid = [...yield* accountsAtRisk(now)].flatMap(([accountId, risk]) =>
    risk.unpaid.map((one): Ending => ({ ...one, accountId, why: one.graceUntil === null ? "unpaid" : "expired" }))
  )
  // A payment does not renew them, so they are at no risk: only the customer can turn their renewal on.
  const expired = (yield* (yield* Instances).subscriptions.graceEnds(0, before)).filter(({ autoRenew }) => !autoRenew)
  const lost = yield* Effect.forEach(
    expired,
    Effect.fnUntraced(function*(one) {
      const { vat } = yield* ownerOf(one)
      const { hostname = null } = (yield* (yield* Instances).find(one.instanceId)) ?? {}
      const { accountId, expiresAt: at, graceUntil, instanceId } = one
      return { accountId, instanceId, hostname, at, graceUntil, charge: nextCharge(one, vat), why: "expired" } as Ending
    })
  )
  return [...off, ...unpaid, ...lost].toSorted((a, b) => momentOf(a) - momentOf(b) || a.instanceId - b.instanceId)
})

const endings = Effect.fnUntraced(function*(now: number) {
  const all = yield* endingsOf(now)
  const shown = yield* Effect.forEach(
    all.slice(0, LISTED_MAX),
    Effect.fnUntraced(function*(one) {
      const { currency, email, name } = yield* ownerOf(one)
      return {
        instance_id: one.instanceId,
        hostname: one.hostname,
        account_id: one.accountId,
        account: name ?? email,
        why: one.why,
        at: toTimestamp(momentOf(one)),
        charge: toAmount(one.charge),
        currency
      }
    })
  )
  return { shown, count: all.length }
})

const accounts = Effect.gen(function*() {
  const [low, failing] = [yield* accountsInNeed("low_balance"), yield* accountsInNeed("failures")]
  return { low_balance: low.length, failures: failing.length }
})

const hosts = Effect.map(
  Effect.flatMap(Hosts, ({ list }) => list),
  (all) =>
    all.map(({ capacity, name, state, used }) => ({
      name,
      state,
      cpus: { used: used.cpus, total: capacity.cpus },
      memory_mib: { used: used.memoryMib, total: capacity.memoryMib },
      disk_gib: { used: used.diskGib, total: capacity.diskGib }
    }))
)

const books = Effect.gen(function*() {
  const { at, balanced } = yield* (yield* Books).checked
  return { balanced, checked_at: toTimestamp(at) }
})

export const today = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  return {
    at: toTimestamp(now),
    tasks: yield* tasks(now),
    instances: Object.fromEntries(yield* (yield* Overview).lifecycles),
    money: yield* money(now - DAY_MILLIS),
    endings: yield* endings(now),
    accounts: yield* accounts,
    hosts: yield* hosts,
    books: yield* books,
    clock_trusted: (yield* ClockTrust).doubt() === null
  }
})
