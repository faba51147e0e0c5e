/**
 * The replica bus, by PostgreSQL's LISTEN and NOTIFY. It only saves time: a missed event is found by the next poll, or
 * when a cached look-up expires.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { randomUUID } from "node:crypto"
import { Limits } from "../../config/Limits.ts"
import { ReplicaBus, type ReplicaEvent } from "../ReplicaBus.ts"
import { execute } from "./Database.ts"
import { describe, tryPg } from "./Failures.ts"
import { Pool } from "./Pool.ts"

const CHANNEL = "vps_service"

/** Wait before a broken session is opened again, in milliseconds: a server takes about a second to restart. */
const RECONNECT_MILLIS = 500

const makeSubscriptions = () => {
  const actions = new Map<ReplicaEvent, Set<Effect.Effect<void>>>()
  const of = (event: ReplicaEvent) => actions.get(event) ?? new Set()
  return {
    add: (event: ReplicaEvent, act: Effect.Effect<void>) => void actions.set(event, of(event).add(act)),
    remove: (event: ReplicaEvent, act: Effect.Effect<void>) => void of(event).delete(act),
    of: (event: string) => [...of(event as ReplicaEvent)],
    all: () => [...actions.values()].flatMap((acts) => [...acts])
  }
}

type Subscriptions = ReturnType<typeof makeSubscriptions>

/** Listens in one session until it ends. */
const listenOnce = Effect.fnUntraced(function*(
  pool: Pool["Service"],
  self: string,
  subscriptions: Subscriptions,
  began: Effect.Effect<void>
) {
  const context = yield* Effect.context<never>()
  const { CLOCK_CHECK_MILLIS } = yield* Limits
  const run = (acts: ReadonlyArray<Effect.Effect<void>>) => {
    for (const act of acts) Effect.runForkWith(context)(act)
  }
  const lost = Promise.withResolvers<void>()
  const onPayload = (payload: string): void => {
    const [sender, event = ""] = payload.split(" ")
    if (sender !== self) run(subscriptions.of(event))
  }
  yield* Effect.acquireUseRelease(
    tryPg(() => pool.listen({ onPayload, onLost: lost.resolve })),
    Effect.fnUntraced(function*(listener) {
      const query = (text: string) => tryPg(() => listener.query(text))
      yield* query(`LISTEN ${CHANNEL}`)
      yield* began
      // Events may have been missed while no session listened.
      run(subscriptions.all())
      // A session without events for hours may have lost its connection.
      const probe = Effect.forever(Effect.andThen(Effect.sleep(CLOCK_CHECK_MILLIS), query("SELECT")))
      yield* Effect.raceFirst(Effect.promise(() => lost.promise), probe)
    }),
    (listener) => Effect.ignore(Effect.tryPromise(() => listener.close()))
  )
})

const make = Effect.gen(function*() {
  const pool = yield* Pool
  const { DATABASE_POLL_MILLIS } = yield* Limits
  const self = randomUUID()
  const subscriptions = makeSubscriptions()
  const sending = yield* Semaphore.make(1)
  const pending = new Set<ReplicaEvent>()
  // Logged once, not at every attempt while the server is down.
  let isLogged = false
  const listen = listenOnce(pool, self, subscriptions, Effect.sync(() => void (isLogged = false))).pipe(
    Effect.catch((error) => {
      if (isLogged) return Effect.void
      isLogged = true
      return Effect.logWarning(`Cannot listen to other replicas: ${describe(error)}`)
    }),
    Effect.andThen(Effect.sleep(RECONNECT_MILLIS))
  )
  yield* Effect.forkScoped(Effect.forever(listen))
  const send = (event: ReplicaEvent) =>
    Effect.suspend(() => {
      pending.delete(event)
      return execute(pool, {
        text: "SELECT pg_notify($1, $2)",
        name: "vps_notify",
        values: [CHANNEL, `${self} ${event}`],
        rowMode: "array"
      })
    }).pipe(Effect.asVoid, Effect.catchDefect(() => Effect.void))
  return {
    ownsDatabase: false,
    publish: (event: ReplicaEvent) =>
      Effect.suspend(() => {
        // A pending notification of the same event covers this one.
        if (pending.has(event)) return Effect.void
        pending.add(event)
        return sending.withPermit(send(event))
      }),
    subscribe: (event: ReplicaEvent, act: Effect.Effect<void>) =>
      Effect.acquireRelease(
        Effect.sync(() => subscriptions.add(event, act)),
        () => Effect.sync(() => subscriptions.remove(event, act))
      ),
    pollMillis: DATABASE_POLL_MILLIS
  }
})

export const layer: Layer.Layer<never, never, Limits | Pool> = Layer.effect(ReplicaBus, make)
