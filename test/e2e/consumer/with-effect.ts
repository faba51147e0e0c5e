/** A user's node:test file for a program in Effect. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Vps } from "@pulumi-vps/sdk/effect"
import { Emulator } from "@pulumi-vps/testing/effect"

const program = Effect.flatMap(Vps, (vps) => vps.instances.createAndWait({ service_id: 1 }))

test("buys", async () => {
  const emulator = Emulator.layer({ seed: { wallet: 20, deploy: { mode: "instant" } } })
  const balance = await Effect.gen(function*() {
    const { clock, keys, wallet } = yield* Emulator
    assert.equal((yield* program).status, "running")
    yield* clock.advance("31 days")
    assert.equal((yield* Effect.flip(keys.revoke(99))).status, 404)
    return (yield* wallet.statement()).balance
  }).pipe(Effect.provide(Emulator.client().pipe(Layer.provideMerge(emulator))), Effect.runPromise)
  assert.equal(balance, 10.02)
})
