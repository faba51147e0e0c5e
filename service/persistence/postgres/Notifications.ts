/**
 * What replicas tell each other, by PostgreSQL's LISTEN and NOTIFY. It is for speed only: what is not heard is found
 * when somebody looks, or believed for as long as a look-up may be old.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { randomUUID } from "node:crypto"
import { Limits } from "../../config/Limits.ts"
import { type News, Replicas } from "../Replicas.ts"
import { execute } from "./Database.ts"
import { asking, describe } from "./Failures.ts"
import { Pool } from "./Pool.ts"

const CHANNEL = "vps_service"

/** A session that broke is made anew after so long, in milliseconds: a server that restarts takes about a second. */
const RECONNECT_MILLIS = 500

/** Those who want to hear of something. */
const makeEars = () => {
  const ears = new Map<News, Set<Effect.Effect<void>>>()
  const of = (news: News) => ears.get(news) ?? new Set()
  return {
    add: (news: News, act: Effect.Effect<void>) => void ears.set(news, of(news).add(act)),
    remove: (news: News, act: Effect.Effect<void>) => void of(news).delete(act),
    of: (news: string) => [...of(news as News)],
    all: () => [...ears.values()].flatMap((acts) => [...acts])
  }
}

type Ears = ReturnType<typeof makeEars>

/** One session from its begin to its end. */
const listenOnce = Effect.fnUntraced(function*(
  pool: Pool["Service"],
  self: string,
  ears: Ears,
  began: Effect.Effect<void>
) {
  const context = yield* Effect.context<never>()
  const run = (acts: ReadonlyArray<Effect.Effect<void>>) => {
    for (const act of acts) Effect.runForkWith(context)(act)
  }
  let onLost = (): void => undefined
  const lost = new Promise<void>((resolve) => {
    onLost = resolve
  })
  const heard = (payload: string): void => {
    const [from, news = ""] = payload.split(" ")
    if (from !== self) run(ears.of(news))
  }
  yield* Effect.acquireUseRelease(
    asking(() => pool.listen({ heard, lost: onLost })),
    Effect.fnUntraced(function*(listener) {
      const say = (text: string) => asking(() => listener.query(text))
      yield* say(`LISTEN ${CHANNEL}`)
      yield* began
      // Whatever was told while nobody listened.
      run(ears.all())
      // A session that hears nothing for hours may be one that is cut off.
      const { DATABASE_CLOCK_MILLIS } = yield* Limits
      const alive = Effect.forever(Effect.andThen(Effect.sleep(DATABASE_CLOCK_MILLIS), say("SELECT")))
      yield* Effect.raceFirst(Effect.promise(() => lost), alive)
    }),
    (listener) => Effect.ignore(Effect.tryPromise(() => listener.close()))
  )
})

const make = Effect.gen(function*() {
  const pool = yield* Pool
  const { DATABASE_POLL_MILLIS } = yield* Limits
  const self = randomUUID()
  const ears = makeEars()
  const mouth = yield* Semaphore.make(1)
  const waiting = new Set<News>()
  // Said once, and not at every try while the server is away.
  let isSaid = false
  const listen = listenOnce(pool, self, ears, Effect.sync(() => void (isSaid = false))).pipe(
    Effect.catch((error) => {
      if (isSaid) return Effect.void
      isSaid = true
      return Effect.logWarning(`Other replicas cannot be heard: ${describe(error)}`)
    }),
    Effect.andThen(Effect.sleep(RECONNECT_MILLIS))
  )
  yield* Effect.forkScoped(Effect.forever(listen))
  const send = (news: News) =>
    Effect.suspend(() => {
      waiting.delete(news)
      return execute(pool, {
        text: "SELECT pg_notify($1, $2)",
        name: "vps_notify",
        values: [CHANNEL, `${self} ${news}`],
        rowMode: "array"
      })
    }).pipe(Effect.asVoid, Effect.catchDefect(() => Effect.void))
  const tell = (news: News) =>
    Effect.suspend(() => {
      // One that is not sent yet tells of this, too.
      if (waiting.has(news)) return Effect.void
      waiting.add(news)
      return mouth.withPermit(send(news))
    })
  return {
    isAlone: false,
    tell,
    hear: (news: News, act: Effect.Effect<void>) =>
      Effect.acquireRelease(
        Effect.sync(() => ears.add(news, act)),
        () => Effect.sync(() => ears.remove(news, act))
      ),
    patience: DATABASE_POLL_MILLIS
  }
})

export const layer: Layer.Layer<never, never, Limits | Pool> = Layer.effect(Replicas, make)
