/** Host name and reverse DNS: the caller waits, the upstream gets one request, the lock is always released. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { setHostname } from "#service/operations/SetHostname"
import { setRdns } from "#service/operations/SetRdns"
import { operate } from "#service/operations/Power"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, settle, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const running = Effect.gen(function*() {
  const { id } = yield* buy({ hostname: "old.example.test" })
  yield* deployTime
  return id
})

/** Runs a call that waits for the upstream, and lets the upstream's time pass. */
const waited = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(call)
    yield* elapse(300)
    return yield* Fiber.join(fiber)
  })

const hostname = (id: number) => Effect.map(show(id), (shown) => JSON.parse(shown.provider_data!).hostname as string)

describe("the host name", () => {
  it.effect("is set when the upstream has done so; the other facts stay", () =>
    Effect.gen(function*() {
      const id = yield* running
      const before = JSON.parse((yield* show(id)).provider_data!)
      const result = yield* waited(setHostname(owner, id, "new.example.test"))
      const task = (yield* allTasks).at(-1)!
      assert.deepStrictEqual(result, {
        ok: true,
        action: "set_hostname",
        status: "running",
        task_id: task.id,
        hostname: "new.example.test"
      })
      assert.deepInclude(task, { type: "set_hostname", status: "succeeded", actor: "api_key", requestId: "r-1" })
      const after = JSON.parse((yield* show(id)).provider_data!)
      assert.deepStrictEqual(after, { ...before, hostname: "new.example.test" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each([
    "-web",
    "web-",
    "a..b",
    "a_b",
    "a b",
    `${"a".repeat(64)}.test`,
    "web.example.test.",
    "198.51.100.7",
    "7"
  ])(
    "is rejected when it is invalid: %s",
    (name) =>
      Effect.gen(function*() {
        const id = yield* running
        const refused = yield* Effect.flip(setHostname(owner, id, name))
        assert.deepInclude(refused, { _tag: "InvalidField", field: "hostname" })
      }).pipe(Effect.provide(serviceLayer()))
  )
})

describe("the upstream", () => {
  it.effect("that never responds is abandoned before the lease ends", () =>
    Effect.gen(function*() {
      const id = yield* running
      ;(yield* Upstream).hold = Effect.never
      const call = yield* Effect.forkChild(Effect.flip(setHostname(owner, id, "new.example.test")))
      yield* elapse(31_000, 1_000)
      assert.strictEqual((yield* Fiber.join(call))._tag, "UpstreamFailed")
      assert.strictEqual((yield* show(id)).status, "running")
      assert.deepStrictEqual((yield* allTasks).slice(1).map(({ status }) => status), ["failed", "succeeded"])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a caller that goes away", () => {
  it.effect("leaves neither a lock behind nor a job half done", () =>
    Effect.gen(function*() {
      const id = yield* running
      const released = yield* Deferred.make<void>()
      ;(yield* Upstream).hold = Deferred.await(released)
      const call = yield* Effect.forkChild(setHostname(owner, id, "new.example.test"))
      yield* settle
      yield* Fiber.interrupt(call)
      assert.strictEqual((yield* Effect.flip(operate(owner, id, "stop")))._tag, "InstanceBusy")
      yield* Deferred.succeed(released, undefined)
      yield* elapse(300)
      assert.strictEqual(yield* hostname(id), "new.example.test")
      assert.strictEqual((yield* operate(owner, id, "stop")).status, "stopping")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("reverse DNS", () => {
  it.effect("is set for the instance's addresses, however they are written", () =>
    Effect.gen(function*() {
      const id = yield* running
      const { ipv4, provider_data: data } = yield* show(id)
      const { ptr } = yield* SimulatedMachines
      const result = yield* waited(setRdns(owner, id, ipv4!, "web.example.test"))
      assert.deepInclude(result, { action: "set_rdns", status: "running", ip: ipv4!, ptr: "web.example.test" })
      assert.strictEqual(yield* ptr(ipv4!), "web.example.test")
      const { ipv6 } = JSON.parse(data!)
      const long = ipv6.toUpperCase().replace("::", ":0000:0:0:")
      assert.strictEqual((yield* waited(setRdns(owner, id, long, "six.example.test."))).ip, ipv6)
      assert.strictEqual(yield* ptr(ipv6), "six.example.test.")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(
    [
      ["198.18.9.9", "web.example.test", "ip"],
      ["198.018.0.1", "web.example.test", "ip"],
      ["nonsense", "web.example.test", "ip"],
      ["2001:db8::ffff", "-", "ip"],
      ["198.18.0.1", "-web", "ptr"],
      ["198.18.0.1", "web..test", "ptr"],
      ["198.18.0.1", "198.18.0.1.", "ptr"]
    ] as const
  )("is refused for %s to %s", ([ip, ptr, field]) =>
    Effect.gen(function*() {
      const id = yield* running
      assert.deepInclude(yield* Effect.flip(setRdns(owner, id, ip, ptr)), { _tag: "InvalidField", field })
    }).pipe(Effect.provide(serviceLayer())))
})
