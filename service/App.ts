/** The composition root: the only place that picks database, driver and mailer. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { type Details, printReadyLine } from "./ReadyLine.ts"
import * as AdminSocket from "./admin/AdminSocket.ts"
import * as Authentication from "./auth/Authentication.ts"
import * as MissingSecrets from "./auth/MissingSecrets.ts"
import { chosenDriver, Config, type DriverName, type Values } from "./config/Config.ts"
import { Limits } from "./config/Limits.ts"
import * as Letterhead from "./config/Letterhead.ts"
import * as PanelPort from "./people/PanelPort.ts"
import * as Payment from "./config/Payment.ts"
import { PlacesMachines } from "./catalogue/Capacity.ts"
import * as PlanSizes from "./catalogue/Plans.ts"
import { driverOf, hasHosts, hostAdminOf } from "./Drivers.ts"
import * as ClientAddress from "./http/connection/ClientAddress.ts"
import { DropObserver } from "./http/connection/DropObserver.ts"
import { RequestObservers } from "./http/middleware/RootMiddleware.ts"
import { FaultHook } from "./http/FaultHook.ts"
import { Readiness, ReadyWarning } from "./http/system/Health.ts"
import * as Server from "./http/Server.ts"
import * as Waiting from "./http/system/Waiting.ts"
import * as Spans from "./http/middleware/RequestContext.ts"
import type { Mailer } from "./mail/Mailer.ts"
import * as Mailers from "./mail/Mailers.ts"
import * as Notices from "./mail/MailedNotices.ts"
import * as DriverCalls from "./observability/DriverCalls.ts"
import { RiskObserver } from "./billing/MoneyAtRisk.ts"
import { Books } from "./ledger/Books.ts"
import { MachineMonitor } from "./instances/Monitoring.ts"
import { InFlight } from "./idempotency/InFlight.ts"
import { logStart, logStop, watchSignals } from "./observability/Log.ts"
import { logDrops, logRequests } from "./http/RequestLog.ts"
import * as Log from "./observability/Log.ts"
import { Metrics } from "./observability/Metrics.ts"
import * as Tracing from "./observability/Tracing.ts"
import { ReplicaBus } from "./persistence/ReplicaBus.ts"
import { createRates } from "./ratelimit/CreateRateLimits.ts"
import * as RequestLimits from "./ratelimit/RequestRateLimits.ts"
import { OrderPolicy } from "./orders/PlaceOrder.ts"
import { BatchObserver } from "./persistence/Transaction.ts"
import type { Driver } from "./provisioning/Driver.ts"
import * as Branding from "./branding/Branding.ts"
import * as PanelPages from "./panel/http/PanelPages.ts"
import * as PanelRoutes from "./panel/http/PanelRoutes.ts"
import * as Secret from "./config/Secret.ts"
import * as PasskeyDomain from "./people/PasskeyDomain.ts"
import { StartWait } from "./persistence/StartWait.ts"
import * as Storage from "./persistence/Storage.ts"
import * as AuditSchedule from "./tasks/AuditSchedule.ts"
import * as ClockWatch from "./tasks/ClockWatch.ts"
import * as Scheduler from "./tasks/Scheduler.ts"
import * as TaskQueue from "./tasks/TaskQueue.ts"
import * as TaskRunner from "./tasks/Runner.ts"
import { TaskObservers } from "./tasks/TaskTelemetry.ts"
import * as Worker from "./tasks/Worker.ts"
import { notifyWaiting } from "./ServiceManager.ts"
import { runWith, ServiceRuntime, type Services } from "./ServiceRuntime.ts"
import { WorkerNotifier } from "./runtime/WorkerNotifier.ts"

/** The secret is made after the database is opened: one of another program or kind must not get a secret beside it. */
const storage = (settings: Values) =>
  Layer.provideMerge(Secret.layer(settings), Storage.layer(settings.database, settings))

/** Notifies this process's worker at once, and other replicas in the background. */
const notifier = Layer.effect(
  WorkerNotifier,
  Effect.gen(function*() {
    const queue = yield* TaskQueue.TaskQueue
    const { ownsDatabase, publish } = yield* ReplicaBus
    const scope = yield* Effect.scope
    const others = Effect.forkIn(publish("tasks"), scope)
    const notify = ownsDatabase ? queue.notify : Effect.asVoid(Effect.andThen(queue.notify, others))
    return { notify, commit: queue.handover.committing(notify) }
  })
)

