/** Every field of a create's body counts (spec, Create body): it is in the order, on the machine, or in the charge. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { deployed, startApp } from "../support/app.ts"

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3xGMmVq1NjYHcFdvtdsPxqvLEUGRqWnvRDTYG3Cugd me@example.test"

const BODY = {
  service_id: 2,
  hostname: "web.example.test",
  os: "alma-9",
  ssh_pubkey: KEY,
  root_password: "correct-horse",
  coupon_code: "WELCOME10"
}

describe("a create with every field", () => {
  it.live("orders and builds according to each of them, and returns no secret", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const preview = yield* app.api({ method: "POST", path: "/instances?dry_run=true", body: BODY })
      assert.deepInclude(preview.body, {
        service_id: 2,
        charge_amount: 8.99,
        discount_amount: 1,
        wallet_balance: 1_000
      })
      const { body: bought, status } = yield* app.api({ method: "POST", path: "/instances", body: BODY })
      assert.strictEqual(status, 201)
      const config = JSON.parse(bought.order.config)
      assert.deepInclude(config, {
        service_id: 2,
        hostname: "web.example.test",
        os: "alma-9",
        coupon_code: "WELCOME10"
      })
      assert.match(config.ssh_key_fingerprint, /^SHA256:/)
      const shown = yield* deployed(app, bought.id)
      assert.deepInclude(JSON.parse(shown.provider_data!), { hostname: "web.example.test", os: "alma-9" })
      const machine = yield* app.inside(
        Effect.flatMap(SimulatedMachines, ({ find }) => Effect.map(find("instance-1"), (found) => found ?? null))
      )
      assert.deepInclude(machine, { hostname: "web.example.test", os: "alma-9", plan: "vps-m", sshKey: KEY })
      assert.strictEqual((yield* app.control("GET", "/wallet")).body.balance, 1_000 - 8.99)
      const { body: tasks } = yield* app.api({ path: "/instances/1/tasks" })
      assert.notInclude(JSON.stringify([bought, shown, tasks]), "correct-horse")
    }))

  it.live("does not take an address for a host name", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const hostname of ["198.51.100.7", "1.2", "42"]) {
        const { body, status } = yield* app.api({ method: "POST", path: "/instances", body: { ...BODY, hostname } })
        assert.strictEqual(status, 422)
        assert.deepInclude(body.detail[0], { loc: ["body", "hostname"], type: "value_error" })
      }
      assert.deepStrictEqual((yield* app.api({ path: "/instances" })).body, [])
    }))

  it.live("may set optional fields to null", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const none = Object.fromEntries(Object.keys(BODY).slice(1).map((name) => [name, null]))
      const bought = yield* Effect.forEach([{}, none], (more) =>
        Effect.map(
          app.api({ method: "POST", path: "/instances", body: { service_id: 1, ...more } }),
          ({ body, status }) => [status, body.order.config] as const
        ))
      assert.deepStrictEqual(bought[0], bought[1])
      assert.strictEqual(bought[0]![0], 201)
    }))
})
