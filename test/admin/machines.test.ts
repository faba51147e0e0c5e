/** The audit of machines on the simulated driver: the command, its repairs, and the schedule's report. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { COMMANDS } from "#service/admin/Commands"
import { nextNight } from "#service/domain/BackupNight"
import { PlacesMachines } from "#service/catalogue/Capacity"
import { Limits } from "#service/config/Limits"
import { Metrics, scrape } from "#service/observability/Metrics"
import { findPowerChanges, repair } from "#service/operations/MachineAudit"
import { operate } from "#service/operations/Power"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Transaction } from "#service/persistence/Transaction"
import { Driver } from "#service/provisioning/Driver"
import * as AuditSchedule from "#service/tasks/AuditSchedule"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { setLifecycle } from "../support/lifecycle.ts"
import { machineOf, tagOf } from "../support/machineTag.ts"

const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(effect))

const deployed = Effect.gen(function*() {
  const { id } = yield* buy()
  yield* deployTime
  return id
})

/** Changes a machine behind the back of the service. */
const power = Effect.fnUntraced(function*(id: number, power: "on" | "off") {
  const machines = yield* SimulatedMachines
  const machine = yield* machines.find(yield* tagOf(id))
  yield* within(machines.save({ ...machine!, power }))
})

const audit = (repair = false) =>
  Effect.map(
    COMMANDS["machines.audit"].run({ repair }),
    (found) => found.map(({ instance_id: id, kind, repaired }): ReadonlyArray<unknown> => [id, kind, repaired])
  )

