/** Hosts, and the work that one process does for all of them. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { place } from "#service/domain/Placement"
import { Hosts } from "#service/persistence/Hosts"
import { JobLeases } from "#service/persistence/JobLeases"
import { account, instance, NOW, stock } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

export const HOST = {
  name: "alpha",
  dataCenterId: 1,
  uri: "unix:/run/libvirt/libvirt-sock",
  certificates: null,
  pool: "default",
  bridge: "br0",
  accelerator: "kvm",
  capacity: { cpus: 8, memoryMib: 4_096, diskGib: 100 },
  state: "active",
  sharedStorage: "ceph",
  backupPool: null,
  sharedBackups: null,
  at: NOW
} as const

export const hosts: Rules = {
  "take machines while they respond and are active": Effect.gen(function*() {
    yield* stock
    const { active, add, find, setState, setUnreachable } = yield* Hosts
    const id = yield* write(add(HOST))
    const { at: _, ...stored } = HOST
    const used = { cpus: 0, memoryMib: 0, diskGib: 0 }
    assert.deepStrictEqual(yield* find(id), { id, ...stored, used, diskLeftGib: null, unreachableSince: null })
    const active1 = Effect.map(active(1, null), (each) => each.map(({ name }) => name))
    assert.deepStrictEqual(yield* active1, ["alpha"])
    yield* write(setUnreachable(id, NOW))
    assert.strictEqual((yield* find(id))!.unreachableSince, NOW)
    assert.deepStrictEqual(yield* active1, [])
    yield* write(setUnreachable(id, null))
    yield* write(setState(id, "draining"))
    assert.deepStrictEqual(yield* active1, [])
  }),

  "have no disk left that their storage has no space for, although another host has promised it": Effect.gen(
    function*() {
      yield* stock
      const { add, candidates, find, reserve, setDiskLimit } = yield* Hosts
      const [one, two, alone] = [
        yield* write(add(HOST)),
        yield* write(add({ ...HOST, name: "beta" })),
        yield* write(add({ ...HOST, name: "gamma", sharedStorage: null }))
      ]
      for (const id of [one, two, alone]) yield* write(setDiskLimit(id, 30))
      const { accountId, id: instanceId } = yield* Effect.flatMap(account(), (id) => instance(id))
      yield* write(reserve({ instanceId, accountId, hostId: one, size: { cpus: 1, memoryMib: 64, diskGib: 20 } }))
      const left = yield* Effect.forEach([one, two, alone], (id) => Effect.map(find(id), (host) => host!.diskLeftGib))
      assert.deepStrictEqual(left, [10, 10, 30])
      const fitting = (diskGib: number) =>
        Effect.map(
          candidates(1, null, { cpus: 1, memoryMib: 64, diskGib }, 9),
          (hosts) => hosts.map(({ id }) => id).toSorted()
        )
      assert.deepStrictEqual(yield* fitting(10), [one, two, alone])
      assert.deepStrictEqual(yield* fitting(11), [alone])
      yield* write(setDiskLimit(alone, 10))
      assert.deepStrictEqual(yield* fitting(11), [])
    }
  ),

  "are candidates for a machine: enough of them that the best is the best of all": Effect.gen(function*() {
    yield* stock
    const { active, add, candidates, reserve, setImage, setState } = yield* Hosts
    const { accountId, id: instanceId } = yield* Effect.flatMap(account(), (id) => instance(id))
    const size = { cpus: 1, memoryMib: 1_024, diskGib: 10 }
    const few = { cpus: 1, memoryMib: 9_000, diskGib: 100 }
    const ids = yield* write(Effect.gen(function*() {
      const ids: Array<number> = []
      for (const [name, capacity] of Object.entries({ a: {}, b: {}, c: { memoryMib: 5_000 }, full: few, off: {} })) {
        ids.push(yield* add({ ...HOST, name, capacity: { ...HOST.capacity, ...capacity } }))
        const image = { slug: "debian-12", kind: "disk", sha256: "0", volume: "v", createdAt: NOW } as const
        if (name !== "b") yield* setImage({ hostId: ids.at(-1)!, ...image })
      }
      yield* reserve({ instanceId, accountId, hostId: ids[3]!, size })
      yield* setState(ids[4]!, "draining")
      return ids
    }))
    const [a, b, c, full] = ids
    const found = (image: string | null, count: number, wanted = size) =>
      Effect.map(candidates(1, image, wanted, count), (hosts) => hosts.map(({ id }) => id))
    assert.deepStrictEqual(yield* found(null, 10), [c, a, b])
    assert.deepStrictEqual(yield* found(null, 2), [c, a])
    assert.deepStrictEqual(yield* found("debian-12", 10), [c, a])
    for (const more of [{ cpus: 9 }, { memoryMib: 5_001 }, { diskGib: 101 }]) {
      assert.deepStrictEqual(yield* found(null, 10, { ...size, ...more }), [])
    }
    // With machines of the customer on two hosts, three candidates decide.
    const all = yield* active(1, null)
    const own = new Map([[c!, 1], [full!, 1]])
    const best = place(yield* candidates(1, null, size, own.size + 1), size, own)
    assert.strictEqual(best!.id, place(all, size, own)!.id)
  }),

  "have work that is done by the holder of a lease until it ends": Effect.gen(function*() {
    const { take } = yield* JobLeases
    assert.isTrue(yield* write(take("hosts", "one", NOW, NOW + 10)))
    assert.isFalse(yield* write(take("hosts", "other", NOW + 9, NOW + 19)))
    assert.isTrue(yield* write(take("audit", "other", NOW + 9, NOW + 19)))
    assert.isTrue(yield* write(take("hosts", "one", NOW + 9, NOW + 19)))
    assert.isFalse(yield* write(take("hosts", "other", NOW + 18, NOW + 28)))
    assert.isTrue(yield* write(take("hosts", "other", NOW + 19, NOW + 29)))
    assert.isFalse(yield* write(take("hosts", "one", NOW + 19, NOW + 29)))
    // As it was taken by a clock that was days ahead.
    assert.isTrue(yield* write(take("audit", "one", NOW + 1_000, NOW + 1_010)))
    assert.isTrue(yield* write(take("audit", "other", NOW + 20, NOW + 30)))
  })
}
