/** The simulated upstream's own store. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type SimulatedMachine, SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { NOW } from "./Fixtures.ts"
import { isRefused, type Rules } from "./Rules.ts"

const machine = (tag: string, address: number): Omit<SimulatedMachine, "id"> => ({
  tag,
  hostname: "web",
  os: "debian-12",
  plan: "vps-s",
  specs: null,
  node: "node-1",
  power: "on",
  bootMode: "disk",
  booted: "disk",
  iso: null,
  sshKey: "ssh-ed25519 AAAA",
  createdAt: NOW,
  address,
  operation: "provision-1"
})

const IMAGE = { tag: "a", name: "s1", os: "debian-12", hostname: "web", sizeBytes: 5_000_000_000 }

export const simulated: Rules = {
  "a machine is found by its tag, and saved": Effect.gen(function*() {
    const machines = yield* SimulatedMachines
    yield* machines.insert(machine("a", 0))
    assert.deepStrictEqual(yield* machines.find("a"), { ...machine("a", 0), id: 1 })
    const { hostname, os, power } = { hostname: "db", os: "alma-9", power: "off" } as const
    const saved = { ...machine("a", 0), id: 1, hostname, os, power, iso: "rescue.iso", sshKey: null, specs: "{}" }
    yield* machines.save({ ...saved, bootMode: "rescue", operation: "stop-2", plan: "vps-m" })
    assert.deepStrictEqual(yield* machines.find("a"), {
      ...saved,
      bootMode: "rescue",
      operation: "stop-2",
      plan: "vps-m"
    })
    assert.isUndefined(yield* machines.find("b"))
    assert.isTrue(yield* isRefused(machines.insert(machine("a", 1))), "a tag is one machine's")
    assert.isTrue(yield* isRefused(machines.insert(machine("b", 0))), "an address is one machine's")
  }),

  "addresses are assigned in turn, then reused when free, then exhausted": Effect.gen(function*() {
    const machines = yield* SimulatedMachines
    const next = machines.freeAddress(3)
    assert.strictEqual(yield* next, 0)
    for (const [place, tag] of ["a", "b", "c"].entries()) {
      assert.strictEqual(yield* next, place)
      yield* machines.insert(machine(tag, place))
    }
    assert.isUndefined(yield* next)
    yield* machines.remove("b")
    assert.strictEqual(yield* next, 1)
    yield* machines.insert(machine("d", 1))
    yield* machines.remove("a")
    assert.strictEqual(yield* next, 0)
  }),

  "a PTR record, an image and the deploy setting are what they were set to last": Effect.gen(function*() {
    const machines = yield* SimulatedMachines
    assert.isUndefined(yield* machines.deploy)
    yield* machines.setDeploy({ mode: "after_ms", value: 5 })
    yield* machines.setDeploy({ mode: "after_polls", value: 2 })
    assert.deepStrictEqual(yield* machines.deploy, { mode: "after_polls", value: 2 })
    yield* machines.setPtr("a", "192.0.2.1", "old.example.test")
    yield* machines.setPtr("b", "192.0.2.1", "new.example.test")
    assert.strictEqual(yield* machines.ptr("192.0.2.1"), "new.example.test")
    assert.isUndefined(yield* machines.ptr("192.0.2.2"))
    yield* machines.addImage(IMAGE)
    yield* machines.addImage({ ...IMAGE, os: "alma-9", hostname: "db", sizeBytes: 1 })
    yield* machines.addImage({ ...IMAGE, tag: "b" })
    const replaced = { ...IMAGE, os: "alma-9", hostname: "db", sizeBytes: 1 }
    assert.deepStrictEqual(yield* machines.image("a", "s1"), replaced)
    yield* machines.removeImage("a", "s1")
    assert.isUndefined(yield* machines.image("a", "s1"))
    assert.deepStrictEqual(yield* machines.image("b", "s1"), { ...IMAGE, tag: "b" })
  }),

  "reads are counted by machine": Effect.gen(function*() {
    const machines = yield* SimulatedMachines
    assert.strictEqual(yield* machines.polls("a"), 0)
    yield* machines.countPoll("a")
    yield* machines.countPoll("a")
    yield* machines.countPoll("b")
    assert.strictEqual(yield* machines.polls("a"), 2)
  }),

  "an operation is accepted once, and may give way": Effect.gen(function*() {
    const machines = yield* SimulatedMachines
    const accepted = { key: "k", tag: "a", type: "backup_create", subject: "b1", acceptedAt: NOW, abandoned: false }
    yield* machines.accept(accepted)
    assert.deepStrictEqual(yield* machines.operation("k"), accepted)
    assert.isTrue(yield* isRefused(machines.accept(accepted)))
    yield* machines.abandon("k")
    assert.deepStrictEqual(yield* machines.operation("k"), { ...accepted, abandoned: true })
    yield* machines.deleteBefore(NOW)
    assert.isDefined(yield* machines.operation("k"))
    yield* machines.deleteBefore(NOW + 1)
    assert.isUndefined(yield* machines.operation("k"))
  }),

  "history has the state at the start of the requested period": Effect.gen(function*() {
    const machines = yield* SimulatedMachines
    const note = (at: number, power: "on" | "off", before = 0) =>
      Effect.andThen(machines.recordPower("a", { at, power }), machines.deletePowerBefore("a", before))
    yield* note(NOW, "on")
    yield* note(NOW + 1, "off")
    yield* note(NOW + 2, "on")
    yield* note(NOW + 2, "off")
    yield* note(NOW, "on")
    assert.deepStrictEqual(yield* machines.powerHistory("a"), [
      { at: NOW, power: "on" },
      { at: NOW + 1, power: "off" },
      { at: NOW + 2, power: "off" }
    ])
    yield* note(NOW + 9, "on", NOW + 1)
    assert.deepStrictEqual((yield* machines.powerHistory("a")).map(({ at }) => at - NOW), [1, 2, 9])
    assert.deepStrictEqual(yield* machines.powerHistory("b"), [])
  }),

  "what goes with a machine is all that is its own": Effect.gen(function*() {
    const machines = yield* SimulatedMachines
    for (const tag of ["a", "b"]) {
      yield* machines.insert(machine(tag, tag === "a" ? 0 : 1))
      yield* machines.setPtr(tag, `192.0.2.${tag}`, "x.example.test")
      yield* machines.addImage({ ...IMAGE, tag })
      yield* machines.countPoll(tag)
      yield* machines.recordPower(tag, { at: NOW, power: "on" })
    }
    yield* machines.remove("a")
    const found = (tag: string) =>
      Effect.all([
        machines.find(tag),
        machines.ptr(`192.0.2.${tag}`),
        machines.image(tag, "s1"),
        machines.polls(tag),
        machines.powerHistory(tag)
      ])
    assert.deepStrictEqual(yield* found("a"), [undefined, undefined, undefined, 0, []])
    assert.deepStrictEqual((yield* found("b")).slice(3), [1, [{ at: NOW, power: "on" }]])
    assert.strictEqual((yield* machines.find("b"))?.id, 2)
  })
}
