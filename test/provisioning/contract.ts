/** The contract of every driver. The test of a driver calls this with a factory. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { normalize } from "#service/domain/IpAddress"
import { Driver, type Machine, type Operation } from "#service/provisioning/Driver"
import { imagesContract } from "./contractImages.ts"
import { built, complete, machine, order, powerOf, type Subject } from "./Subject.ts"

/** Every operation on an existing machine. */
const changes = (own: Machine): ReadonlyArray<Operation> => [
  { type: "start", bootMode: "disk" },
  { type: "stop" },
  { type: "restart", bootMode: "disk" },
  { type: "reinstall", hostname: "b.example.test", os: "debian-12", sshPublicKey: null, rootPassword: null },
  { type: "resize", plan: "vps-m", specs: null },
  { type: "reset_password", password: Redacted.make("correct-horse-battery") },
  { type: "set_hostname", hostname: "new.example.test" },
  { type: "set_rdns", ip: own.ipv4, ptr: "new.example.test" },
  { type: "snapshot_create", image: "s1" },
  { type: "snapshot_restore", image: "s1" },
  { type: "snapshot_delete", image: "s1" },
  { type: "backup_create", image: "b1" },
  { type: "backup_restore", image: "b1" },
  { type: "backup_delete", image: "b1" },
  { type: "iso_mount", iso: "rescue.iso" },
  { type: "iso_unmount" },
  { type: "rescue_enter" },
  { type: "rescue_exit" },
  { type: "move", host: own.node, allowsDowntime: true },
  { type: "terminate" }
]

const building = (subject: Subject) => {
  const { finish, layer } = subject
  it.effect("builds a machine with an address and a name of its own", () =>
    Effect.gen(function*() {
      const own = yield* built(subject)
      assert.strictEqual(normalize(own.ipv4), own.ipv4)
      assert.isTrue(own.ipv6 === null || normalize(own.ipv6) === own.ipv6)
      assert.deepInclude(own, { tag: "instance-1", hostname: "web.example.test" })
      assert.strictEqual(yield* powerOf(own), "on")
      const other = yield* built(subject, "instance-2")
      assert.notStrictEqual(other.providerId, own.providerId)
      assert.notStrictEqual(other.ipv4, own.ipv4)
    }).pipe(Effect.provide(layer())))

  it.effect("builds one machine for one key, however often and however late it is repeated", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      yield* driver.submit(order("k", machine))
      yield* driver.submit(order("k", machine))
      yield* finish
      const first = yield* driver.poll(order("k", machine))
      const late = yield* driver.submit(order("k", machine))
      assert.deepStrictEqual(late, first)
    }).pipe(Effect.provide(layer())))

  it.effect("rejects a provision for a machine that another one made, and leaves it as it is", () =>
    Effect.gen(function*() {
      const own = yield* built(subject)
      const driver = yield* Driver
      assert.strictEqual((yield* Effect.flip(driver.submit(order("another", machine))))._tag, "Rejected")
      assert.deepStrictEqual(yield* driver.find("instance-1"), own)
      assert.strictEqual(yield* powerOf(own), "on")
    }).pipe(Effect.provide(layer())))

  it.effect("finds a machine by its tag once it is accepted, and nothing before", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      assert.isUndefined(yield* driver.find("instance-1"))
      yield* driver.submit(order("k", machine))
      const found = yield* driver.find("instance-1")
      yield* finish
      assert.strictEqual((yield* driver.find("instance-1"))!.providerId, found!.providerId)
      assert.isUndefined(yield* driver.find("instance-2"))
    }).pipe(Effect.provide(layer())))
}

