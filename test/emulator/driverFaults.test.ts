/** The effects of driver faults: only a lost answer comes after the work. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { deployed, startApp, type TestApp } from "../support/app.ts"

const machineOf = (app: TestApp, tag: string) =>
  app.inside(Effect.flatMap(SimulatedMachines, ({ find }) => Effect.map(find(tag), (found) => found ?? null)))

const fault = (app: TestApp, operation: string, driver: string) =>
  app.control("POST", "/faults", { operation: `driver.${operation}`, driver })

/** Starts with a frozen clock and instant deployments. */
const frozen = Effect.tap(startApp(), (app) => app.control("POST", "/clock", { freeze: true }))

const buy = (app: TestApp) => app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname: "web" } })

describe("a fault at the driver", () => {
  it.live.each([["busy", false], ["unavailable", false], ["rejected", false], ["lost_answer", true]] as const)(
    "%s while a server is ordered: whether the upstream has it is %s",
    ([driver, isThere]) =>
      Effect.gen(function*() {
        const app = yield* frozen
        yield* fault(app, "provision", driver)
        yield* buy(app)
        yield* app.control("POST", "/clock", { advance_ms: 0 })
        assert.isAbove((yield* app.control("GET", "/faults")).body[0].hits, 0)
        assert.strictEqual((yield* machineOf(app, "instance-1")) !== null, isThere)
      })
  )

  it.live.each([["unavailable", "web"], ["lost_answer", "db"]] as const)(
    "%s while a server is renamed: 502, and the upstream calls it %s",
    ([driver, hostname]) =>
      Effect.gen(function*() {
        const app = yield* frozen
        yield* buy(app)
        yield* deployed(app, 1)
        yield* fault(app, "set_hostname", driver)
        const renamed = yield* app.api({ method: "PATCH", path: "/instances/1/hostname", body: { hostname: "db" } })
        assert.strictEqual(renamed.status, 502)
        assert.strictEqual((yield* machineOf(app, "instance-1"))!.hostname, hostname)
      })
  )
})
