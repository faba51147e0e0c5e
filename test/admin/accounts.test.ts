/** The commands of operators on accounts: bookings, automatic renewal, and limits. */
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import { assert, describe, it } from "@effect/vitest"
import type { CommandName, InputOf, ResultOf } from "#service/contract/operator/Commands"
import type { CommandRejected } from "#service/admin/Input"
import { execute } from "#service/admin/Execute"
import { actorOf, thisOperator } from "#service/admin/Operator"
import { AuditEntries } from "#service/persistence/AuditEntries"
import { Journals } from "#service/persistence/Journals"
import { startApp, type TestApp } from "../support/app.ts"
import { CURRENCIES } from "#service/contract/Words"
import { accountLimits, freezeAccount, unfreezeAccount } from "#service/admin/commands/Accounts"
import { setAutoRenew, suspend, unsuspend } from "#service/admin/commands/Instances"
import { changeAutoRenew } from "#service/billing/Renewals"
import { nextNight } from "#service/domain/BackupNight"
import { verify } from "#service/ledger/Ledger"
import { Backups } from "#service/persistence/Snapshots"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { at, until } from "../support/billing.ts"
import { operationTime, running } from "../support/instances.ts"
import { setLifecycle } from "../support/lifecycle.ts"
import { allTasks, buy, elapse, serviceLayer, show } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const operating = (app: TestApp) => {
  const run = <Name extends CommandName>(name: Name, input: InputOf<Name>) =>
    app.inside(execute(name, input, actorOf(thisOperator()))) as Effect.Effect<ResultOf<Name>, CommandRejected>
  const refused = <Name extends CommandName>(name: Name, input: InputOf<Name>) =>
    Effect.map(Effect.flip(run(name, input)), ({ message }) => message)
  return { run, refused }
}

/** With 1000.00 in the wallet of account 1, less an instance of 4.99 (line 2). */
const shop = Effect.gen(function*() {
  const app = yield* startApp()
  yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
  return { app, ...operating(app) }
})

/** The facts in the newest entry of the audit log. */
const audited = (app: TestApp) =>
  app.inside(Effect.gen(function*() {
    const { after, head } = yield* AuditEntries
    const [newest] = yield* after((yield* head)!.seq - 1, 1)
    const { accountId, details, instanceId } = newest!
    return { accountId, instanceId, ...JSON.parse(details) } as Readonly<Record<string, unknown>>
  }))

const entriesOf = (app: TestApp, line: number) =>
  app.inside(Effect.map(Effect.flatMap(Journals, ({ byId }) => byId(line)), (found) => found!.entries))

