/** The composition root: the only place that picks database, driver and mailer. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { API_PREFIX } from "#contract/Api"
import { firstSteps } from "./admin/FirstSteps.ts"
import * as AdminSocket from "./admin/AdminSocket.ts"
import * as Authentication from "./auth/Authentication.ts"
import * as SecretsInUse from "./auth/SecretsInUse.ts"
import { Config, type Values } from "./config/Config.ts"
import { Limits } from "./config/Limits.ts"
import * as Chance from "./emulator/RandomSource.ts"
import * as EmulatedTime from "./emulator/EmulatedClock.ts"
import * as Emulator from "./emulator/Emulator.ts"
import * as Faults from "./emulator/Faults.ts"
import * as FaultyDriver from "./emulator/FaultyDriver.ts"
import { injectFaults } from "./emulator/HttpFaults.ts"
import { RequestLog } from "./emulator/RequestLog.ts"
import { SEED_KEY } from "./emulator/Seed.ts"
import * as ClientAddress from "./http/connection/ClientAddress.ts"
import { type RequestObserver, RequestObservers } from "./http/middleware/RootMiddleware.ts"
import { FaultHook } from "./http/FaultHook.ts"
import { Readiness } from "./http/system/Health.ts"
import * as Server from "./http/Server.ts"
import * as Spans from "./http/middleware/RequestSpans.ts"
import * as LogMailer from "./mail/LogMailer.ts"
import * as Notices from "./mail/Notices.ts"
import * as SmtpMailer from "./mail/SmtpMailer.ts"
import * as DriverCalls from "./observability/DriverCalls.ts"
import { MachineMonitor } from "./instances/MachineMonitor.ts"
import { InFlight } from "./idempotency/InFlight.ts"
import * as Log from "./observability/Log.ts"
import { Metrics } from "./observability/Metrics.ts"
import * as Tracing from "./observability/Tracing.ts"
import { Replicas } from "./persistence/Replicas.ts"
import { createRates } from "./ratelimit/CreateLimit.ts"
import * as RequestLimits from "./ratelimit/RequestLimits.ts"
import { OrderPolicy } from "./orders/OrderPolicy.ts"
import { BatchObserver } from "./persistence/Transaction.ts"
import * as Simulated from "./provisioning/drivers/simulated/Simulated.ts"
import * as Secret from "./Secret.ts"
import * as Storage from "./Storage.ts"
import * as Scheduler from "./tasks/Scheduler.ts"
import * as TaskQueue from "./tasks/Queue.ts"
import * as TaskRunner from "./tasks/Runner.ts"
import { TaskObservers } from "./tasks/TaskTelemetry.ts"
import * as Worker from "./tasks/Worker.ts"
import { ServiceRuntime, type Services } from "./ServiceRuntime.ts"
import { WorkerNotifier } from "./WorkerNotifier.ts"

const storage = (settings: Values) =>
  Layer.merge(
    Storage.layer(settings.database, settings.synchronous),
    Secret.layer({ ...settings, given: settings.secret })
  )

/** Nobody waits until the others are told. */
const notifier = Layer.effect(
  WorkerNotifier,
  Effect.gen(function*() {
    const queue = yield* TaskQueue.TaskQueue
    const { isAlone, tell } = yield* Replicas
    const scope = yield* Effect.scope
    const others = Effect.forkIn(tell("tasks"), scope)
    return { notify: isAlone ? queue.wake : Effect.asVoid(Effect.andThen(queue.wake, others)) }
  })
)

/** The log stands in for a mail server unless there is one. */
const mailer = ({ mailFrom, smtpUrl }: Values) =>
  smtpUrl === "" ? LogMailer.layer : SmtpMailer.layer({ url: smtpUrl, from: mailFrom })

/** Where the service meets what it does not control: the only parts that a simulator puts its own in the place of. */
export const externalPorts = (settings: Values) => ({
  storage: storage(settings),
  upstream: Simulated.layer,
  mailer: mailer(settings)
})

export type ExternalPorts = ReturnType<typeof externalPorts>

/** The driver, with the faults that an emulator was asked for, and with its calls counted. */
const driver = ({ upstream }: ExternalPorts) =>
  DriverCalls.layer.pipe(Layer.provideMerge(FaultyDriver.layer), Layer.provideMerge(upstream))

/** Lets the places that count know who does. */
const watchers = Layer.effectContext(
  Effect.map(Metrics, ({ batch, lost, task }) =>
    Context.make(BatchObserver, batch).pipe(
      Context.add(SecretsInUse.LostObserver, lost),
      Context.add(TaskObservers, {
        tried: ({ createdAt, startedAt, type }, outcome, at) => task(type, outcome, at - (startedAt ?? createdAt))
      })
    ))
)

/** What the operator has decided about creates. */
const terms = ({ limits, rateLimits, strictIdempotency }: Values) =>
  Layer.succeed(OrderPolicy, {
    createRates: rateLimits ? createRates(limits) : undefined,
    strict: strictIdempotency
  })

