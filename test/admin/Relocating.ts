/** Hosts with capacity and the simulated driver, for tests of commands that take instances from one to others. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { COMMANDS } from "#service/admin/Commands"
import { PlacesMachines } from "#service/catalogue/Capacity"
import { Hosts, type NewHost } from "#service/persistence/Hosts"
import { Transaction } from "#service/persistence/Transaction"
import { HOST } from "../persistence/suite/hosts.ts"
import { buy, deployTime, serviceLayer } from "../support/service.ts"

export const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(effect))

export const addHost = Effect.fnUntraced(function*(name: string, more: Partial<NewHost> = {}) {
  const hosts = yield* Hosts
  const capacity = { cpus: 4, memoryMib: 1_000_000, diskGib: 100_000 }
  return yield* within(Effect.gen(function*() {
    const id = yield* hosts.add({ ...HOST, capacity, sharedStorage: null, ...more, name })
    yield* hosts.setImage({ hostId: id, slug: "debian-12", kind: "disk", sha256: "0", volume: "v", createdAt: 0 })
    return id
  }))
})

export const pool = COMMANDS["addresses.add"].run({
  network: "203.0.113.0/29",
  gateway: "203.0.113.1",
  data_center: "Frankfurt"
})

export const deployed = Effect.gen(function*() {
  const { id } = yield* buy({ os: "debian-12" })
  yield* deployTime
  return id
})

/** The CPUs that are promised on each host. */
export const used = Effect.flatMap(
  Hosts,
  ({ list }) => Effect.map(list, (hosts) => hosts.map((host) => host.used.cpus))
)

export const fence = (
  more: { readonly isOff?: boolean; readonly name?: string; readonly fromBackups?: boolean } = {}
) =>
  COMMANDS["hosts.fence"].run({
    name: more.name ?? "alpha",
    confirmed_off: more.isOff ?? true,
    from_backups: more.fromBackups ?? false
  })

export const message = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

export const run = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(
    Effect.provideService(PlacesMachines, true),
    Effect.provide(Layer.provideMerge(Layer.succeed(PlacesMachines, true), serviceLayer()))
  )

/** Instance 1 on alpha, and beta beside it. */
export const oneOnAlpha = Effect.fnUntraced(function*(more: Partial<NewHost> = {}) {
  const alpha = yield* addHost("alpha", more)
  yield* pool
  const id = yield* deployed
  const beta = yield* addHost("beta", more)
  return { alpha, beta, id }
})
