/**
 * Runs use cases for HTTP. A request's own context is copied several times on its way through the router, so it stays
 * small: the services are in a context of their own, in which use cases run.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Authentication } from "./auth/Authentication.ts"
import type { Config } from "./config/Config.ts"
import type { Limits } from "./config/Limits.ts"
import type { InFlight } from "./idempotency/InFlight.ts"
import type { Books } from "./ledger/Books.ts"
import type { MachineMonitor } from "./instances/Monitoring.ts"
import type { Notices } from "./instances/Notices.ts"
import type { TaskRunner } from "./instances/TaskRunner.ts"
import type { Metrics } from "./observability/Metrics.ts"
import type * as Repositories from "./persistence/Repositories.ts"
import type { Transaction } from "./persistence/Transaction.ts"
import type { Branding } from "./branding/Branding.ts"
import type { Driver } from "./provisioning/Driver.ts"
import type { HostAdmin } from "./provisioning/HostAdmin.ts"
import type { RequestRateLimits } from "./ratelimit/RequestRateLimits.ts"
import type { Secret } from "./config/Secret.ts"
import type { TaskQueue } from "./tasks/TaskQueue.ts"
import type { WorkerNotifier } from "./runtime/WorkerNotifier.ts"

/** The services available to use cases. */
export type Services =
  | Layer.Success<typeof Repositories.layer>
  | Authentication
  | Books
  | Config
  | Driver
  | HostAdmin
  | Branding
  | InFlight
  | Limits
  | MachineMonitor
  | Metrics
  | Notices
  | RequestRateLimits
  | Secret
  | TaskQueue
  | TaskRunner
  | Transaction
  | WorkerNotifier

/** Runs effects with these services instead of the caller's context. */
export const runWith =
  <R>(services: Context.Context<R>) => <A, E>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E> =>
    Effect.updateContext(effect, () => services)

export class ServiceRuntime extends Context.Service<ServiceRuntime, {
  /** Runs a use case with the services, outside of the request's context. */
  readonly run: <A, E>(useCase: Effect.Effect<A, E, Services>) => Effect.Effect<A, E>
}>()("@pulumi-vps/service/ServiceRuntime") {}