/** Everything below HTTP: use cases find their repositories, the queue and the driver here. */
const base = (settings: Values, at: ExternalPorts) =>
  Layer.mergeAll(
    Authentication.layer,
    InFlight.layer,
    MachineMonitor.layer,
    Layer.provide(Notices.layer, at.mailer),
    Readiness.layer,
    RequestLimits.layer,
    RequestLog.layer,
    TaskRunner.layer,
    notifier,
    Worker.layer
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(TaskQueue.layer, driver(at))),
    Layer.provideMerge(Faults.layer),
    Layer.provideMerge(Scheduler.layer),
    Layer.provideMerge(Layer.merge(EmulatedTime.layer(settings.emulator), Chance.layer(settings.emulator))),
    Layer.provideMerge(Layer.provideMerge(SecretsInUse.layer(settings), at.storage)),
    Layer.provideMerge(watchers),
    Layer.provideMerge(Metrics.layer),
    Layer.provideMerge(
      Layer.mergeAll(Layer.succeed(Config, settings), Layer.succeed(Limits, settings.limits), terms(settings))
    )
  )

/** The emulator is the same with a seed, and with deployments that count reads. */
const core = (settings: Values, at: ExternalPorts) =>
  settings.emulator ? Layer.provideMerge(Emulator.core, base(settings, at)) : base(settings, at)

/** Nothing of it is loaded unless somebody listens. */
const tracing = ({ otlpEndpoint }: Values) =>
  otlpEndpoint === "" ? Layer.empty : Layer.merge(Spans.layer, Tracing.layer(otlpEndpoint))

/** Who hears of every answered request: the metrics, the log, and the emulator's memory of them. */
const observersOf = (
  settings: Values,
  log: RequestLog["Service"],
  metrics: Metrics["Service"],
  proxies: ClientAddress.Forwarding,
  write: (line: string) => void
): ReadonlyArray<RequestObserver> => [
  metrics.request,
  ...(settings.requestLog ? [Log.logRequests(proxies, write)] : []),
  ...(settings.emulator ? [log.record] : [])
]

/** Runs use cases among the services, whatever stands in the context of who calls. */
const inside = (services: Context.Context<Services>): ServiceRuntime["Service"] => ({
  run: <A, E>(useCase: Effect.Effect<A, E, Services>) => Effect.updateContext(useCase, () => services)
})

/** What HTTP sees of all that: little, because every request copies the context it runs in. */
export const exposed = (settings: Values, at: ExternalPorts = externalPorts(settings)) =>
  Layer.effectContext(Effect.map(Effect.context<Services | Readiness>(), (services) => {
    const proxies = ClientAddress.make(settings.trustedProxies)
    const observers = observersOf(
      settings,
      Context.get(services, RequestLog),
      Context.get(services, Metrics),
      proxies,
      Context.get(services, Log.LogSink)
    )
    return Context.make(ServiceRuntime, inside(services)).pipe(
      Context.add(Authentication.Authentication, Context.get(services, Authentication.Authentication)),
      Context.add(RequestLimits.RequestLimits, Context.get(services, RequestLimits.RequestLimits)),
      Context.add(Limits, settings.limits),
      Context.add(Readiness, Context.get(services, Readiness)),
      Context.add(FaultHook, settings.emulator ? injectFaults(Context.get(services, Faults.Faults)) : undefined),
      Context.add(ClientAddress.TrustedProxies, proxies),
      Context.add(RequestObservers, observers)
    )
  })).pipe(Layer.provide(core(settings, at)))

/**
 * The service, listening while its scope is open. Fails with `DatabaseUnusable`, `SecretUnusable`, `ServeError`, or
 * `StorageUnavailable` when the database cannot be written.
 */
export const layer = (settings: Values) => {
  const routes = settings.emulator ? Layer.merge(Server.routes, Emulator.routes) : Server.routes
  return Layer.merge(Server.serve(routes, settings), AdminSocket.layer(settings.database)).pipe(
    Layer.provideMerge(exposed(settings)),
    Layer.provide([Log.layer, tracing(settings)])
  )
}

/** The first line on standard output; everything else goes to standard error. */
const announce = Effect.fnUntraced(function*(settings: Values) {
  const origin = yield* HttpServer.addressFormattedWith(Effect.succeed)
  const key = settings.emulator ? { api_key: SEED_KEY } : {}
  const ready = { ready: true, url: `${origin}${API_PREFIX}`, docs: `${origin}/docs`, ...key }
  yield* Effect.sync(() => void process.stdout.write(`${JSON.stringify(ready)}\n`))
  const { run } = yield* ServiceRuntime
  const hint = yield* run(firstSteps(settings.database))
  if (hint !== undefined) yield* Effect.sync(() => void process.stderr.write(hint))
})

/** Runs the service until it is interrupted, then stops it: not ready, finish requests, release leases. */
export const run = (settings: Values) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(layer(settings)).pipe(
      Effect.catchTag("ServeError", (error) => Effect.fail(Server.toListenError(error, settings)))
    )
    const readiness = Context.get(context, Readiness)
    yield* Effect.addFinalizer(() => readiness.drain)
    yield* Effect.provideContext(announce(settings), context)
    return yield* Effect.never
  }).pipe(Effect.scoped)
