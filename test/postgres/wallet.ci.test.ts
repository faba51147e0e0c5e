/** Concurrent requests to a wallet by three replicas are linearizable, although creates are not SERIALIZABLE. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as fc from "fast-check"
import { assert, describe, it, onTestFinished } from "vitest"
import { createKey } from "#service/auth/Keys"
import { topUp } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { Transaction } from "#service/persistence/Transaction"
import { check } from "../model/Linearizability.ts"
import { buyAt, callers, cents, record, type Send, walletModel } from "../model/WalletModel.ts"
import { noPostgres } from "../support/postgresProject.ts"
import { persistenceOn, seededDatabase, startReplicas } from "../support/replicas.ts"

const REPLICAS = 3
/** `VPS_TEST_SEED=7` selects other histories, and `VPS_TEST_RUNS=500` more of them. */
const SEED = Number(process.env["VPS_TEST_SEED"] ?? 8)
const RUNS = Number(process.env["VPS_TEST_RUNS"] ?? 40)
const VAT = { treatment: "domestic", rate: 1900 } as const

/** Books a payment, as an operator does. */
const pay = (accountId: number, amount: number) =>
  Effect.flatMap(
    Transaction,
    ({ run }) => run(topUp({ accountId, amount, reference: `top_up:${crypto.randomUUID()}`, at: 0 }))
  )

/** A customer of its own for each history, so that histories do not meet. */
const opened = Effect.fnUntraced(function*(wallet: number) {
  const { run } = yield* Transaction
  const { create } = yield* Accounts
  const accountId = yield* run(create({ email: "history@example.test", currency: "EUR", vat: VAT, at: 0 }))
  if (wallet > 0) yield* pay(accountId, wallet)
  const key = { accountId, name: "history", scopes: ["vps:create"], expiresAt: null, at: 0 } as const
  return { accountId, apiKey: (yield* run(createKey(key))).token }
})

describe.skipIf(noPostgres)("three replicas on one PostgreSQL database", () => {
  it("let a wallet and its keys be linearizable under concurrent and aborted requests", async () => {
    const database = await seededDatabase()
    const replicas = await startReplicas(REPLICAS, database)
    const own = ManagedRuntime.make(persistenceOn(database))
    onTestFinished(() => own.dispose())
    let next = 0
    const sendFor =
      ({ accountId, apiKey }: Effect.Success<ReturnType<typeof opened>>): Send => async (deed, signal) => {
        if (deed.kind === "buy") return buyAt(replicas[next++ % REPLICAS]!.url, apiKey, deed, signal)
        if (deed.kind === "fill") return own.runPromise(Effect.as(pay(accountId, deed.cents), "filled" as const))
        return { holds: (await own.runPromise(Effect.flatMap(Accounts, ({ find }) => find(accountId))))!.wallet }
      }
    const found = await fc.check(
      fc.asyncProperty(cents, callers, async (wallet, all) => {
        const verdict = check(await record(sendFor(await own.runPromise(opened(wallet))), all), walletModel(wallet))
        if (verdict.linearizable) return
        throw new Error(`${JSON.stringify(verdict.stuck)} cannot follow ${JSON.stringify(verdict.explained)}`)
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true }
    )
    assert.strictEqual(fc.defaultReportMessage(found) ?? "linearizable", "linearizable")
  })
})