describe("machines audit", () => {
  it.effect("finds nothing in an undisturbed service, also while machines are built", () =>
    Effect.gen(function*() {
      yield* deployed
      yield* buy()
      assert.deepStrictEqual(yield* audit(), [])
      yield* deployTime
      assert.deepStrictEqual(yield* audit(), [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("reports a lost machine and one that no instance needs, and leaves both as they are", () =>
    Effect.gen(function*() {
      const [lost, gone] = [yield* deployed, yield* deployed]
      const machines = yield* SimulatedMachines
      yield* within(machines.remove(yield* tagOf(lost)))
      yield* setLifecycle(gone, "deleted")
      const expected = [[lost, "missing", false], [null, "unknown", false]]
      assert.deepStrictEqual(yield* audit(true), expected)
      assert.deepStrictEqual(yield* audit(), expected)
      assert.isDefined(yield* machines.find(yield* tagOf(gone)))
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("corrects the record of a machine that was shut down from inside, so that it can be started", () =>
    Effect.gen(function*() {
      const id = yield* deployed
      yield* power(id, "off")
      assert.deepStrictEqual(yield* audit(), [[id, "power", false]])
      assert.strictEqual((yield* show(id)).status, "running")
      assert.deepStrictEqual(yield* audit(true), [[id, "power", true]])
      assert.strictEqual((yield* show(id)).status, "stopped")
      assert.deepStrictEqual(yield* audit(), [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("stops the machine of a suspended instance", () =>
    Effect.gen(function*() {
      const id = yield* deployed
      yield* COMMANDS["instances.suspend"].run({ id, reason: "spam" })
      yield* elapse(1_000)
      yield* power(id, "on")
      assert.deepStrictEqual(yield* audit(true), [[id, "power", true]])
      yield* elapse(1_000)
      assert.strictEqual((yield* machineOf(id))!.power, "off")
      assert.deepInclude((yield* allTasks).at(-1)!, { type: "stop", status: "succeeded", actor: "system" })
      assert.deepStrictEqual(yield* audit(), [])
    }).pipe(Effect.provide(serviceLayer())))

  /** A driver whose machines that are off have a reason. */
  const offBecause = Effect.fnUntraced(function*(reason: "isCrashed" | "isLeftOff") {
    const driver = yield* Driver
    return Driver.of({
      ...driver,
      list: (scope) =>
        Effect.map(driver.list(scope), (hosts) =>
          hosts.map((host) => ({
            ...host,
            machines: host.machines.map((each) => ({ ...each, [reason]: each.power === "off" }))
          })))
    })
  })

  /** An audit and its repairs, after which a machine that is off counts as crashed. */
  const auditCrashes = Effect.gen(function*() {
    const found = yield* Effect.provideService(audit(true), Driver, yield* offBecause("isCrashed"))
    yield* elapse(1_000)
    return found
  })

  it.effect("starts all machines of a host that was restarted, as often as that happens", () =>
    Effect.gen(function*() {
      const { AUDIT_RESTARTS_MAX } = yield* Limits
      const id = yield* deployed
      const driver = yield* offBecause("isLeftOff")
      for (let restarts = 0; restarts <= AUDIT_RESTARTS_MAX; restarts++) {
        yield* power(id, "off")
        const { changes: findings } = yield* Effect.provideService(findPowerChanges(new Map()), Driver, driver)
        assert.deepInclude(findings[0]!, { kind: "power", repair: "start_again" })
        const repaired = yield* Effect.provideService(
          Effect.provideService(repair(findings), Driver, driver),
          Limits,
          { ...DEFAULT_LIMITS, AUDIT_REPAIRS_MAX: 0 }
        )
        assert.lengthOf(repaired, 1)
        yield* elapse(1_000)
        assert.strictEqual((yield* show(id)).status, "running")
      }
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("starts a machine that crashed", () =>
    Effect.gen(function*() {
      const id = yield* deployed
      yield* power(id, "off")
      yield* auditCrashes
      assert.strictEqual((yield* machineOf(id))!.power, "on")
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("leaves a machine off that crashes again and again, until its owner starts it", () =>
    Effect.gen(function*() {
      const { AUDIT_RESTARTS_MAX, AUDIT_RESTARTS_WINDOW_MILLIS } = yield* Limits
      const id = yield* deployed
      const crash = Effect.andThen(power(id, "off"), auditCrashes)
      for (let restarts = 0; restarts < AUDIT_RESTARTS_MAX; restarts++) {
        assert.deepStrictEqual(yield* crash, [[id, "power", true]])
        assert.strictEqual((yield* show(id)).status, "running")
      }
      const starts = (yield* allTasks).length
      assert.deepStrictEqual(yield* crash, [[id, "crash", true]])
      assert.strictEqual((yield* show(id)).status, "stopped")
      const tasks = yield* allTasks
      assert.strictEqual(tasks.length, starts + 1)
      assert.deepInclude(tasks.at(-1)!, { type: "start", kind: "audit", status: "failed", actor: "system" })
      assert.match(tasks.at(-1)!.error!, /crashed too often/)

      yield* elapse(AUDIT_RESTARTS_WINDOW_MILLIS, 60_000)
      assert.deepStrictEqual(yield* auditCrashes, [[id, "crash", false]])
      yield* operate(owner, id, "start")
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* auditCrashes, [])
      assert.deepStrictEqual(yield* crash, [[id, "power", true]])
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("counts only its own starts before it leaves a machine off, and those of the window only", () =>
    Effect.gen(function*() {
      const { AUDIT_RESTARTS_WINDOW_MILLIS: window } = yield* Limits
      const id = yield* deployed
      const crash = Effect.andThen(power(id, "off"), auditCrashes)
      // A nightly backup is a task of the service, too, and its owner may start it.
      yield* elapse(nextNight(yield* Clock.currentTimeMillis, id), 60_000)
      yield* elapse(3_000, 1_000)
      assert.deepInclude((yield* allTasks).at(-1)!, { type: "backup_create", actor: "system", status: "succeeded" })
      for (const action of ["stop", "start"] as const) {
        yield* operate(owner, id, action)
        yield* elapse(1_000)
      }
      assert.deepStrictEqual(yield* crash, [[id, "power", true]])
      yield* elapse(window / 2, 60_000)
      assert.deepStrictEqual(yield* crash, [[id, "crash", true]])
      yield* operate(owner, id, "start")
      yield* elapse(window / 2, 60_000)
      // The record that it was left off lies within the window, and is not a start.
      assert.deepStrictEqual(yield* crash, [[id, "power", true]])
    }).pipe(
      Effect.provideService(Limits, { ...DEFAULT_LIMITS, AUDIT_RESTARTS_MAX: 1 }),
      Effect.provide(serviceLayer())
    ))

  it.effect("leaves alone what a second look does not find", () =>
    Effect.gen(function*() {
      const id = yield* deployed
      const driver = yield* Driver
      let looks = 0
      const list: typeof driver.list = (scope) =>
        Effect.suspend(() => looks++ === 0 ? Effect.succeed([]) : driver.list(scope))
      assert.deepStrictEqual(yield* Effect.provideService(audit(), Driver, Driver.of({ ...driver, list })), [])
      assert.strictEqual(looks, 2)
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the schedule", () => {
  it.effect("audits at the start and every five minutes: repairs, logs each finding once, and counts", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    return Effect.gen(function*() {
      const [lost, off] = [yield* deployed, yield* deployed]
      yield* within((yield* SimulatedMachines).remove(yield* tagOf(lost)))
      yield* Layer.build(Layer.provide(AuditSchedule.layer, Layer.succeed(PlacesMachines, true)))
      yield* elapse(100)
      assert.match(logged.join("\n"), /^Machine audit: missing instance-1-\w+ on no host: The instance has no machine/)
      assert.include(yield* scrape, `vps_machine_findings{kind="missing"} 1`)
      yield* power(off, "off")
      yield* elapse(5 * 60_000, 30_000)
      assert.strictEqual((yield* show(off)).status, "running")
      // Its host stays up, so its owner has shut it down.
      yield* elapse(6 * 60_000, 30_000)
      assert.strictEqual((yield* show(off)).status, "stopped")
      assert.strictEqual(logged.length, 2)
      assert.match(logged[1]!, /^Machine audit: power instance-2-\w+ on fra-node-2: It was shut down/)
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.mergeAll(serviceLayer(), Metrics.layer, Logger.layer([logger])))
    )
  })

  it.effect("starts what ran on a host that shuts its machines down one after the other, and then restarts", () =>
    Effect.gen(function*() {
      const ids = [yield* deployed, yield* deployed, yield* deployed]
      const driver = yield* Driver
      const at = { down: false, restarted: false }
      // All on one host, which loses why its machines are off when it is restarted.
      const list: typeof driver.list = (scope) =>
        Effect.map(driver.list(scope), (hosts) => [{
          ...hosts[0]!,
          host: "alpha",
          machines: at.down ?
            [] :
            hosts.flatMap(({ machines }) =>
              machines.map((each) => ({ ...each, isLeftOff: at.restarted && each.power === "off" }))
            ),
          failure: at.down ? "It does not respond." : null,
          connection: at.restarted ? 2 : 1
        }])
      yield* Layer.build(Layer.provide(AuditSchedule.layer, Layer.succeed(PlacesMachines, true))).pipe(
        Effect.provideService(Driver, Driver.of({ ...driver, list }))
      )
      for (const id of ids) {
        yield* power(id, "off")
        yield* elapse(5 * 60_000, 10_000)
      }
      at.down = true
      yield* elapse(3 * 60_000, 10_000)
      at.down = false
      at.restarted = true
      yield* elapse(60_000, 10_000)
      for (const id of ids) {
        assert.strictEqual((yield* (yield* SimulatedMachines).find(yield* tagOf(id)))!.power, "on")
        assert.strictEqual((yield* show(id)).status, "running")
      }
    }).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(serviceLayer(), Metrics.layer))))
})
