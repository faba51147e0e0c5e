/** `Emulator.layer` provides the same controls as effects, in a scope. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Vps } from "@pulumi-vps/sdk"
import { Vps as VpsService } from "@pulumi-vps/sdk/effect"
import { EmulatorError } from "@pulumi-vps/testing"
import { Emulator } from "@pulumi-vps/testing/effect"

describe("the layer", () => {
  it.effect("has every control, as an effect", () =>
    Effect.gen(function*() {
      const emulator = yield* Emulator
      const { id } = yield* Effect.promise(() => emulator.client().instances.create({ service_id: 1 }))
      const { now } = yield* emulator.clock.freeze()
      const moved = yield* emulator.clock.advance("2 hours")
      assert.strictEqual(Date.parse(moved.now) - Date.parse(now), 7_200_000)
      // At the hour of the nightly backups there is one of those, too.
      const provision = (yield* emulator.tasks()).find(({ type }) => type === "provision")
      assert.deepInclude(provision, { instance_id: id, status: "succeeded" })
      assert.strictEqual((yield* emulator.wallet.statement()).balance, 45.01)
      assert.isAbove((yield* emulator.admin("plans.list", {})).length, 0)
      yield* emulator.reset()
      assert.deepStrictEqual(yield* emulator.tasks(), [])
    }).pipe(Effect.provide(Emulator.layer({ seed: { wallet: 50 } }))))

  it.effect("has typed failures", () =>
    Effect.gen(function*() {
      const emulator = yield* Emulator
      const missing = yield* emulator.keys.revoke(99).pipe(
        Effect.as("revoked"),
        Effect.catchTag("EmulatorError", ({ status }) => Effect.succeed(status))
      )
      assert.strictEqual(missing, 404)
      assert.instanceOf(yield* Effect.flip(emulator.admin("instances.unsuspend", { id: 99 })), EmulatorError)
    }).pipe(Effect.provide(Emulator.layer())))

  it.effect("fails for an invalid seed", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(Emulator.layer({ seed: { wallet: -1 } }))))
      assert.include(error.message, "wallet")
    }))

  it.effect("provides the client", () =>
    Effect.gen(function*() {
      const vps = yield* VpsService
      const emulator = yield* Emulator
      yield* emulator.deploy.instant()
      assert.strictEqual((yield* vps.instances.createAndWait({ service_id: 1 })).status, "running")
      assert.strictEqual((yield* emulator.wallet.statement()).balance, 45.01)
    }).pipe(
      Effect.provide(Emulator.client().pipe(Layer.provideMerge(Emulator.layer({ seed: { wallet: 50 } }))))
    ))

  it.effect("stops with its scope", () =>
    Effect.gen(function*() {
      const { apiKey, url } = yield* Effect.provide(
        Effect.map(Emulator, ({ apiKey, url }) => ({ apiKey, url })),
        Emulator.layer()
      )
      const vps = new Vps({ apiKey, baseUrl: url, maxRetries: 0 })
      const error: unknown = yield* Effect.promise(() => vps.account.whoami().catch((reason: unknown) => reason))
      assert.deepInclude(error, { _tag: "ConnectionError" })
    }))
})