describe("a debit", () => {
  it.live("charges the wallet with the customer's VAT, and is on the statement with its reason", () =>
    Effect.gen(function*() {
      const { app, run } = yield* shop
      const input = { account_id: 1, amount: 11.9, reason: "data recovery", payout: false, reference: "d" }
      const debit = yield* run("wallet.debit", input)
      assert.deepInclude(debit, { amount: -11.9, wallet: 983.11, reference: "debit:d", repeated: false })
      assert.deepStrictEqual(yield* entriesOf(app, debit.line), [
        { account: "wallet:1", amount: -1190 },
        { account: "revenue", amount: 1000 },
        { account: "vat", amount: 190 }
      ])
      const [line] = yield* run("wallet.statement", { account_id: 1, limit: 1 })
      assert.deepInclude(line, {
        description: "Debit: data recovery",
        reason: "data recovery",
        vat_rate: 19,
        plan: null
      })
      assert.isTrue((yield* run("ledger.verify", {})).balanced)
    }).pipe(Effect.scoped))

  it.live("that is repeated is booked once; another one needs another reference", () =>
    Effect.gen(function*() {
      const { app, refused, run } = yield* shop
      const input = { account_id: 1, amount: 5, reason: "fee", payout: false, reference: "d" }
      const first = yield* run("wallet.debit", input)
      assert.deepStrictEqual(yield* run("wallet.debit", input), { ...first, repeated: true })
      assert.deepInclude(yield* audited(app), { accountId: 1, reference: "debit:d", repeated: true })
      yield* run("accounts.create", { email: "b@example.test", currency: "EUR", vat_treatment: "domestic" })
      assert.include(
        yield* refused("wallet.debit", { ...input, account_id: 2 }),
        `debit:d is already booked: line ${first.line} of account 1`
      )
      assert.strictEqual(
        yield* refused("wallet.debit", { ...input, amount: 6 }),
        `debit:d is already booked: line ${first.line} of account 1, -5.00 EUR. Nothing was changed. `
          + "Use another reference."
      )
      const together = yield* Effect.all([1, 2, 3].map(() => run("wallet.debit", { ...input, reference: "e" })), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(together.filter(({ repeated }) => !repeated).length, 1)
      assert.strictEqual((yield* run("accounts.show", { id: 1 })).wallet, 985.01)
    }).pipe(Effect.scoped))

  it.live("that pays money out goes to the bank, and never exceeds what was paid", () =>
    Effect.gen(function*() {
      const { app, refused, run } = yield* shop
      const input = { account_id: 1, amount: 995.01, reason: "asked", payout: true }
      const { line, reference } = yield* run("wallet.debit", input)
      assert.match(reference, /^payout:[0-9a-f-]{36}$/)
      assert.deepStrictEqual(yield* entriesOf(app, line), [
        { account: "wallet:1", amount: -99_501 },
        { account: "bank", amount: 99_501 }
      ])
      assert.strictEqual(
        yield* refused("wallet.debit", { ...input, amount: 5 }),
        "Account 1 has paid 4.99 EUR that were not paid back, so no more can be. To charge for something else, run the "
          + "command without --payout."
      )
      assert.strictEqual(
        yield* refused("wallet.debit", { ...input, amount: 0.01, payout: false }),
        "The wallet of account 1 holds 0.00 EUR only."
      )
      assert.include(yield* refused("wallet.refund", { line, reason: "x" }), `Line ${line} is not a charge.`)
    }).pipe(Effect.scoped))
})

/** Two customers, who have paid 20.00 each under the references b1 and b2; the first has spent 4.99 of it. */
const twoCustomers = Effect.gen(function*() {
  const { app, refused, run } = yield* shop
  yield* run("wallet.debit", { account_id: 1, amount: 995.01, reason: "asked", payout: true })
  yield* run("wallet.top_up", { account_id: 1, amount: 20, reference: "b1" })
  yield* run("wallet.debit", { account_id: 1, amount: 4.99, reason: "spent", payout: false })
  yield* run("accounts.create", { email: "b@example.test", currency: "EUR", vat_treatment: "domestic" })
  yield* run("wallet.top_up", { account_id: 2, amount: 20, reference: "b2" })
  const wallets = Effect.forEach([1, 2], (id) => Effect.map(run("accounts.show", { id }), ({ wallet }) => wallet))
  return { app, refused, run, wallets }
})

describe("a chargeback", () => {
  it.live("of money that was spent leaves a debt, which stops purchases until it is paid", () =>
    Effect.gen(function*() {
      const { app, refused, run, wallets } = yield* twoCustomers
      const back = { account_id: 1, amount: 20, reason: "charged back", payout: true, reference: "c1" }
      assert.deepInclude(yield* run("wallet.debit", back), { amount: -20, wallet: -4.99, repeated: false })
      assert.deepInclude(yield* run("wallet.debit", back), { wallet: -4.99, repeated: true })
      const buy = (query = "") => app.api({ method: "POST", path: `/instances${query}`, body: { service_id: 1 } })
      const refusal = yield* buy()
      assert.deepStrictEqual([refusal.status, refusal.body], [402, {
        detail: "Insufficient funds: the account owes 4.99 EUR, because a payment was taken back, and this costs 4.99 "
          + "EUR. Top it up and try again."
      }])
      assert.deepInclude((yield* buy("?dry_run=true")).body, { wallet_balance: -4.99, sufficient_funds: false })
      yield* run("coupons.create", { code: "FREE", percent: 100, once_per_account: false })
      const free = app.api({ method: "POST", path: "/instances", body: { service_id: 1, coupon_code: "FREE" } })
      assert.strictEqual((yield* free).status, 402)
      assert.strictEqual(
        yield* refused("wallet.debit", { account_id: 1, amount: 1, reason: "fee", payout: false }),
        "The wallet of account 1 owes 4.99 EUR."
      )
      assert.deepStrictEqual(
        (yield* run("accounts.list", { after: 0, limit: 9, need: "low_balance" })).map(({ id }) => id),
        [1]
      )
      const [line] = yield* run("wallet.statement", { account_id: 1, limit: 1 })
      assert.deepInclude(line, { amount: -20, balance: -4.99 })
      assert.match(line!.description, /^Payout of line \d+: charged back$/)
      yield* run("wallet.top_up", { account_id: 1, amount: 9.98, reference: "b3" })
      assert.strictEqual((yield* buy()).status, 201)
      assert.deepStrictEqual(yield* wallets, [0, 20])
      assert.isTrue((yield* run("ledger.verify", {})).balanced)
    }).pipe(Effect.scoped))
})

describe("a second account for an address", () => {
  it.live("is refused in any case of its letters, unless it is wanted or the first is closed", () =>
    Effect.gen(function*() {
      const { refused, run } = yield* shop
      const input = { email: "owner@example.com", currency: "EUR", vat_treatment: "domestic" } as const
      const { id } = yield* run("accounts.create", input)
      const other = { ...input, email: "Owner@Example.COM" }
      assert.strictEqual(
        yield* refused("accounts.create", other),
        `Owner@Example.COM already has an account: ${id}. Use it, or pass --another to have one more.`
      )
      const second = yield* run("accounts.create", { ...other, another: true })
      assert.match(yield* refused("accounts.create", input), new RegExp(`account: ${id}, ${second.id}\\.`))
      assert.match(yield* refused("accounts.edit", { id: 1, email: "OWNER@example.com" }), /already has an account/)
      yield* run("accounts.edit", { id, email: "OWNER@example.com", another: true })
      for (const one of [id, second.id]) yield* run("accounts.close", { id: one, reason: "asked" })
      yield* run("accounts.create", input)
    }).pipe(Effect.scoped))
})

describe("a frozen account", () => {
  it.live("buys nothing and changes nothing that costs money, with the reason, until it is released", () =>
    Effect.gen(function*() {
      const { app, refused, run } = yield* shop
      const call = (method: "GET" | "POST", path: string, body?: unknown) =>
        Effect.map(app.api({ method, path, body }), ({ body, status }) => [status, body])
      const deployed = Effect.map(call("GET", "/instances/1"), ([, body]) => (body as { status: string }).status)
      while ((yield* deployed) !== "running") yield* Effect.sleep(20)
      const frozen = yield* run("accounts.freeze", { id: 1, reason: "a payment was charged back", suspend: false })
      assert.deepInclude(frozen, { frozen_reason: "a payment was charged back", suspended: [], not_suspended: [] })
      assert.isNotNull(frozen.frozen_at)
      const detail =
        "Account 1 is frozen, so it can buy nothing. The reason: a payment was charged back. Contact support "
        + "to have it released."
      const refusal = [403, { detail }]
      assert.deepStrictEqual(yield* call("POST", "/instances", { service_id: 1 }), refusal)
      assert.deepStrictEqual(yield* call("POST", "/instances?dry_run=true", { service_id: 1 }), refusal)
      assert.deepStrictEqual(yield* call("POST", "/instances/1/resize", { service_id: 2 }), refusal)
      assert.strictEqual((yield* call("GET", "/instances/1"))[0], 200)
      assert.strictEqual((yield* call("POST", "/instances/1/restart"))[0], 200)
      const caller = { accountId: 1, apiKeyId: 1, requestId: "r-1" }
      const on = app.inside(Effect.flip(changeAutoRenew(caller, 1, true)))
      assert.strictEqual((yield* on)._tag, "AccountFrozen")
      yield* app.inside(changeAutoRenew(caller, 1, false))
      assert.deepInclude(yield* run("accounts.unfreeze", { id: 1 }), {
        frozen_at: null,
        frozen_reason: null,
        released: []
      })
      assert.strictEqual((yield* call("POST", "/instances", { service_id: 1 }))[0], 201)
      assert.strictEqual(yield* refused("accounts.unfreeze", { id: 1 }), "Account 1 is not frozen.")
    }).pipe(Effect.scoped))

  it.effect("has its instances suspended, if the operator says so, and gets those back that were not before", () =>
    Effect.gen(function*() {
      const [first, second, third] = [yield* buy(), yield* buy(), yield* buy()]
      yield* elapse(2_000, 60_000)
      yield* suspend({ id: first!.id, reason: "spam", charged: true })
      yield* elapse(2_000)
      const late = yield* buy()
      const { not_suspended: left, suspended } = yield* freezeAccount({ id: 1, reason: "fraud", suspend: true })
      assert.deepStrictEqual(suspended.toSorted((a, b) => a - b), [second!.id, third!.id])
      assert.deepStrictEqual(left, [])
      yield* elapse(2_000)
      assert.deepInclude(yield* show(second!.id), { status: "suspended", suspended_reason: "fraud" })
      assert.strictEqual((yield* show(late.id)).status, "running")
      const again = yield* freezeAccount({ id: 1, reason: "fraud", suspend: true })
      assert.deepStrictEqual(again.suspended, [late.id])
      const busy = yield* unfreezeAccount({ id: 1 })
      assert.deepStrictEqual([busy.released, busy.not_released.map((one) => one.instance_id)], [
        [second!.id, third!.id],
        [
          late.id
        ]
      ])
      yield* elapse(2_000)
      assert.deepStrictEqual((yield* unfreezeAccount({ id: 1 })).released, [late.id])
      yield* elapse(2_000)
      const statuses = Effect.map(
        Effect.forEach([first!, second!, third!, late], ({ id }) => show(id)),
        (shown) => shown.map(({ status }) => status)
      )
      assert.deepStrictEqual(yield* statuses, ["suspended", "running", "running", "running"])
      // An instance whose suspension an operator has lifted since is not of the freeze any more.
      yield* freezeAccount({ id: 1, reason: "fraud", suspend: true })
      yield* elapse(2_000)
      yield* unsuspend({ id: late.id })
      yield* elapse(2_000)
      const lifted = yield* unfreezeAccount({ id: 1 })
      assert.deepInclude(lifted, { released: [second!.id, third!.id], not_released: [] })
      yield* elapse(2_000)
      assert.deepStrictEqual(yield* statuses, ["suspended", "running", "running", "running"])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a payment on the wrong account", () => {
  it.live("that was paid out of it can be booked on the right one under its reference, not on the first again", () =>
    Effect.gen(function*() {
      const { refused, run, wallets } = yield* twoCustomers
      const payment = { amount: 500, reference: "bank-77" }
      yield* run("wallet.top_up", { account_id: 1, ...payment })
      assert.match(
        yield* refused("wallet.top_up", { account_id: 2, ...payment }),
        /already booked: line \d+ of account 1\. Nothing was changed\. .* wallet move-payment "bank-77" --to 2 /
      )
      yield* run("wallet.debit", { account_id: 1, amount: 500, reason: "wrong account", payout: true })
      assert.match(yield* refused("wallet.top_up", { account_id: 1, ...payment }), /already booked/)
      yield* run("wallet.top_up", { account_id: 2, ...payment })
      assert.match(yield* refused("wallet.top_up", { account_id: 2, ...payment }), /already booked/)
      const [line] = yield* run("wallet.statement", { account_id: 2, limit: 1 })
      assert.strictEqual(line!.description, "Top-up bank-77")
      assert.deepStrictEqual(yield* wallets, [15.01, 520])
      assert.isTrue((yield* run("ledger.verify", {})).balanced)
    }).pipe(Effect.scoped))

  it.live("is moved, also after it was spent, once, and back again", () =>
    Effect.gen(function*() {
      const { refused, run, wallets } = yield* twoCustomers
      const move = (to: number) =>
        run("wallet.move_payment", { reference: " B1", to_account_id: to, reason: "wrong account" })
      const moved = { account_id: 2, from_account_id: 1, amount: 20, wallet: 40, from_wallet: -4.99, repeated: false }
      assert.deepInclude(yield* move(2), moved)
      assert.deepInclude(yield* move(2), { account_id: 2, from_account_id: 2, wallet: 40, repeated: true })
      assert.deepStrictEqual(yield* wallets, [-4.99, 40])
      assert.deepInclude(yield* move(1), { from_account_id: 2, wallet: 15.01, from_wallet: 20 })
      assert.deepInclude(yield* move(2), { from_account_id: 1, wallet: 40, from_wallet: -4.99 })
      assert.isTrue((yield* run("ledger.verify", {})).balanced)
      const unknown = { reference: "b9", to_account_id: 2, reason: "x" }
      assert.match(yield* refused("wallet.move_payment", unknown), /^Payment b9 is not booked\. Book it on its account/)
      yield* run("accounts.create", { email: "c@example.test", currency: "USD", vat_treatment: "exempt" })
      assert.match(
        yield* refused("wallet.move_payment", { reference: "b1", to_account_id: 3, reason: "x" }),
        /^The payment is in EUR, but account 3 has USD\. Pay it out of account 2 instead/
      )
    }).pipe(Effect.scoped))
})

describe("a payment", () => {
  it.live("is booked once, however its reference is pasted", () =>
    Effect.gen(function*() {
      const { refused, run } = yield* shop
      const pay = { account_id: 1, amount: 100 }
      const { reference } = yield* run("wallet.top_up", { ...pay, reference: "E2E-2027-0042" })
      assert.strictEqual(reference, "top_up:e2e-2027-0042")
      for (
        const pasted of ["E2E-2027-0042", "E2E-2027-0042 ", " E2E-2027-0042", "e2e-2027-0042", "E2E-2027-0042\u00a0"]
      ) {
        assert.match(yield* refused("wallet.top_up", { ...pay, reference: pasted }), /is already booked/)
      }
      yield* run("wallet.top_up", { ...pay, reference: "E2E 2027  0042" })
      assert.match(yield* refused("wallet.top_up", { ...pay, reference: "E2E 2027 0042" }), /is already booked/)
      assert.strictEqual((yield* run("accounts.show", { id: 1 })).wallet, 1195.01)
    }).pipe(Effect.scoped))

  it.live("has no reference of spaces only", () =>
    Effect.gen(function*() {
      const { refused } = yield* shop
      assert.match(yield* refused("wallet.top_up", { account_id: 1, amount: 1, reference: "  " }), /reference/)
    }).pipe(Effect.scoped))
})

describe("a refund", () => {
  it.live("gives back parts of a charge with their VAT, and the rest at the end, to the cent", () =>
    Effect.gen(function*() {
      const { app, refused, run } = yield* shop
      const first = yield* run("wallet.refund", { line: 2, amount: 1.66, reason: "outage" })
      assert.deepInclude(first, { account_id: 1, amount: 1.66, wallet: 996.67 })
      yield* run("wallet.refund", { line: 2, amount: 1.66, reason: "outage" })
      assert.strictEqual(
        yield* refused("wallet.refund", { line: 2, amount: 1.68, reason: "x" }),
        "Of line 2, 1.67 EUR can be refunded."
      )
      const last = yield* run("wallet.refund", { line: 2, reason: "sorry" })
      assert.deepInclude(last, { amount: 1.67, wallet: 1_000 })
      const all = (yield* Effect.forEach([2, 3, 4, last.line], (line) => entriesOf(app, line))).flat()
      for (const name of ["wallet:1", "revenue", "vat"]) {
        const sum = all.filter(({ account }) => account === name).reduce((total, { amount }) => total + amount, 0)
        assert.strictEqual(sum, 0, name)
      }
      assert.strictEqual(yield* refused("wallet.refund", { line: 2, reason: "x" }), "Line 2 is refunded already.")
      assert.include(yield* refused("wallet.refund", { line: last.line, reason: "x" }), "is not a charge.")
      assert.isTrue((yield* run("ledger.verify", {})).balanced)
    }).pipe(Effect.scoped))

  it.live("that is repeated is booked once", () =>
    Effect.gen(function*() {
      const { app, refused, run } = yield* shop
      yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      const input = { line: 2, reason: "sorry", reference: "r" }
      const first = yield* run("wallet.refund", input)
      assert.isFalse(first.repeated)
      const entry = { accountId: 1, instanceId: 1, line: 2, reason: "sorry", reference: "refund:manual:r" }
      assert.deepStrictEqual(yield* audited(app), entry)
      assert.deepStrictEqual(yield* run("wallet.refund", input), { ...first, repeated: true })
      assert.deepStrictEqual(yield* audited(app), { ...entry, repeated: true })
      assert.include(yield* refused("wallet.refund", { ...input, amount: 1 }), "is already booked")
      assert.include(yield* refused("wallet.refund", { ...input, line: 3 }), "is already booked")
      const fee = yield* run("wallet.debit", { account_id: 1, amount: 1, reason: "fee", payout: false })
      yield* run("wallet.refund", { line: fee.line, reason: "sorry" })
      assert.deepInclude(yield* audited(app), { accountId: 1, instanceId: null })
    }).pipe(Effect.scoped))

  it.live("of a line that does not exist, or that a customer paid in, is rejected", () =>
    Effect.gen(function*() {
      const { refused } = yield* shop
      assert.include(yield* refused("wallet.refund", { line: 1, reason: "x" }), "Line 1 is not a charge.")
      assert.include(yield* refused("wallet.refund", { line: 99, reason: "x" }), "Line 99 not found.")
    }).pipe(Effect.scoped))

  it.live("leaves an automatic refund of the same charge only the rest", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { run } = operating(app)
      yield* app.control("POST", "/faults", { operation: "driver.provision", driver: "rejected", count: 1 })
      yield* app.control("POST", "/clock", { freeze: true })
      yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1_000 })
      yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* run("wallet.refund", { line: 2, amount: 3, reason: "early" })
      yield* app.control("POST", "/clock", { advance_ms: 60_000 })
      const statement = yield* run("wallet.statement", { account_id: 1, limit: 10 })
      assert.deepStrictEqual(statement.map(({ amount, kind }) => [kind, amount]), [
        ["refund", 1.99],
        ["refund", 3],
        ["instance_create", -4.99],
        ["top_up", 1_000]
      ])
      assert.isTrue((yield* run("ledger.verify", {})).balanced)
    }).pipe(Effect.scoped))
})

