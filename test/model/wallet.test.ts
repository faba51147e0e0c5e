/** Concurrent requests to a wallet are linearizable: as if they were executed in sequence. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startApp } from "../support/app.ts"
import { check } from "./Linearizability.ts"
import { callers, cents, openAccount, record, toEmulator, walletModel, type WalletRequest } from "./WalletModel.ts"

/** `VPS_TEST_SEED=7` selects other histories, and `VPS_TEST_RUNS=5000` more of them. */
const SEED = Number(process.env["VPS_TEST_SEED"] ?? 8)
const RUNS = Number(process.env["VPS_TEST_RUNS"] ?? 60)

describe("a wallet and the keys that buy from it", () => {
  let origin = ""
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    ;({ origin } = await Effect.runPromise(Scope.provide(startApp(), scope)))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("are linearizable under concurrent and aborted requests", { timeout: 120_000 }, async () => {
    const found = await fc.check(
      fc.asyncProperty(cents, callers, async (wallet, all) => {
        const history = await record(toEmulator(origin, await openAccount(origin, wallet)), all)
        const verdict = check(history, walletModel(wallet))
        if (verdict.linearizable) return
        throw new Error(`${JSON.stringify(verdict.stuck)} cannot follow ${JSON.stringify(verdict.explained)}`)
      }),
      { seed: SEED, numRuns: RUNS }
    )
    assert.strictEqual(fc.defaultReportMessage(found) ?? "linearizable", "linearizable")
  })

  it("would not pass if an answer were another: a second server for a key, money that was not taken", async () => {
    const buy = (key: string): WalletRequest => ({ deed: { kind: "buy", plan: 1, key }, cut: false })
    const look: WalletRequest = { deed: { kind: "look" }, cut: false }
    const customer = await openAccount(origin, 1_000)
    const history = await record(toEmulator(origin, customer), [[buy("k-1"), buy("k-1"), look], [buy("k-2"), look]])
    const model = walletModel(1_000)
    assert.isTrue(check(history, model).linearizable)
    const ids = history.flatMap(({ output }) => typeof output === "object" && "bought" in output ? [output.bought] : [])
    assert.strictEqual(new Set(ids).size, 2)
    const doctored = history.map((call, index) => {
      if (typeof call.output !== "object") return call
      const output = "holds" in call.output ? { holds: call.output.holds + 1 } : { bought: 1_000_000 + index }
      return { ...call, output }
    })
    for (const [index, wrong] of doctored.entries()) {
      // A purchase with a key that no other request uses may return any id.
      const isFree = wrong.input.kind === "buy" && wrong.input.key === "k-2"
      const changed = history.with(index, wrong)
      assert.deepStrictEqual([wrong, check(changed, model).linearizable], [wrong, isFree])
    }
  })
})
