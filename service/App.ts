/** The composition root: the only place that picks database, driver and mailer. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { API_PREFIX } from "#contract/Api"
import * as Authentication from "./auth/Authentication.ts"
import { Config, type Values } from "./Config.ts"
import * as Emulator from "./emulator/Emulator.ts"
import { RequestLog } from "./emulator/RequestLog.ts"
import { SEED_KEY } from "./emulator/Seed.ts"
import { type Answered, Observers } from "./http/Edge.ts"
import { Readiness } from "./http/Health.ts"
import * as Server from "./http/Server.ts"
import { DATABASE_BUSY_MILLIS } from "./Limits.ts"
import * as Log from "./observability/Log.ts"
import * as Database from "./persistence/sqlite/Database.ts"
import * as Repositories from "./persistence/sqlite/Repositories.ts"
import * as Simulated from "./provisioning/drivers/simulated/Simulated.ts"
import { load, Secret, SecretUnusable } from "./Secret.ts"
import * as TaskQueue from "./tasks/Queue.ts"
import * as Worker from "./tasks/Worker.ts"
import { Wake } from "./Wake.ts"

const secret = ({ database, emulator, secret: given }: Values) =>
  Layer.effect(
    Secret,
    Effect.try({
      try: () => load({ given, emulator, database }),
      catch: (cause) => cause instanceof SecretUnusable ? cause : new SecretUnusable({ message: String(cause) })
    })
  )

const storage = (settings: Values) =>
  Repositories.layer.pipe(
    Layer.provideMerge(Database.layer({ path: settings.database, busyTimeoutMillis: DATABASE_BUSY_MILLIS })),
    Layer.merge(secret(settings))
  )

const wake = Layer.effect(Wake, Effect.map(TaskQueue.TaskQueue, (queue) => ({ worker: queue.wake })))

/** Everything below HTTP: use cases find their repositories, the queue and the driver here. */
const core = (settings: Values) =>
  Layer.mergeAll(Authentication.layer, Readiness.layer, RequestLog.layer, wake, Worker.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(TaskQueue.layer, Simulated.layer)),
    Layer.provideMerge(storage(settings)),
    Layer.provideMerge(Layer.succeed(Config, settings))
  )

type Observer = (answered: Answered) => void

/** Who hears of every answered request: the log, and the emulator's memory of them. */
const observers = ({ requestLog }: Values, memory: ReadonlyArray<Observer>) =>
  Layer.succeed(Observers, [...requestLog ? [Log.logRequest] : [], ...memory])

const production = (settings: Values) => Server.routes.pipe(Layer.provide(observers(settings, [])))

/** The same routes over the same core, with a seed, the controls, and an eye on every request. */
const emulator = (settings: Values) => {
  const remembering = Layer.unwrap(
    Effect.map(RequestLog, ({ record }) => observers(settings, [record]))
  )
  return Layer.merge(Server.routes.pipe(Layer.provide(Emulator.countingReads)), Emulator.layer).pipe(
    Layer.provide(remembering)
  )
}

/**
 * The service, listening while its scope is open. Fails with `DatabaseUnusable`, `SecretUnusable` or `ServeError`.
 */
export const layer = (settings: Values) =>
  Server.serve(settings.emulator ? emulator(settings) : production(settings), settings).pipe(
    Layer.provideMerge(core(settings)),
    Layer.provide(Log.layer)
  )

/** The first line on standard output; everything else goes to standard error. */
const announce = Effect.fnUntraced(function*(settings: Values) {
  const origin = yield* HttpServer.addressFormattedWith(Effect.succeed)
  const key = settings.emulator ? { api_key: SEED_KEY } : {}
  const ready = { ready: true, url: `${origin}${API_PREFIX}`, docs: `${origin}/docs`, ...key }
  yield* Effect.sync(() => void process.stdout.write(`${JSON.stringify(ready)}\n`))
})

/** Runs the service until it is interrupted, then stops it: not ready, finish requests, release leases. */
export const run = (settings: Values) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(layer(settings))
    const readiness = Context.get(context, Readiness)
    yield* Effect.addFinalizer(() => readiness.drain)
    yield* Effect.provideContext(announce(settings), context)
    return yield* Effect.never
  }).pipe(Effect.scoped)
