/** Hosts that stop responding and respond again, with daemons that are started and stopped. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { COMMANDS } from "#service/admin/Commands"
import { Limits } from "#service/config/Limits"
import { Hosts } from "#service/persistence/Hosts"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { Transaction } from "#service/persistence/Transaction"
import { Driver } from "#service/provisioning/Driver"
import * as HostWatch from "#service/provisioning/drivers/libvirt/HostWatch"
import * as Libvirt from "#service/provisioning/drivers/libvirt/Libvirt"
import * as MachinePlaces from "#service/provisioning/drivers/libvirt/MachinePlaces"
import { uuidOf } from "#service/provisioning/drivers/libvirt/MachineRecord"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import type { Domain } from "#service/provisioning/drivers/libvirt/rpc/Types"
import { decode } from "#service/provisioning/drivers/libvirt/rpc/Xdr"
import { HostConnections } from "#service/provisioning/drivers/libvirt/HostConnection"
import { Addresses } from "#service/persistence/Addresses"
import { HOST } from "../../persistence/suite/hosts.ts"
import { Metrics, scrape } from "#service/observability/Metrics"
import { DEFAULT_LIMITS } from "../../support/limits.ts"
import { buy, elapse, serviceLayer } from "../../support/service.ts"
import { result, startDaemon } from "./FakeDaemon.ts"
import { fixedTag, fixedTags, tagOf } from "../../support/machineTag.ts"

const LIMITS = { ...DEFAULT_LIMITS, HOST_CHECK_MILLIS: 50, HOST_REPLY_MILLIS: 100 }

/** A daemon that answers, unless it is frozen. */
const daemon = (state: { frozen: boolean; calls: number }) =>
  startDaemon((packet, reply) => {
    state.calls++
    if (state.frozen) return
    const { list, version } = PROCEDURES
    reply(packet.procedure === list.number ? result(list, packet, [[], 0]) : result(version, packet, 9_000_000))
  })

/**
 * Lets the test's time pass until a condition holds. A daemon has many turns of the event loop to answer in before the
 * time for a reply is over, so that one that answers is not taken for a frozen one on a busy machine.
 */
const until = <R>(condition: Effect.Effect<boolean, never, R>): Effect.Effect<void, never, R> =>
  Effect.flatMap(
    condition,
    (holds) => holds ? Effect.void : Effect.andThen(elapse(LIMITS.HOST_REPLY_MILLIS), until(condition))
  )

const add = Effect.fnUntraced(function*(path: string) {
  const hosts = yield* Hosts
  return yield* (yield* Transaction).run(hosts.add({ ...HOST, uri: `unix:${path}` }))
})

const isDown = (id: number) =>
  Effect.flatMap(Hosts, ({ find }) => Effect.map(find(id), (host) => host!.unreachableSince !== null))

const watching = <A, E, R>(effect: Effect.Effect<A, E, R>, staleMachines: "stop" | "report" = "stop") =>
  Effect.scoped(Effect.andThen(Layer.build(HostWatch.layer({ staleMachines })), effect)).pipe(
    Effect.provide(HostConnections.layer),
    Effect.provideService(Limits, LIMITS)
  )

