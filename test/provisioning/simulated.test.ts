/** The simulated driver: the contract in each deploy mode, its addresses, and what its modes mean. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { normalize } from "#service/domain/IpAddress"
import { Database } from "#service/persistence/sqlite/Database"
import { type DeploySetting, SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Driver } from "#service/provisioning/Driver"
import { ipv4At, ipv6Of, nodeAt, POOL_SIZE } from "#service/provisioning/drivers/simulated/Addresses"
import { DeployClock } from "#service/provisioning/drivers/simulated/DeployClock"
import * as Simulated from "#service/provisioning/drivers/simulated/Simulated"
import { buy, elapse, persistenceLayer, serviceLayer, settle, show } from "../support/service.ts"
import { driverContract } from "./contract.ts"
import { machine, order } from "./Subject.ts"
import { tagOf } from "../support/machineTag.ts"

const driver = Simulated.layer.pipe(Layer.provideMerge(persistenceLayer))

const withSetting = (setting: DeploySetting) => () =>
  Layer.effectDiscard(Effect.flatMap(DeployClock, ({ set }) => set(setting))).pipe(
    Layer.orDie,
    Layer.provideMerge(driver)
  )

const finish = elapse(1_100)

driverContract({ name: "simulated, after 1 s", layer: () => driver, finish, keyless: "windows-2022", samples: true })
driverContract({
  name: "simulated, instant",
  layer: withSetting({ mode: "instant", value: 0 }),
  finish,
  keyless: "windows-2022",
  samples: true
})

describe("simulated addresses", () => {
  it("are unique over the whole pool and stay in 198.18.0.0/15", () => {
    const all = new Set(Array.from({ length: POOL_SIZE }, (_, place) => ipv4At(place)))
    assert.strictEqual(all.size, POOL_SIZE)
    assert.isTrue([...all].every((ip) => /^198\.1[89]\.\d+\.\d+$/.test(ip) && !/\.(?:0|255)$/.test(ip)))
    assert.strictEqual(ipv4At(POOL_SIZE - 1), "198.19.255.254")
  })
  it.each([1, 65_535, 65_536, 65_537, 131_072, 4_000_000_000])("are canonical for IPv6: %i", (id) => {
    assert.strictEqual(normalize(ipv6Of(id)), ipv6Of(id))
    assert.match(ipv6Of(id), /^2001:db8:/)
  })
  it("name nodes after the data center", () => {
    assert.strictEqual(nodeAt("Frankfurt", 0), "fra-node-1")
    assert.strictEqual(nodeAt("Helsinki", 9), "hel-node-2")
    assert.strictEqual(nodeAt("東京", 0), "sim-node-1")
  })

  const machine = (tag: string, address: number) => ({
    tag,
    address,
    hostname: "h",
    os: "o",
    plan: "p",
    specs: null,
    node: "n",
    power: "on" as const,
    bootMode: "disk" as const,
    booted: "disk" as const,
    iso: null,
    sshKey: null,
    createdAt: 0,
    operation: tag
  })
  it.effect("are reused after the pool is exhausted, and only when they are free", () =>
    Effect.gen(function*() {
      const machines = yield* SimulatedMachines
      yield* Effect.forEach([0, 1, 2, 3], (place) => machines.insert(machine(`t${place}`, place)))
      assert.isUndefined(yield* machines.freeAddress(4))
      yield* machines.remove("t2")
      assert.strictEqual(yield* machines.freeAddress(4), 2)
      yield* machines.insert(machine("t4", 2))
      yield* machines.remove("t0")
      assert.strictEqual(yield* machines.freeAddress(4), 0)
    }).pipe(Effect.provide(persistenceLayer)))
})

describe("deploy modes", () => {
  it.effect("after_polls counts reads of that instance only, and keeps the count", () =>
    Effect.gen(function*() {
      const deploy = yield* DeployClock
      yield* deploy.set({ mode: "after_polls", value: 3 })
      const first = yield* buy()
      const second = yield* buy()
      yield* elapse(60_000, 10_000)
      assert.strictEqual(yield* deploy.countRead(yield* tagOf(first.id)), "waiting")
      assert.strictEqual(yield* deploy.countRead(yield* tagOf(second.id)), "waiting")
      assert.strictEqual(yield* deploy.countRead(yield* tagOf(first.id)), "waiting")
      assert.strictEqual(yield* deploy.countRead(yield* tagOf(first.id)), "deployed")
      yield* settle
      assert.strictEqual((yield* show(first.id)).status, "running")
      assert.strictEqual((yield* show(second.id)).status, "provisioning")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("a new setting holds for deployments that are under way", () =>
    Effect.gen(function*() {
      const deploy = yield* DeployClock
      yield* deploy.set({ mode: "after_ms", value: 3_600_000 })
      const { id } = yield* buy()
      yield* elapse(2_000, 500)
      assert.strictEqual((yield* show(id)).status, "provisioning")
      yield* deploy.set({ mode: "instant", value: 0 })
      yield* settle
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("instant finishes without time passing", () =>
    Effect.gen(function*() {
      yield* (yield* DeployClock).set({ mode: "instant", value: 0 })
      const { id } = yield* buy()
      yield* settle
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("reads count for nothing in other modes", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* (yield* DeployClock).countRead("instance-1"), "waiting")
      assert.strictEqual(yield* (yield* SimulatedMachines).polls("instance-1"), 0)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the simulated upstream's memory", () => {
  it.effect("forgets keys after a day, so that it does not grow for ever", () =>
    Effect.gen(function*() {
      const { submit } = yield* Driver
      const stop = (key: string) => submit({ key, tag: "gone", providerId: null, operation: { type: "terminate" } })
      yield* stop("old")
      yield* elapse(25 * 3_600_000, 3_600_000)
      yield* stop("new")
      const machines = yield* SimulatedMachines
      assert.isUndefined(yield* machines.operation("old"))
      assert.isDefined(yield* machines.operation("new"))
    }).pipe(Effect.provide(driver)))

  it.effect("rejects a deployment that arrives after the termination of its machine", () =>
    Effect.gen(function*() {
      const { find, submit } = yield* Driver
      yield* submit(order("1", { type: "terminate" }))
      assert.strictEqual((yield* Effect.flip(submit(order("k", machine))))._tag, "Rejected")
      assert.isUndefined(yield* find("instance-1"))
    }).pipe(Effect.provide(driver)))

  it.effect("and every other table hold no password, before and after the deployment", () =>
    Effect.gen(function*() {
      const { all } = yield* Database
      const tables = all<[string]>("SELECT name FROM sqlite_schema WHERE type = 'table'")()
      const everything = () => JSON.stringify(tables.map(([name]) => all(`SELECT * FROM ${name}`)()))
      yield* buy({ root_password: "correct-horse" })
      assert.notInclude(everything(), "correct-horse")
      yield* elapse(1_100)
      assert.include(everything(), "sim")
      assert.notInclude(everything(), "correct-horse")
    }).pipe(Effect.provide(serviceLayer())))
})
