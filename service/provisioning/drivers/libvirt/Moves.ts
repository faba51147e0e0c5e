/** The moves in progress. They outlast an attempt of their task, because a copy may take hours. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Busy, type DriverRequest, type Fault, Rejected, type Status } from "../../Driver.ts"
import { asFault, findMachine, save, withFaults } from "./Machines.ts"
import type { MachinePlace } from "./Places.ts"
import { finished, type Upstream } from "./Progress.ts"
import { move } from "./operations/Move.ts"

/** A rejected move is over; the machine may do something else. */
const forget = Effect.fnUntraced(function*(upstream: Upstream, { key, tag }: DriverRequest, source: MachinePlace) {
  const connection = upstream.connectionTo(source.host)
  const here = yield* findMachine(connection, tag)
  if (here?.record.pending?.key === key) yield* save(connection, { ...here.record, pending: null }, source)
})

/** The status of a machine that is on the target already. */
const stay = Effect.fnUntraced(function*(upstream: Upstream, { tag }: DriverRequest, place: MachinePlace) {
  const connection = upstream.connectionTo(place.host)
  const here = yield* Effect.mapError(findMachine(connection, tag), asFault)
  if (here === undefined) return yield* new Rejected({ reason: "the machine does not exist" })
  return finished(place, here, null)
})

const moveTo = Effect.fnUntraced(
  function*(upstream: Upstream, request: DriverRequest, source: MachinePlace, to: string) {
    const host = (yield* upstream.places.hosts).find(({ name }) => name === to)
    if (host === undefined) return yield* new Rejected({ reason: `there is no host ${to}` })
    if (host.id === source.host.id) return yield* stay(upstream, request, source)
    if (host.unreachableSince !== null) {
      return yield* new Busy({ reason: `host ${to} does not respond`, isHostDown: true })
    }
    const isSame = (name: "sharedStorage" | "sharedBackups") =>
      source.host[name] !== null && source.host[name] === host[name]
    return yield* move({
      upstream,
      request,
      source,
      target: { ...source, host },
      from: upstream.connectionTo(source.host),
      to: upstream.connectionTo(host),
      isShared: isSame("sharedStorage"),
      sharesBackups: isSame("sharedBackups")
    }).pipe(
      (moved) => withFaults(`move of ${request.tag}`, moved),
      Effect.tapError((fault) =>
        fault._tag === "Rejected" ? Effect.ignore(forget(upstream, request, source)) : Effect.void
      )
    )
  }
)

/** Starts a move, or waits for the one that runs already. */
export const continueMove = Effect.fnUntraced(
  function*(upstream: Upstream, request: DriverRequest, source: MachinePlace, to: string) {
    const { moves: { running, scope }, pollMillis } = upstream
    const move: Effect.Effect<Status, Fault> = moveTo(upstream, request, source, to)
    const fiber = running.get(request.key) ?? (yield* Effect.forkIn(move, scope))
    running.set(request.key, fiber)
    const ended = yield* Effect.timeoutOption(Fiber.await(fiber), pollMillis)
    if (ended._tag === "None") {
      return { state: "running", progress: 50, nextPoll: Effect.sleep(pollMillis) } satisfies Status
    }
    running.delete(request.key)
    return yield* ended.value
  }
)