const changing = (subject: Subject) => {
  const { layer } = subject
  it.effect("powers off and on", () =>
    Effect.gen(function*() {
      yield* built(subject)
      const power = (key: string, operation: Operation) =>
        Effect.flatMap(complete(subject, order(key, operation)), (done) => powerOf(done.machine!))
      assert.strictEqual(yield* power("1", { type: "stop" }), "off")
      assert.strictEqual(yield* power("2", { type: "start", bootMode: "disk" }), "on")
      yield* power("3", { type: "stop" })
      assert.strictEqual(yield* power("4", { type: "restart", bootMode: "disk" }), "on")
    }).pipe(Effect.provide(layer())))

  it.effect("executes every operation that it supports, even if it is submitted twice", () =>
    Effect.gen(function*() {
      const own = yield* built(subject)
      const { capabilities } = yield* Driver
      const able = changes(own).filter(({ type }) => capabilities.has(type))
      for (const [index, operation] of able.entries()) {
        const gone = operation.type === "terminate"
        assert.strictEqual((yield* complete(subject, order(`a${index}`, operation))).machine === null, gone)
        // An image that was deleted cannot be brought back, and there is nothing else that a repetition would miss.
        assert.strictEqual((yield* complete(subject, order(`b${index}`, operation))).machine === null, gone)
      }
    }).pipe(Effect.provide(layer())))

  it.effect("renames", () =>
    Effect.gen(function*() {
      yield* built(subject)
      const renamed = yield* complete(subject, order("1", { type: "set_hostname", hostname: "b.example.test" }))
      assert.strictEqual(renamed.machine!.hostname, "b.example.test")
    }).pipe(Effect.provide(layer())))

  it.effect("executes a key once: repeating an old one changes nothing", () =>
    Effect.gen(function*() {
      yield* built(subject)
      yield* complete(subject, order("1", { type: "stop" }))
      yield* complete(subject, order("2", { type: "start", bootMode: "disk" }))
      const repeated = yield* complete(subject, order("1", { type: "stop" }))
      assert.strictEqual(yield* powerOf(repeated.machine!), "on")
    }).pipe(Effect.provide(layer())))
}

const ending = (subject: Subject) => {
  const { finish, layer } = subject
  it.effect("is gone once it is terminated, and terminating it again is done", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      yield* built(subject)
      assert.isNull((yield* complete(subject, order("1", { type: "terminate" }))).machine)
      assert.isUndefined(yield* driver.find("instance-1"))
      assert.isNull((yield* complete(subject, order("1", { type: "terminate" }))).machine)
      assert.isNull((yield* complete(subject, order("2", { type: "terminate" }))).machine)
    }).pipe(Effect.provide(layer())))

  it.effect("terminates a machine that is still being built", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      yield* driver.submit(order("k", machine))
      assert.isNull((yield* complete(subject, order("1", { type: "terminate" }))).machine)
      yield* finish
      assert.strictEqual((yield* Effect.flip(driver.poll(order("k", machine))))._tag, "Rejected")
    }).pipe(Effect.provide(layer())))
}

const refusing = ({ finish, layer }: Subject) => {
  it.effect("permanently rejects an operation on a machine that does not exist", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      const asked = changes({ ipv4: "192.0.2.1" } as Machine).filter(({ type }) => type !== "terminate")
      for (const [index, operation] of asked.entries()) {
        const refused = yield* Effect.flip(driver.submit(order(`k${index}`, operation)))
        assert.strictEqual(refused._tag, "Rejected", operation.type)
      }
    }).pipe(Effect.provide(layer())))

  it.effect("does not know operations that were never submitted", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip((yield* Driver).poll(order("never", { type: "stop" }, "instance-9")))
      assert.strictEqual(refused._tag, "Rejected")
    }).pipe(Effect.provide(layer())))

  it.effect("is busy, and does nothing, while it does something else to the machine", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      const status = yield* driver.submit(order("k", machine))
      if (status.state === "done") return
      const busy = yield* Effect.flip(driver.submit(order("1", { type: "stop" })))
      assert.strictEqual(busy._tag, "Busy")
      yield* finish
      assert.strictEqual(yield* powerOf((yield* driver.find("instance-1"))!), "on")
    }).pipe(Effect.provide(layer())))

  it.effect("names only operations that it can do", () =>
    Effect.gen(function*() {
      const { capabilities, name } = yield* Driver
      assert.isNotEmpty(name)
      const known = new Set(["provision", ...changes({ ipv4: "192.0.2.1" } as Machine).map(({ type }) => type)])
      assert.deepStrictEqual([...capabilities].filter((type) => !known.has(type)), [])
    }).pipe(Effect.provide(layer())))
}

const waiting = ({ finish, layer }: Subject) => {
  it.effect("says when asking again is worthwhile", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      const status = yield* driver.submit(order("k", machine))
      if (status.state === "done") return
      let woken = false
      yield* Effect.forkChild(Effect.tap(status.nextPoll, () => Effect.sync(() => void (woken = true))))
      yield* finish
      assert.isTrue(woken)
      assert.strictEqual((yield* driver.poll(order("k", machine))).state, "done")
    }).pipe(Effect.provide(layer())))
}

export const driverContract = (subject: Subject): void => {
  describe(`the driver contract: ${subject.name}`, () => {
    building(subject)
    changing(subject)
    ending(subject)
    imagesContract(subject)
    refusing(subject)
    waiting(subject)
  })
}
