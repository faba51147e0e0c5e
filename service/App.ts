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
import * as TaskRunner from "./tasks/Runner.ts"
import * as Worker from "./tasks/Worker.ts"
import { type Services, UseCases } from "./UseCases.ts"
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
const base = (settings: Values) =>
  Layer.mergeAll(Authentication.layer, Readiness.layer, RequestLog.layer, TaskRunner.layer, wake, Worker.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(TaskQueue.layer, Simulated.layer)),
    Layer.provideMerge(storage(settings)),
    Layer.provideMerge(Layer.succeed(Config, settings))
  )

/** The emulator is the same with a seed, and with deployments that count reads. */
const core = (settings: Values) =>
  settings.emulator ? Layer.provideMerge(Emulator.core, base(settings)) : base(settings)

type Observer = (answered: Answered) => void

/** Who hears of every answered request: the log, and the emulator's memory of them. */
const observersOf = (settings: Values, log: RequestLog["Service"]): ReadonlyArray<Observer> => [
  ...(settings.requestLog ? [Log.logRequest] : []),
  ...(settings.emulator ? [log.record] : [])
]

/** Runs use cases among the services, whatever stands in the context of who calls. */
const inside = (services: Context.Context<Services>): UseCases["Service"] => ({
  run: <A, E>(useCase: Effect.Effect<A, E, Services>) => Effect.updateContext(useCase, () => services)
})

/** What HTTP sees of all that: little, because every request copies the context it runs in. */
const exposed = (settings: Values) =>
  Layer.effectContext(Effect.map(
    Effect.context<Services | Readiness>(),
    (services) =>
      Context.make(UseCases, inside(services)).pipe(
        Context.add(Authentication.Authentication, Context.get(services, Authentication.Authentication)),
        Context.add(Readiness, Context.get(services, Readiness)),
        Context.add(Observers, observersOf(settings, Context.get(services, RequestLog)))
      )
  )).pipe(Layer.provide(core(settings)))

/**
 * The service, listening while its scope is open. Fails with `DatabaseUnusable`, `SecretUnusable`, `ServeError`, or
 * `StorageUnavailable` when the database cannot be written.
 */
export const layer = (settings: Values) => {
  const routes = settings.emulator ? Layer.merge(Server.routes, Emulator.routes) : Server.routes
  return Server.serve(routes, settings).pipe(
    Layer.provideMerge(exposed(settings)),
    Layer.provide(Log.layer)
  )
}

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
    const context = yield* Layer.build(layer(settings)).pipe(
      Effect.catchTag("ServeError", (error) => Effect.fail(Server.explain(error, settings)))
    )
    const readiness = Context.get(context, Readiness)
    yield* Effect.addFinalizer(() => readiness.drain)
    yield* Effect.provideContext(announce(settings), context)
    return yield* Effect.never
  }).pipe(Effect.scoped)