describe("a host", () => {
  it.effect("that does not answer is unreachable until it answers: listed, measured, logged", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    return Effect.gen(function*() {
      const state = { frozen: false, calls: 0 }
      const { close, path } = yield* Effect.promise(() => daemon(state))
      const id = yield* add(path)
      const listed = Effect.map(COMMANDS["hosts.list"].run({}), ([host]) => host!.unreachable_since)
      yield* watching(Effect.gen(function*() {
        yield* until(Effect.sync(() => state.calls >= 3))
        assert.isFalse(yield* isDown(id))
        assert.isNull(yield* listed)
        state.frozen = true
        yield* until(isDown(id))
        assert.match((yield* listed)!, /^\d{4}-/)
        assert.include(yield* scrape, `vps_host_up{host="alpha"} 0`)
        state.frozen = false
        yield* until(Effect.map(isDown(id), (down) => !down))
        assert.include(yield* scrape, `vps_host_up{host="alpha"} 1`)
        yield* Effect.promise(close)
        yield* until(isDown(id))
      }))
      assert.match(logged[0]!, /^Host alpha does not respond: .* Its tasks wait, and no instance is placed on it/)
      assert.match(logged[1]!, /^Host alpha responds again/)
    }).pipe(
      Effect.provide(Layer.mergeAll(Layer.provide(serviceLayer(), fixedTags), Metrics.layer, Logger.layer([logger])))
    )
  })

  it.effect("that an operator declared offline does not become unreachable", () =>
    Effect.gen(function*() {
      const id = yield* add("/nonexistent/socket")
      yield* (yield* Transaction).run((yield* Hosts).setState(id, "offline"))
      yield* watching(elapse(10 * LIMITS.HOST_CHECK_MILLIS))
      assert.isFalse(yield* isDown(id))
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(["stop", "report"] as const)("that was declared off and comes back: %s", (staleMachines) => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    return Effect.gen(function*() {
      const hosts = yield* Hosts
      const { run } = yield* Transaction
      // Of five instances, one is on the host, one moves to it, one is elsewhere, one is nowhere, one is not known.
      const [here, coming, elsewhere, nowhere] = [yield* buy(), yield* buy(), yield* buy(), yield* buy()]
      const unknown = { id: nowhere.id + 1 }
      const called: Array<string> = []
      const domains = [here, coming, elsewhere, nowhere, unknown].map(({ id }) => {
        const name = fixedTag(id)
        return { name, uuid: uuidOf(name), id }
      })
      const { destroy, hasSavedState, list, setAutostart, version } = PROCEDURES
      const { close, path } = yield* Effect.promise(() =>
        startDaemon((packet, reply) => {
          if (packet.procedure === version.number) return reply(result(version, packet, 9_000_000))
          if (packet.procedure === list.number) return reply(result(list, packet, [domains, domains.length]))
          if (packet.procedure === hasSavedState.number) return reply(result(hasSavedState, packet, 0))
          const [name, procedure] = packet.procedure === destroy.number ? ["destroy", destroy] : ["other", setAutostart]
          const [domain] = decode(procedure.arguments, packet.body) as readonly [Domain, number]
          if (name === "destroy") called.push(domain.name)
          reply(result(procedure, packet, undefined))
        })
      )
      const [host, other] = [yield* add(path), yield* run(hosts.add({ ...HOST, name: "beta" }))]
      const size = { cpus: 1, memoryMib: 1, diskGib: 1 }
      const reserve = (instanceId: number, hostId: number) =>
        run(hosts.reserve({ instanceId, hostId, accountId: 1, size }))
      yield* reserve(here.id, host)
      yield* reserve(coming.id, other)
      yield* run(hosts.beginMove(coming.id, host))
      yield* reserve(elsewhere.id, other)
      yield* run(hosts.setState(host, "offline"))
      yield* run(hosts.setState(other, "draining"))
      yield* watching(
        until(Effect.sync(() => logged.length > (staleMachines === "stop" ? 2 : 0))).pipe(
          Effect.andThen(elapse(10 * LIMITS.HOST_CHECK_MILLIS))
        ),
        staleMachines
      )
      yield* Effect.promise(close)
      const stale = [fixedTag(elsewhere.id), fixedTag(nowhere.id)]
      assert.deepStrictEqual([...new Set(called)], staleMachines === "stop" ? stale : [])
      assert.match(logged.join("\n"), /^Host alpha was declared off, but it responds. Power it off/)
      assert.isNull((yield* hosts.find(host))!.unreachableSince)
    }).pipe(
      Effect.provide(Layer.mergeAll(Layer.provide(serviceLayer(), fixedTags), Metrics.layer, Logger.layer([logger])))
    )
  })

  it.live("that is unreachable is not called: its operations wait", () =>
    Effect.gen(function*() {
      const id = yield* add("/nonexistent/socket")
      const { id: instanceId } = yield* buy()
      const hosts = yield* Hosts
      const { run } = yield* Transaction
      const size = { cpus: 1, memoryMib: 1, diskGib: 1 }
      yield* run(hosts.reserve({ instanceId, hostId: id, accountId: 1, size }))
      yield* COMMANDS["addresses.add"].run({
        network: "203.0.113.0/29",
        gateway: "203.0.113.1",
        data_center: "Frankfurt"
      })
      yield* run((yield* Addresses).assign(1, instanceId, Date.now()))
      const request = {
        key: "k",
        tag: yield* tagOf(instanceId),
        providerId: null,
        operation: { type: "stop" }
      } as const
      const driver = yield* Effect.provide(
        Driver,
        Libvirt.layer({ nameservers: [] }).pipe(
          Layer.provide(Layer.mergeAll(MachinePlaces.layer, HostConnections.layer, MetricsFiles.layer(undefined)))
        )
      )
      assert.strictEqual((yield* Effect.flip(driver.submit(request)))._tag, "Unavailable")
      yield* run(hosts.setUnreachable(id, 1))
      const down = { _tag: "Busy", isHostDown: true } as const
      assert.deepInclude(yield* Effect.flip(driver.submit(request)), down)
      assert.deepInclude(yield* Effect.flip(driver.poll(request)), down)
      assert.deepInclude(yield* Effect.flip(driver.find(request.tag)), down)
      assert.deepInclude(yield* Effect.flip(driver.inspect({ tag: request.tag, providerId: "x" })), down)
    }).pipe(Effect.provide(serviceLayer())))
})