/** The ports to everything outside of the process. The emulator decorates them; the simulator replaces them. */
export interface ExternalPorts {
  readonly storage: ReturnType<typeof storage>
  readonly driver: Layer.Layer<Driver, never, Limits | Layer.Success<ExternalPorts["storage"]>>
  readonly mailer: Layer.Layer<Mailer, never, Limits>
}

export const externalPorts = (settings: Values, driver: DriverName): ExternalPorts => ({
  storage: storage(settings),
  driver: driverOf(settings, driver),
  mailer: Mailers.layer(settings)
})

/** Connects what can be measured to the metrics. */
const observers = Layer.effectContext(
  Effect.map(Metrics, ({ batch, missingSecrets, moneyAtRisk, task }) =>
    Context.make(BatchObserver, batch).pipe(
      Context.add(RiskObserver, (risks) => moneyAtRisk([...risks.values()])),
      Context.add(MissingSecrets.MissingSecretsObserver, missingSecrets),
      Context.add(TaskObservers, {
        attempted: ({ createdAt, startedAt, type }, outcome, at) => task(type, outcome, at - (startedAt ?? createdAt))
      })
    ))
)

const orderPolicy = ({ limits, rateLimits, strictIdempotency }: Values) =>
  Layer.succeed(OrderPolicy, {
    createRates: rateLimits ? createRates(limits) : undefined,
    strict: strictIdempotency
  })

/** Real machines have a host, which a create reserves. */
const placement = ({ driver }: Values) => Layer.succeed(PlacesMachines, hasHosts(driver))

const compose = (settings: Values, { driver, mailer, storage }: ExternalPorts) =>
  Layer.mergeAll(
    AuditSchedule.layer,
    Authentication.layer,
    ClockWatch.layer,
    Branding.layer(settings),
    InFlight.layer,
    MachineMonitor.layer,
    Layer.provide(Notices.layer, mailer),
    PasskeyDomain.layer(settings),
    PlanSizes.layer,
    Readiness.layer,
    RequestLimits.layer,
    TaskRunner.layer,
    Worker.layer
  ).pipe(
    Layer.provideMerge(notifier),
    Layer.provideMerge(Layer.provide(Scheduler.layer, mailer)),
    Layer.provideMerge(Layer.mergeAll(TaskQueue.layer, Layer.provideMerge(DriverCalls.layer, driver))),
    Layer.provideMerge(Books.layer),
    Layer.provideMerge(Layer.provideMerge(MissingSecrets.layer(settings), storage)),
    Layer.provideMerge(observers),
    Layer.provideMerge(Layer.merge(Metrics.layer, hostAdminOf(settings.driver))),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(Config, settings),
        Layer.succeed(Limits, settings.limits),
        Letterhead.layer(settings),
        Payment.layer(settings),
        PanelPort.layer,
        orderPolicy(settings),
        placement(settings)
      )
    )
  )

/** The services below HTTP, and all that the ports provide. */
export const make = <Ports extends ExternalPorts>(settings: Values, ports: Ports) =>
  compose(settings, ports) as Layer.Layer<
    Services | Readiness | Layer.Success<Ports["storage"] | Ports["driver"]>,
    Layer.Error<ReturnType<typeof compose>>
  >

/** Loaded only when a collector is configured. */
const tracing = ({ otlpEndpoint }: Values) =>
  otlpEndpoint === "" ? Layer.empty : Layer.merge(Spans.layer, Tracing.layer(otlpEndpoint))

