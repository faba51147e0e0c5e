/** Hosts, and the work that one process does for all of them. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Hosts } from "#service/persistence/Hosts"
import { Leases } from "#service/persistence/Leases"
import { NOW, stock } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

export const HOST = {
  name: "alpha",
  dataCentreId: 1,
  uri: "unix:/run/libvirt/libvirt-sock",
  certificates: null,
  pool: "default",
  bridge: "br0",
  accelerator: "kvm",
  capacity: { cpus: 8, memoryMib: 4_096, diskGib: 100 },
  state: "active",
  sharedStorage: "ceph",
  at: NOW
} as const

export const hosts: Rules = {
  "take machines while they respond and are active": Effect.gen(function*() {
    yield* stock
    const { active, add, find, setState, setUnreachable } = yield* Hosts
    const id = yield* write(add(HOST))
    const { at: _, ...stored } = HOST
    const used = { cpus: 0, memoryMib: 0, diskGib: 0 }
    assert.deepStrictEqual(yield* find(id), { id, ...stored, used, unreachableSince: null })
    const active1 = Effect.map(active(1, null), (each) => each.map(({ name }) => name))
    assert.deepStrictEqual(yield* active1, ["alpha"])
    yield* write(setUnreachable(id, NOW))
    assert.strictEqual((yield* find(id))!.unreachableSince, NOW)
    assert.deepStrictEqual(yield* active1, [])
    yield* write(setUnreachable(id, null))
    yield* write(setState(id, "draining"))
    assert.deepStrictEqual(yield* active1, [])
  }),

  "have work that is done by the holder of a lease until it ends": Effect.gen(function*() {
    const { take } = yield* Leases
    assert.isTrue(yield* write(take("hosts", "one", NOW, NOW + 10)))
    assert.isFalse(yield* write(take("hosts", "other", NOW + 9, NOW + 19)))
    assert.isTrue(yield* write(take("audit", "other", NOW + 9, NOW + 19)))
    assert.isTrue(yield* write(take("hosts", "one", NOW + 9, NOW + 19)))
    assert.isFalse(yield* write(take("hosts", "other", NOW + 18, NOW + 28)))
    assert.isTrue(yield* write(take("hosts", "other", NOW + 19, NOW + 29)))
    assert.isFalse(yield* write(take("hosts", "one", NOW + 19, NOW + 29)))
  })
}
