/** Deployments wait while the database may lack instances that have machines. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { COMMANDS } from "#service/admin/Commands"
import { addPool } from "#service/admin/commands/Addresses"
import type { HostContents } from "#service/domain/Finding"
import { operate } from "#service/operations/Power"
import { Addresses } from "#service/persistence/Addresses"
import { DeploymentHolds } from "#service/persistence/DeploymentHolds"
import { Transaction } from "#service/persistence/Transaction"
import { hostContents, listedMachine } from "../support/hostContents.ts"
import { tagOf } from "../support/machineTag.ts"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const MINUTE = 60_000

const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(effect))

const ADDRESS = "203.0.113.2"

/** A host with the machine of an instance that the database lacks. */
const host = (tag: string, failure: string | null = null) =>
  hostContents("alpha", [listedMachine(tag, { ipv4: ADDRESS })], { failure })

const hosts = (...contents: ReadonlyArray<HostContents>) =>
  Effect.map(Upstream, (upstream) => {
    upstream.contents = contents
  })

const begin = Effect.flatMap(DeploymentHolds, (holds) => within(holds.begin({ reason: "a restore", since: 0 })))

const audit = COMMANDS["machines.audit"].run({ repair: false })

const statusOf = (id: number) => Effect.map(show(id), ({ status }) => status)

describe("a deployment", () => {
  it.effect("continues after a restore once every machine has an instance", () =>
    Effect.gen(function*() {
      const first = yield* buy()
      yield* deployTime
      yield* begin
      yield* hosts(host(yield* tagOf(first.id)))
      const { id } = yield* buy()
      yield* deployTime
      assert.strictEqual(yield* statusOf(id), "running")
      assert.isUndefined(yield* (yield* DeploymentHolds).find)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(
    [
      ["a machine has no instance", host("instance-1-ffffffffff")],
      ["a host does not respond", host("instance-1", "no reply")]
    ] as const
  )("waits after a restore while %s, and continues when that has ended", ([, contents]) =>
    Effect.gen(function*() {
      yield* begin
      yield* hosts(contents)
      const { id } = yield* buy()
      yield* elapse(30 * MINUTE, MINUTE)
      assert.strictEqual(yield* statusOf(id), "pending")
      yield* hosts()
      yield* elapse(30 * MINUTE, MINUTE)
      assert.strictEqual(yield* statusOf(id), "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("continues when an operator confirms the machines, and gets neither the id nor the address of one", () =>
    Effect.gen(function*() {
      yield* addPool({ network: "203.0.113.0/29", gateway: "203.0.113.1", data_center: "Frankfurt" })
      yield* hosts(host("instance-7-ffffffffff"))
      assert.deepStrictEqual((yield* audit).map(({ instance_id, kind }) => [kind, instance_id]), [["unknown", null]])
      assert.include((yield* (yield* DeploymentHolds).find)!.reason, "machines of instances 1 to 7")
      const { id } = yield* buy()
      assert.strictEqual(id, 8)
      yield* elapse(30 * MINUTE, MINUTE)
      assert.strictEqual(yield* statusOf(id), "pending")
      const confirmed = yield* COMMANDS["machines.confirm"].run({})
      assert.deepStrictEqual(confirmed.without_instance, ["instance-7-ffffffffff"])
      yield* elapse(30 * MINUTE, MINUTE)
      assert.strictEqual(yield* statusOf(id), "running")

      const addresses = yield* Addresses
      const now = yield* Clock.currentTimeMillis
      const assigned = yield* within(
        Effect.forEach(
          [8, 9, 10, 11, 12],
          (each) => Effect.andThen(addresses.assign(1, each, now), addresses.of(each))
        )
      )
      const used = assigned.flatMap((each) => each?.address ?? [])
      assert.isNotEmpty(used)
      assert.notInclude(used, ADDRESS)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets no id of a task that the older database may lack: hosts know it as done", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* deployTime
      yield* operate(owner, id, "restart")
      yield* elapse(MINUTE, MINUTE)
      yield* hosts(host("instance-7-ffffffffff"))
      yield* audit
      yield* operate(owner, id, "restart")
      const [one, another] = (yield* allTasks).filter(({ type }) => type === "restart").map((task) => task.id)
      assert.isAbove(another!, one! + 100_000)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets another address if the machine of a lost instance has the one that its order got", () =>
    Effect.gen(function*() {
      yield* addPool({ network: "203.0.113.0/29", gateway: "203.0.113.1", data_center: "Frankfurt" })
      yield* begin
      yield* hosts(host("instance-7-ffffffffff"))
      const { id } = yield* buy()
      const addresses = yield* Addresses
      yield* within(addresses.assign(1, id, yield* Clock.currentTimeMillis))
      assert.strictEqual((yield* addresses.of(id))!.address, ADDRESS)
      yield* elapse(MINUTE, MINUTE)
      assert.strictEqual((yield* addresses.of(id))!.address, "203.0.113.3")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is not held by the machine of a deleted instance, whose id was assigned", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* deployTime
      yield* hosts(host(`instance-${id}-ffffffffff`))
      yield* audit
      assert.isUndefined(yield* (yield* DeploymentHolds).find)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("confirming the machines is refused while no deployment waits", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(COMMANDS["machines.confirm"].run({}))
      assert.match(refused.message, /No deployment waits/)
    }).pipe(Effect.provide(serviceLayer())))
})
