/** Image, SSH key and password of an order reach the upstream, and nothing of an earlier system does. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { reinstall } from "#service/operations/Reinstall"
import { enterRescue, exitRescue } from "#service/operations/Rescue"
import { Driver, type Operation } from "#service/provisioning/Driver"
import { operationTime, waited } from "../support/instances.ts"
import { buy, deployTime, owner, serviceLayer } from "../support/service.ts"
import { machineOf } from "../support/machineTag.ts"

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3xGMmVq1NjYHcFdvtdsPxqvLEUGRqWnvRDTYG3Cugd me@example.test"

/** All operations that the upstream receives from now on. */
const watched = Effect.gen(function*() {
  const driver = yield* Driver
  const asked: Array<Operation> = []
  const { submit } = driver
  Object.assign(driver, {
    submit: (order: Parameters<typeof submit>[0]) => {
      asked.push(order.operation)
      return submit(order)
    }
  })
  return asked
})

/** The image, the key and the password of the newest order of a system. */
const newest = (asked: ReadonlyArray<Operation>) => {
  const operation = asked.at(-1)!
  if (operation.type !== "provision" && operation.type !== "reinstall") return assert.fail(operation.type)
  const { os, rootPassword, sshPublicKey } = operation
  return { os, sshPublicKey, password: rootPassword === null ? null : Redacted.value(rootPassword) }
}

const machine = (id: number) => Effect.map(machineOf(id), (found) => found!)

describe("a new machine", () => {
  it.effect("gets the SSH key and the root password that were ordered", () =>
    Effect.gen(function*() {
      const asked = yield* watched
      const { id } = yield* buy({ ssh_pubkey: KEY, root_password: "correct-horse" })
      yield* deployTime
      assert.deepStrictEqual(newest(asked), { os: "debian-12", sshPublicKey: KEY, password: "correct-horse" })
      assert.strictEqual((yield* machine(id)).sshKey, KEY)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets a password that the upstream makes up when none was ordered", () =>
    Effect.gen(function*() {
      const asked = yield* watched
      yield* buy({ root_password: null })
      yield* deployTime
      assert.deepStrictEqual(newest(asked), { os: "debian-12", sshPublicKey: null, password: null })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets the plan's default image when none was chosen, and the one that was", () =>
    Effect.gen(function*() {
      const bought = [yield* buy(), yield* buy({ os: null }), yield* buy({ os: "alma-9" })]
      yield* deployTime
      const images = yield* Effect.forEach(bought, ({ id }) => Effect.map(machine(id), ({ os }) => os))
      assert.deepStrictEqual(images, ["debian-12", "debian-12", "alma-9"])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a new system", () => {
  it.effect("gets the SSH key and the password of its reinstall, and neither of an earlier one", () =>
    Effect.gen(function*() {
      const asked = yield* watched
      const { id } = yield* buy({ ssh_pubkey: KEY, root_password: "correct-horse" })
      yield* deployTime
      yield* reinstall(owner, id, { os: "debian-13" })
      yield* operationTime
      assert.deepStrictEqual(newest(asked), { os: "debian-13", sshPublicKey: null, password: null })
      assert.isNull((yield* machine(id)).sshKey)
      yield* reinstall(owner, id, { os: "alma-9", ssh_pubkey: KEY, password: "battery-staple" })
      yield* operationTime
      assert.deepStrictEqual(newest(asked), { os: "alma-9", sshPublicKey: KEY, password: "battery-staple" })
      assert.strictEqual((yield* machine(id)).sshKey, KEY)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("may have the key that another instance has", () =>
    Effect.gen(function*() {
      const ids = [(yield* buy({ ssh_pubkey: KEY })).id, (yield* buy({ ssh_pubkey: KEY })).id]
      yield* deployTime
      yield* Effect.forEach(ids, (id) => reinstall(owner, id, { os: "debian-13", ssh_pubkey: KEY }))
      yield* operationTime
      const keys = yield* Effect.forEach(ids, (id) => Effect.map(machine(id), ({ sshKey }) => sshKey))
      assert.deepStrictEqual(keys, [KEY, KEY])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the rescue system", () => {
  it.effect("is requested by its name only, without credentials", () =>
    Effect.gen(function*() {
      const { id } = yield* buy({ ssh_pubkey: KEY, root_password: "correct-horse" })
      yield* deployTime
      const asked = yield* watched
      yield* waited(enterRescue(owner, id))
      yield* waited(exitRescue(owner, id))
      assert.deepStrictEqual(asked, [
        { type: "rescue_enter" },
        { type: "restart", bootMode: "rescue" },
        { type: "rescue_exit" },
        { type: "restart", bootMode: "disk" }
      ])
    }).pipe(Effect.provide(serviceLayer())))
})
