/** Reads are possible in every state; a deleted instance is found by no account. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CONDITIONS } from "#service/domain/InstanceMachine"
import { listBackups } from "#service/operations/Backups"
import { getInstance, listInstances, taskPage } from "#service/instances/Read"
import { listIsos } from "#service/operations/Isos"
import { liveStatus, metrics } from "#service/instances/Monitoring"
import { availablePlans } from "#service/operations/Resize"
import { listSnapshots } from "#service/operations/Snapshots"
import { IN_STATE, running } from "../support/instances.ts"
import { setLifecycle } from "../support/lifecycle.ts"
import { owner, serviceLayer } from "../support/service.ts"

const READS = {
  get: () => getInstance(owner, 1, (instance) => instance),
  status: () => liveStatus(owner, 1),
  metrics: () => metrics(owner, 1, "1h"),
  tasks: () => taskPage(owner, 1, { limit: 20, offset: 0 }),
  "available-plans": () => availablePlans(owner, 1),
  snapshots: () => listSnapshots(owner, 1),
  backups: () => listBackups(owner, 1),
  isos: () => listIsos(owner, 1)
}

type Name = keyof typeof READS
type Needs = Effect.Services<ReturnType<typeof READS[Name]>>

const read = (name: Name): Effect.Effect<unknown, unknown, Needs> => READS[name]()

describe.each(Object.keys(READS) as ReadonlyArray<Name>)("the read of %s", (name) => {
  it.effect.each(CONDITIONS)("is answered for an instance that is %s", (condition) =>
    Effect.gen(function*() {
      yield* IN_STATE[condition]
      assert.isDefined(yield* read(name))
      assert.deepStrictEqual((yield* listInstances(owner)).map(({ id }) => id), [1])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("does not find a deleted instance, which is not listed either", () =>
    Effect.gen(function*() {
      yield* running()
      yield* setLifecycle(1, "deleted")
      assert.deepInclude(yield* Effect.flip(read(name)), { _tag: "InstanceNotFound", instanceId: 1 })
      assert.deepStrictEqual(yield* listInstances(owner), [])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("an instance", () => {
  it.effect("is rendered once until anything is written", () =>
    Effect.gen(function*() {
      const id = yield* running()
      let renders = 0
      const get = getInstance(owner, id, () => ++renders)
      assert.deepStrictEqual([yield* get, yield* get], [1, 1])
      yield* setLifecycle(id, "suspended")
      assert.deepStrictEqual([yield* get, yield* get], [2, 2])
    }).pipe(Effect.provide(serviceLayer())))
})
