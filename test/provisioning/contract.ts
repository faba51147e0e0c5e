/** What every driver must do, whatever it drives. A driver's own test calls this with a way to make a fresh one. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { normalise } from "#service/domain/IpAddress"
import { Driver, type Machine, type NewMachine, type Operation, type Order } from "#service/provisioning/Driver"

export interface Subject {
  readonly name: string
  /** A driver without machines; each use is a new one. */
  readonly layer: () => Layer.Layer<Driver>
  /** Lets the upstream work until every accepted operation is done. */
  readonly finish: Effect.Effect<void>
}

const machine: NewMachine = {
  type: "provision",
  hostname: "web.example.test",
  os: "debian-12",
  plan: "vps-s",
  specs: null,
  dataCentre: "Frankfurt",
  sshPublicKey: null,
  rootPassword: Redacted.make("correct-horse-battery")
}

const order = (key: string, operation: Operation, tag = "instance-1", providerId: string | null = null): Order => ({
  key,
  tag,
  providerId,
  operation
})

/** Submits, lets the upstream work, and answers the machine. */
const complete = Effect.fnUntraced(function*({ finish }: Subject, each: Order) {
  const driver = yield* Driver
  yield* driver.submit(each)
  yield* finish
  const status = yield* driver.poll(each)
  if (status.state === "running") return assert.fail(`${each.operation.type} is not done`)
  return status.machine
})

const built = (subject: Subject, tag = "instance-1") =>
  Effect.map(complete(subject, order(`build-${tag}`, machine, tag)), (done) => done!)

const changes = (own: Machine): ReadonlyArray<Operation> => [
  { type: "start" },
  { type: "stop" },
  { type: "restart" },
  { type: "set_hostname", hostname: "new.example.test" },
  { type: "set_rdns", ip: own.ipv4, ptr: "new.example.test" },
  { type: "terminate" }
]

const building = (subject: Subject) => {
  const { finish, layer } = subject
  it.effect("builds a machine with an address and a name of its own", () =>
    Effect.gen(function*() {
      const own = yield* built(subject)
      assert.strictEqual(normalise(own.ipv4), own.ipv4)
      assert.isTrue(own.ipv6 === null || normalise(own.ipv6) === own.ipv6)
      assert.deepInclude(own, { tag: "instance-1", hostname: "web.example.test", power: "on" })
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
  const { finish, layer } = subject
  it.effect("powers off and on", () =>
    Effect.gen(function*() {
      yield* built(subject)
      assert.strictEqual((yield* complete(subject, order("1", { type: "stop" })))!.power, "off")
      assert.strictEqual((yield* complete(subject, order("2", { type: "start" })))!.power, "on")
      yield* complete(subject, order("3", { type: "stop" }))
      assert.strictEqual((yield* complete(subject, order("4", { type: "restart" })))!.power, "on")
    }).pipe(Effect.provide(layer())))

  it.effect("renames", () =>
    Effect.gen(function*() {
      yield* built(subject)
      const renamed = yield* complete(subject, order("1", { type: "set_hostname", hostname: "b.example.test" }))
      assert.strictEqual(renamed!.hostname, "b.example.test")
    }).pipe(Effect.provide(layer())))

  it.effect("does what a key asks for once: repeating an old one changes nothing", () =>
    Effect.gen(function*() {
      yield* built(subject)
      yield* complete(subject, order("1", { type: "stop" }))
      yield* complete(subject, order("2", { type: "start" }))
      const repeated = yield* complete(subject, order("1", { type: "stop" }))
      assert.strictEqual(repeated!.power, "on")
    }).pipe(Effect.provide(layer())))

  it.effect("terminates: the machine is gone, and terminating again is done", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      yield* built(subject)
      assert.isNull(yield* complete(subject, order("1", { type: "terminate" })))
      assert.isUndefined(yield* driver.find("instance-1"))
      assert.isNull(yield* complete(subject, order("1", { type: "terminate" })))
      assert.isNull(yield* complete(subject, order("2", { type: "terminate" })))
    }).pipe(Effect.provide(layer())))

  it.effect("terminates a machine that is still being built", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      yield* driver.submit(order("k", machine))
      assert.isNull(yield* complete(subject, order("1", { type: "terminate" })))
      yield* finish
      assert.strictEqual((yield* Effect.flip(driver.poll(order("k", machine))))._tag, "Rejected")
    }).pipe(Effect.provide(layer())))
}

const refusing = ({ finish, layer }: Subject) => {
  it.effect("refuses for good what is asked of a machine that does not exist", () =>
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
      assert.strictEqual((yield* driver.find("instance-1"))!.power, "on")
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
      yield* Effect.forkChild(Effect.tap(status.again, () => Effect.sync(() => void (woken = true))))
      yield* finish
      assert.isTrue(woken)
      assert.strictEqual((yield* driver.poll(order("k", machine))).state, "done")
    }).pipe(Effect.provide(layer())))
}

export const driverContract = (subject: Subject): void => {
  describe(`the driver contract: ${subject.name}`, () => {
    building(subject)
    changing(subject)
    refusing(subject)
    waiting(subject)
  })
}