describe("an account", () => {
  it.live("is found by a part of its address, and changes only what is named", () =>
    Effect.gen(function*() {
      const { refused, run } = yield* shop
      yield* run("accounts.create", { email: "Ada@Example.org", currency: "EUR", vat_treatment: "domestic" })
      const found = yield* run("accounts.list", { search: "ADA@", after: 0, limit: 10 })
      assert.deepStrictEqual(found.map(({ id }) => id), [2])
      const edited = yield* run("accounts.edit", { id: 2, vat_treatment: "oss", vat_rate: 21 })
      assert.deepInclude(edited, { email: "Ada@Example.org", vat_treatment: "oss", vat_rate: 21 })
      assert.include(yield* refused("accounts.edit", { id: 9, vat_rate: 1 }), "Account 9 not found.")
    }).pipe(Effect.scoped))

  it.live("that is closed while it is topped up keeps no money", () =>
    Effect.gen(function*() {
      const { run } = yield* shop
      for (let id = 2; id <= 9; id++) {
        yield* run("accounts.create", { email: `${id}@example.test`, currency: "EUR", vat_treatment: "domestic" })
        const both = [
          Effect.asVoid(run("wallet.top_up", { account_id: id, amount: 1 })),
          Effect.asVoid(run("accounts.close", { id, reason: "asked" }))
        ]
        const ended = yield* Effect.forEach(id % 2 === 0 ? both : both.toReversed(), Effect.exit, { concurrency: 2 })
        assert.lengthOf(ended.filter(({ _tag }) => _tag === "Success"), 1)
        const { closed_at: closedAt, wallet } = yield* run("accounts.show", { id })
        assert.strictEqual(closedAt === null, wallet === 1)
      }
    }).pipe(Effect.scoped))

  it.live("has a currency with two decimals", () =>
    Effect.gen(function*() {
      const { refused, run } = yield* shop
      for (const currency of ["JPY", "KWD", "MGA", "CLF", "eur", "XYZ"]) {
        const input = { email: "b@example.test", currency, vat_treatment: "domestic" } as const
        const message = yield* refused("accounts.create", input)
        assert.include(message, "currency: Input should be a currency with two decimals: AED, AFN, ")
      }
      const plan = { ...(yield* run("catalogue.export", {})).plans![0]!, currency: "JPY" }
      const message = yield* refused("catalogue.import", { document: { plans: [plan] }, dry_run: false })
      assert.include(message, "currency: Input should be a currency with two decimals")
      const others = "BHD BIF CLF CLP DJF GNF IQD ISK JOD JPY KMF KRW KWD LYD MGA MRU OMR PYG RWF TND UGX UYI UYW VND "
        + "VUV XAF XOF XPF"
      for (const currency of others.split(" ")) assert.notInclude(CURRENCIES, currency)
    }).pipe(Effect.scoped))

  it.live("is closed once it has neither instances nor money; its keys stop working", () =>
    Effect.gen(function*() {
      const { app, refused, run } = yield* shop
      const closing = { id: 1, reason: "asked" }
      assert.strictEqual(
        yield* refused("accounts.close", closing),
        "Account 1 has instances (1). Terminate them first."
      )
      yield* run("accounts.create", { email: "b@example.test", currency: "EUR", vat_treatment: "domestic" })
      const { api_key: key } = yield* run("keys.create", { account_id: 2, name: "k", scopes: ["vps:read"] })
      yield* run("wallet.top_up", { account_id: 2, amount: 1 })
      assert.include(
        yield* refused("accounts.close", { ...closing, id: 2 }),
        "The wallet of account 2 holds 1.00 EUR. Pay it out first: wallet debit 2 1.00 --payout."
      )
      yield* run("wallet.debit", { account_id: 2, amount: 1, reason: "closing", payout: true })
      assert.strictEqual((yield* app.api({ path: "/whoami", key })).status, 200)
      const closed = yield* run("accounts.close", { ...closing, id: 2 })
      assert.deepInclude(closed, { id: 2, revoked_keys: 1, keys: 0 })
      assert.isNotNull(closed.closed_at)
      assert.strictEqual((yield* app.api({ path: "/whoami", key })).status, 401)
      for (
        const refusal of [
          yield* refused("wallet.top_up", { account_id: 2, amount: 1 }),
          yield* refused("keys.create", { account_id: 2, name: "k", scopes: ["vps:read"] }),
          yield* refused("people.invite", { account_id: 2, email: "c@example.test", role: "customer" }),
          yield* refused("accounts.close", { ...closing, id: 2 })
        ]
      ) assert.strictEqual(refusal, "Account 2 is closed. Run \"accounts reopen 2\" first.")
      assert.isNull((yield* run("accounts.reopen", { id: 2 })).closed_at)
      assert.strictEqual((yield* app.api({ path: "/whoami", key })).status, 401)
      yield* run("wallet.top_up", { account_id: 2, amount: 1 })
      assert.include(yield* refused("accounts.reopen", { id: 2 }), "Account 2 is not closed.")
    }).pipe(Effect.scoped))
})

