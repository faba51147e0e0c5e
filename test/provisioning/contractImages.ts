/** The part of the driver contract that is about disks, drives, boots and what is measured. */
import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Driver, type MachineRef, type Operation } from "#service/provisioning/Driver"
import { built, complete, machine, order, powerOf, type Subject } from "./Subject.ts"

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3xGMmVq1NjYHcFdvtdsPxqvLEUGRqWnvRDTYG3Cugd"

const place = (providerId: string): MachineRef => ({ tag: "instance-1", providerId })

const images = (subject: Subject) => {
  const { finish, layer } = subject
  it.effect.each(["snapshot", "backup"] as const)(
    "makes a %s, brings it back, deletes it",
    (kind) =>
      Effect.gen(function*() {
        yield* built(subject)
        const does = (key: string, operation: Operation) => complete(subject, order(key, operation))
        const made = yield* does("1", { type: `${kind}_create`, image: "one" })
        assert.isTrue(made.imageBytes === null || made.imageBytes > 0)
        yield* does("2", { type: "set_hostname", hostname: "later.example.test" })
        const back = yield* does("3", { type: `${kind}_restore`, image: "one" })
        assert.strictEqual(back.machine!.hostname, machine.hostname)
        assert.isNull(back.imageBytes)
        yield* does("4", { type: `${kind}_delete`, image: "one" })
        yield* does("5", { type: `${kind}_delete`, image: "one" })
        const refused = yield* Effect.flip(does("6", { type: `${kind}_restore`, image: "one" }))
        assert.strictEqual(refused._tag, "Rejected")
      }).pipe(Effect.provide(layer()))
  )

  it.effect("cancels a running backup when another operation is submitted, and removes its image", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      yield* built(subject)
      const backup = order("1", { type: "backup_create", image: "one" })
      if ((yield* driver.submit(backup)).state === "done") return
      yield* driver.submit(order("2", { type: "stop" }))
      assert.strictEqual((yield* Effect.flip(driver.poll(backup)))._tag, "Rejected")
      assert.strictEqual((yield* Effect.flip(driver.submit(backup)))._tag, "Rejected")
      yield* finish
      const restore = order("3", { type: "backup_restore", image: "one" })
      assert.strictEqual((yield* Effect.flip(driver.submit(restore)))._tag, "Rejected")
      assert.strictEqual(yield* powerOf((yield* driver.find("instance-1"))!), "off")
    }).pipe(Effect.provide(layer())))

  it.effect("installs the SSH key or fails: never a machine without a working login", () =>
    Effect.gen(function*() {
      if (subject.keyless === null) return
      yield* built(subject)
      const reinstall = { type: "reinstall", hostname: "w", sshPublicKey: KEY, rootPassword: null } as const
      yield* complete(subject, order("1", { ...reinstall, os: "debian-12" }))
      const refused = yield* Effect.flip(complete(subject, order("2", { ...reinstall, os: subject.keyless })))
      assert.strictEqual(refused._tag, "Rejected")
      yield* complete(subject, order("3", { ...reinstall, os: subject.keyless, sshPublicKey: null }))
    }).pipe(Effect.provide(layer())))
}

const WINDOW = { stepSeconds: 10, from: 0, to: 600_000 }

/** The samples of a machine until now, the last of which is its current one. */
const samplesOf = Effect.fnUntraced(function*(own: MachineRef) {
  const driver = yield* Driver
  const now = yield* Clock.currentTimeMillis
  const found = yield* driver.metrics(own, { ...WINDOW, to: now })
  assert.isAbove(found.length, 0)
  assert.deepStrictEqual(found, found.toSorted((one, other) => one.at - other.at))
  for (const sample of found) {
    assert.isTrue(sample.at % 10_000 === 0 && sample.at > 0 && sample.at <= now)
    assert.isTrue(sample.cpuPercent >= 0 && sample.cpuPercent <= 100)
    assert.isAtMost(sample.memoryBytes, sample.memoryTotalBytes)
  }
  assert.deepStrictEqual((yield* driver.inspect(own)).sample, found.at(-1))
})

const showsScreen = Effect.fnUntraced(function*({ greeting }: Subject, own: MachineRef) {
  const { console } = yield* Driver
  assert.strictEqual(console === undefined, greeting === undefined)
  if (console === undefined || greeting === undefined) return
  const address = yield* console(own)
  assert.match(yield* Effect.promise(() => greeting(address)), /^RFB 003\.008\n/)
})

const live = (subject: Subject) => {
  const { finish, layer } = subject
  it.effect("says what a machine does now, and what it did", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      const own = place((yield* built(subject)).providerId)
      assert.strictEqual((yield* driver.inspect(own)).power, "on")
      for (let round = 0; round < 40; round++) yield* finish
      if (subject.samples) yield* samplesOf(own)
      else assert.deepStrictEqual(yield* driver.metrics(own, WINDOW), [])
      assert.isAbove((yield* driver.inspect(own)).uptimeSeconds, 0)
      yield* showsScreen(subject, own)
      yield* complete(subject, order("1", { type: "stop" }))
      assert.deepInclude(yield* driver.inspect(own), { power: "off", uptimeSeconds: 0 })
      if (driver.console !== undefined) {
        assert.strictEqual((yield* Effect.flip(driver.console(own)))._tag, "PoweredOff")
      }
    }).pipe(Effect.provide(layer())))

  it.effect("knows nothing of machines that are not there", () =>
    Effect.gen(function*() {
      const driver = yield* Driver
      const nothing = place("none")
      assert.strictEqual((yield* Effect.flip(driver.inspect(nothing)))._tag, "Rejected")
      const window = { stepSeconds: 10, from: 0, to: 60_000 }
      assert.deepStrictEqual(yield* Effect.orElseSucceed(driver.metrics(nothing, window), () => []), [])
      if (driver.console !== undefined) {
        assert.strictEqual((yield* Effect.flip(driver.console(nothing)))._tag, "Rejected")
      }
    }).pipe(Effect.provide(layer())))
}

export const imagesContract = (subject: Subject): void => {
  images(subject)
  live(subject)
}