/** The part of the services that HTTP uses. It is small, because every request copies the context it runs in. */
export const forHttp = <E>(settings: Values, app: Layer.Layer<Services | Readiness, E>) =>
  Layer.effectContext(Effect.map(Effect.context<Services | Readiness>(), (services) => {
    const proxies = ClientAddress.make(settings.trustedProxies)
    const metrics = Context.get(services, Metrics)
    const write = Context.get(services, Log.LogSink)
    const logDrop = logDrops(settings.limits.DROP_LOG_MILLIS, write)
    return Context.pick(Authentication.Authentication, RequestLimits.RequestRateLimits, Readiness)(services).pipe(
      Context.add(ServiceRuntime, { run: runWith(services) }),
      Context.add(Limits, settings.limits),
      Context.add(FaultHook, Context.get(services, FaultHook)),
      Context.add(ClientAddress.TrustedProxies, proxies),
      Context.add(DropObserver, (reason, address) => {
        metrics.dropped(reason)
        logDrop(reason, address)
      }),
      Context.add(RequestObservers, [
        metrics.request,
        ...(settings.requestLog ? [logRequests(proxies, write)] : []),
        ...Context.get(services, RequestObservers)
      ])
    )
  })).pipe(Layer.provide(app))

/** Serves routes, the panel, and the operators' commands, over what `http` provides. */
export const serve = <A, R, B, E>(
  settings: Values,
  routes: Layer.Layer<A, never, R>,
  http: Layer.Layer<B | ServiceRuntime | Limits, E>
) =>
  Layer.merge(
    Server.serve(Layer.mergeAll(routes, PanelPages.layer, PanelRoutes.layer), settings),
    AdminSocket.layer(settings.database)
  ).pipe(
    Layer.catchTag("ServeError", Server.failToListen(settings)),
    Layer.provideMerge(http),
    Layer.provide([Log.layer, tracing(settings)])
  )

/** Published where operators look, so that a simulation is never taken for the product. */
const WARNINGS: { readonly [D in DriverName]: string | null } = {
  simulated: "Instances are simulated: they exist in the database only, so nothing can be reached on them.",
  libvirt: null
}

/** Logs a warning at the start, and adds it to the readiness check. */
const withWarning = (warning: string) => <A, E, R>(service: Layer.Layer<A, E, R>) =>
  Layer.merge(service, Layer.effectDiscard(Effect.logWarning(warning)).pipe(Layer.provide(Log.layer))).pipe(
    Layer.provide(Layer.succeed(ReadyWarning, warning))
  )

/** A start that waits is alive for supervisors, and says why. */
const startWait = (settings: Values) =>
  Layer.succeed(StartWait, (reason) => Effect.andThen(Waiting.listen(settings), notifyWaiting(reason)))

/**
 * The service, listening while its scope is open. Fails with `DatabaseUnusable`, `SecretUnusable`, `ListenError`,
 * or `InvalidSetting` when no driver was chosen.
 */
export const layer = (settings: Values) =>
  Layer.unwrap(Effect.map(Effect.andThen(Secret.check(settings), chosenDriver(settings)), (driver) => {
    const service = serve(settings, Server.routes, forHttp(settings, make(settings, externalPorts(settings, driver))))
    const warning = WARNINGS[driver]
    return Layer.provide(warning === null ? service : withWarning(warning)(service), startWait(settings))
  }))

/**
 * Runs a service until it is interrupted, then shuts it down: it reports not ready, answers on open connections, and
 * releases leases.
 */
export const run = <A, E>(
  settings: Values,
  service: Layer.Layer<A | Readiness | ServiceRuntime | HttpServer.HttpServer, E>,
  details: Details
) =>
  Effect.suspend(() => {
    const reason = watchSignals()
    return Effect.gen(function*() {
      yield* logStart(settings)
      const context = yield* Layer.build(service)
      const readiness = Context.get(context, Readiness)
      yield* Effect.addFinalizer(() => Effect.andThen(logStop("Shutting down", reason()), readiness.leave))
      yield* Effect.provideContext(printReadyLine(settings, details), context)
      return yield* Effect.never
    }).pipe(
      Effect.scoped,
      Effect.onInterrupt(() => logStop("Stopped", reason()))
    )
  }).pipe(Effect.provide(Log.layer))

/** Runs the service until it is interrupted. */
export const start = (settings: Values) =>
  Effect.flatMap(chosenDriver(settings), (driver) => {
    const warning = WARNINGS[driver]
    return run(
      settings,
      layer(settings),
      () => Effect.succeed({ driver, ...(warning === null ? {} : { warning }) })
    )
  })