const { CREATES_PER_HOUR, CREATES_PER_MINUTE } = DEFAULT_LIMITS

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const audits = Effect.map(allTasks, (tasks) => tasks.filter(({ type }) => type === "set_auto_renew"))

describe("auto-renewal", () => {
  it.effect("that an operator turns off lets the instance expire with its period, and is in the feed", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.isTrue((yield* show(id)).auto_renew)
      const result = yield* setAutoRenew({ id, auto_renew: false })
      assert.deepInclude(result, { instance_id: id, auto_renew: false, lifecycle: "active", renewed: false })
      assert.isFalse((yield* show(id)).auto_renew)
      assert.deepInclude((yield* audits)[0], { kind: "audit", actor: "admin", status: "succeeded", instanceId: id })
      // A repetition has no effect and leaves no record.
      yield* setAutoRenew({ id, auto_renew: false })
      assert.lengthOf(yield* audits, 1)
      yield* until(at((yield* show(id)).expires_at!))
      assert.strictEqual((yield* show(id)).status, "expired")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is turned on again within the grace brings it back, for the price of a period", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* setAutoRenew({ id, auto_renew: false })
      yield* until(at((yield* show(id)).expires_at!))
      yield* elapse(5_000, 500)
      const result = yield* setAutoRenew({ id, auto_renew: true })
      assert.deepInclude(result, { auto_renew: true, lifecycle: "active", renewed: true })
      yield* elapse(2_000)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is refused for what was never deployed, and for what is not there", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* setLifecycle(id, "failed")
      assert.include(yield* refusal(setAutoRenew({ id, auto_renew: false })), "nothing to renew")
      yield* setLifecycle(id, "deleted")
      assert.include(yield* refusal(setAutoRenew({ id, auto_renew: false })), `Instance ${id} not found`)
      assert.include(yield* refusal(setAutoRenew({ id: 99, auto_renew: true })), "Instance 99 not found")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("an account's limits of creates", () => {
  it.effect("are the service's own until an operator sets some, one by one, and takes them back", () =>
    Effect.gen(function*() {
      const own = {
        account_id: 1,
        creates_per_minute: CREATES_PER_MINUTE,
        creates_per_hour: CREATES_PER_HOUR,
        set_for_account: []
      }
      assert.deepStrictEqual(yield* accountLimits({ id: 1 }), own)
      assert.deepStrictEqual(yield* accountLimits({ id: 1, creates_per_hour: 500 }), {
        ...own,
        creates_per_hour: 500,
        set_for_account: ["creates_per_hour"]
      })
      yield* accountLimits({ id: 1, creates_per_minute: 0, creates_per_hour: 0 })
      assert.deepInclude((yield* (yield* Accounts).find(1))!.creates, { perMinute: 0, perHour: 0 })
      yield* accountLimits({ id: 1, creates_per_minute: 2, creates_per_hour: 500 })
      assert.deepInclude((yield* (yield* Accounts).find(1))!.creates, { perMinute: 2, perHour: 500 })
      assert.deepStrictEqual(yield* accountLimits({ id: 1, creates_per_minute: null, creates_per_hour: null }), own)
      assert.include(yield* refusal(accountLimits({ id: 9 })), "Account 9 not found")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a suspension", () => {
  it.effect("does not wait for a nightly backup, which gives way", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* elapse(2_000)
      const now = yield* Clock.currentTimeMillis
      yield* elapse(nextNight(now, id) - now, 3_600_000)
      assert.strictEqual((yield* (yield* Instances).find(id))!.task, "backup_create")
      assert.deepInclude(yield* suspend({ id, reason: "sends spam" }), { lifecycle: "suspended" })
      yield* operationTime
      assert.deepInclude(yield* (yield* Instances).find(id), { lifecycle: "suspended", power: "off" })
      const tasks = (yield* allTasks).map(({ status, type }) => `${type} ${status}`)
      assert.deepStrictEqual(tasks.slice(-2), ["backup_create cancelled", "suspend succeeded"])
      assert.deepStrictEqual(yield* (yield* Backups).list(id), [])
    }).pipe(Effect.provide(serviceLayer())))
})
