/** The sampling of metrics by replicas: one measures each host for all, and another takes over when it ends. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Socket } from "node:net"
import { Hosts } from "#service/persistence/Hosts"
import * as MetricsTable from "#service/persistence/metrics/MetricsTable"
import { Transaction } from "#service/persistence/Transaction"
import * as Sampler from "#service/provisioning/drivers/libvirt/metrics/Sampler"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { HostConnections } from "#service/provisioning/drivers/libvirt/HostConnection"
import { HOST } from "../persistence/suite/hosts.ts"
import { result, startDaemon } from "../provisioning/libvirt/FakeDaemon.ts"
import { noPostgres } from "../support/postgresProject.ts"
import { persistenceOn, seededDatabase } from "../support/replicas.ts"
import { until } from "../support/until.ts"

describe.skipIf(noPostgres)("replicas (needs PostgreSQL)", () => {
  it.live("measure a host one at a time, and another takes over", () =>
    Effect.gen(function*() {
      const url = yield* Effect.promise(seededDatabase)
      // A replica has a connection of its own to the host.
      const calls: Array<Socket> = []
      const { path } = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startDaemon((packet, reply, socket) => {
            calls.push(socket)
            reply(result(PROCEDURES.stats, packet, []))
          })
        ),
        ({ close }) => Effect.promise(close)
      )
      const add = Effect.gen(function*() {
        yield* (yield* Transaction).run((yield* Hosts).add({ ...HOST, uri: `unix:${path}` }))
      })
      yield* Effect.provide(add, persistenceOn(url))

      const start = Effect.gen(function*() {
        const scope = yield* Scope.make()
        const services = Layer.provideMerge(Layer.merge(MetricsTable.layer, HostConnections.layer), persistenceOn(url))
        yield* Layer.buildWithScope(Layer.fresh(Layer.provide(Sampler.layer, services)), scope)
        return Scope.close(scope, Exit.void)
      })
      const seen = (replicas: number) => Effect.promise(() => until(() => new Set(calls).size === replicas))

      const endFirst = yield* start
      yield* seen(1)
      const endSecond = yield* start
      const before = calls.length
      yield* Effect.promise(() => until(() => calls.length >= before + 2))
      assert.strictEqual(new Set(calls).size, 1)
      yield* endFirst
      yield* seen(2)
      const last = calls.at(-1)!
      assert.notStrictEqual(last, calls[0])
      assert.deepStrictEqual(calls.filter((socket) => socket === last), [last])
      yield* endSecond
    }).pipe(Effect.scoped))
})
