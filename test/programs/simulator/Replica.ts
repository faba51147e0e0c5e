/** A process of the service: everything that App composes, with its HTTP handler, on virtual time. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type ExternalPorts, forHttp, make } from "#service/App"
import { PlacesMachines } from "#service/catalogue/Capacity"
import { resolve } from "#service/config/Resolve"
import { Readiness } from "#service/http/system/Health"
import * as Server from "#service/http/Server"
import * as AuditSchedule from "#service/tasks/AuditSchedule"
import { ServiceRuntime } from "#service/ServiceRuntime"
import type { SimulatedProcess } from "./Timers.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"

const SETTINGS = resolve(["--database=:memory:", "--request-log=false"], {
  VPS_SERVICE_SECRET: "a-secret-of-the-simulator-0123456789",
  // Less often than in production, to save steps.
  VPS_SERVICE_CLOCK_CHECK_MILLIS: "1200000",
  VPS_SERVICE_AUDIT_MILLIS: "1800000",
  VPS_SERVICE_AUDIT_STARTS_MILLIS: "480000"
})

/** The audit of machines, which here may differ from their records. */
const AUDITS = Layer.provide(Layer.fresh(AuditSchedule.layer), Layer.succeed(PlacesMachines, true))

/** The external ports of a process of the service. */
export type PortsOf = (proc: SimulatedProcess) => ExternalPorts

interface Built {
  readonly handle: Effect.Effect<
    HttpServerResponse,
    unknown,
    Scope.Scope | HttpServerRequest.HttpServerRequest
  >
  readonly run: ServiceRuntime["Service"]["run"]
  readonly drain: Effect.Effect<void>
}

const build = (ports: ExternalPorts) =>
  Effect.gen(function*() {
    const app = Layer.provideMerge(AUDITS, make(SETTINGS, ports))
    const context = yield* Layer.build(forHttp(SETTINGS, app))
    const routed = HttpRouter.toHttpEffect(Layer.provide(Server.routes, HttpServer.layerServices)).pipe(
      Effect.provideContext(context)
    )
    const handle = Effect.provideContext(yield* routed, context)
    const { run } = Context.get(context, ServiceRuntime)
    return { handle, run, drain: Context.get(context, Readiness).drain } satisfies Built
  })

/** Milliseconds before a supervisor restarts a process that did not start. */
const RESTART_MILLIS = 1_000

/** The connection broke before the response. */
export type Broken = "reset"

interface Connection {
  readonly tell: (answer: HttpServerResponse | Broken) => void
}

export class Replica {
  /** The process that runs now, or ran last. */
  proc: SimulatedProcess
  readonly name: string
  readonly #scheduler: VirtualScheduler
  readonly #ground: PortsOf
  #running: Context.Context<never> = Context.empty()
  #scope = Scope.makeUnsafe()
  #built: Built | undefined
  #connections = new Set<Connection>()
  #starts = 0
  /** A start before this time waits until then. */
  #offUntil = 0

  constructor(scheduler: VirtualScheduler, name: string, ground: PortsOf) {
    this.#scheduler = scheduler
    this.name = name
    this.#ground = ground
    this.proc = scheduler.proc(name)
    this.proc.alive = false
  }

  /** It receives no requests before it listens. */
  get listens(): boolean {
    return this.#built !== undefined
  }

  start(): void {
    const off = this.#offUntil - this.#scheduler.now
    if (off > 0) return this.#startIn(off)
    this.proc = this.#scheduler.proc(`${this.name}#${++this.#starts}`)
    this.#running = this.#scheduler.context(this.proc, true)
    this.#scope = Scope.makeUnsafe()
    const { proc } = this
    const building = build(this.#ground(proc)).pipe(Scope.provide(this.#scope))
    this.#scheduler.note(`${proc.name} starts`)
    this.#scheduler.soon(proc, () => {
      Effect.runForkWith(this.#running)(building).addObserver((exit) => {
        if (proc !== this.proc) return
        if (Exit.isSuccess(exit)) this.#built = exit.value
        else this.#startAgain(proc)
      })
    })
  }

  /** It did not come up, for example because the database could not be written. */
  #startAgain(proc: SimulatedProcess): void {
    this.#scheduler.note(`${proc.name} could not start`)
    this.kill()
    this.#startIn(RESTART_MILLIS)
  }

  #startIn(millis: number): void {
    this.#scheduler.later(this.#scheduler.proc("supervisor"), millis, () => this.start())
  }

  /** Its computer has no power until a time: it is killed if it runs or starts, and starts at that time. */
  switchOff(until: number): void {
    this.#offUntil = Math.max(this.#offUntil, until)
    // One that is away has a start before it, which waits.
    if (!this.proc.alive) return
    this.kill()
    this.start()
  }

  /** kill -9: nothing of it continues, and its connections break. */
  kill(): void {
    this.proc.alive = false
    this.#built = undefined
    const broken = [...this.#connections]
    this.#connections.clear()
    for (const { tell } of broken) tell("reset")
  }

  /** SIGTERM: it finishes, gives its leases back, and calls when it has gone. */
  stop(gone: () => void): void {
    const { proc } = this
    const built = this.#built
    if (built === undefined) return
    const end = Effect.andThen(built.drain, Scope.close(this.#scope, Exit.void))
    this.#scheduler.soon(proc, () => {
      Effect.runForkWith(this.#running)(end).addObserver(() => {
        if (proc !== this.proc || !proc.alive) return
        this.kill()
        gone()
      })
    })
  }

  /** Does something in the process, as a request does; `tell` is called once unless the process dies first. */
  #fork<A, E>(work: Effect.Effect<A, E>, tell: (exit: Exit.Exit<A, E>) => void): () => void {
    const { proc } = this
    let fiber: Fiber.Fiber<A, E> | undefined
    this.#scheduler.soon(proc, () => {
      fiber = Effect.runForkWith(this.#running)(work)
      fiber.addObserver(tell)
    })
    return () => void this.#scheduler.soon(proc, () => fiber?.interruptUnsafe())
  }

  /** A request over the network; the answer is to hang up, which cuts the request off. */
  request(asked: HttpClientRequest, tell: Connection["tell"]): () => void {
    const built = this.#built
    if (built === undefined) {
      tell("reset")
      return () => undefined
    }
    const connection: Connection = { tell }
    this.#connections.add(connection)
    const handled = built.handle.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(asked)),
      Effect.scoped
    )
    const { proc } = this
    const hangUp = this.#fork(handled, (exit) => {
      if (Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause)) {
        this.#scheduler.onError(proc, `a request met a defect: ${Cause.pretty(exit.cause)}`)
      }
      if (this.#connections.delete(connection)) tell(Exit.isSuccess(exit) ? exit.value : "reset")
    })
    return () => {
      this.#connections.delete(connection)
      hangUp()
    }
  }

  /** Operations of operators and payment systems through the service's runtime; "reset" when the process dies. */
  inside<A, E>(
    work: Parameters<ServiceRuntime["Service"]["run"]>[0],
    tell: (exit: Exit.Exit<A, E> | Broken) => void
  ): void {
    const built = this.#built
    if (built === undefined) return tell("reset")
    const connection: Connection = { tell: () => tell("reset") }
    this.#connections.add(connection)
    this.#fork(built.run(work) as Effect.Effect<A, E>, (exit) => {
      if (this.#connections.delete(connection)) tell(exit)
    })
  }
}
