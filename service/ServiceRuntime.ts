/**
 * The one door from HTTP to everything below it. A request's own context is copied several times on its way through
 * the router, so it stays small: the services stand in a context of their own, which a use case runs in.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Authentication } from "./auth/Authentication.ts"
import type { Config } from "./config/Config.ts"
import type { Limits } from "./config/Limits.ts"
import type { RandomSource } from "./emulator/RandomSource.ts"
import type { EmulatedClock } from "./emulator/EmulatedClock.ts"
import type { InFlight } from "./idempotency/InFlight.ts"
import type { Faults } from "./emulator/Faults.ts"
import type { RequestLog } from "./emulator/RequestLog.ts"
import type { MachineMonitor } from "./instances/MachineMonitor.ts"
import type { Notices } from "./instances/Notices.ts"
import type { TaskRunner } from "./instances/TaskRunner.ts"
import type { Metrics } from "./observability/Metrics.ts"
import type { Accounts } from "./persistence/Accounts.ts"
import type { ApiKeys } from "./persistence/ApiKeys.ts"
import type { Backups } from "./persistence/Backups.ts"
import type { Catalogue } from "./persistence/Catalogue.ts"
import type { Coupons } from "./persistence/Coupons.ts"
import type { EmulatorSettings } from "./persistence/EmulatorSettings.ts"
import type { IdempotencyKeys } from "./persistence/IdempotencyKeys.ts"
import type { Instances } from "./persistence/Instances.ts"
import type { Isos } from "./persistence/Isos.ts"
import type { LedgerBook } from "./persistence/Ledger.ts"
import type { OperatorLists } from "./persistence/OperatorLists.ts"
import type { Orders } from "./persistence/Orders.ts"
import type { SavedStates } from "./persistence/SavedStates.ts"
import type { SimulatedMachines } from "./persistence/SimulatedMachines.ts"
import type { Snapshots } from "./persistence/Snapshots.ts"
import type { SecretUses } from "./persistence/SecretUses.ts"
import type { Tasks } from "./persistence/Tasks.ts"
import type { Transaction } from "./persistence/Transaction.ts"
import type { Wipe } from "./persistence/Wipe.ts"
import type { RequestLimits } from "./ratelimit/RequestLimits.ts"
import type { DeployClock } from "./provisioning/drivers/simulated/DeployClock.ts"
import type { Driver } from "./provisioning/Driver.ts"
import type { Secret } from "./Secret.ts"
import type { TaskQueue } from "./tasks/Queue.ts"
import type { WorkerNotifier } from "./WorkerNotifier.ts"

/** What use cases, and the emulator's controls, find in their context. */
export type Services =
  | Accounts
  | ApiKeys
  | Authentication
  | Backups
  | Catalogue
  | RandomSource
  | Config
  | Coupons
  | DeployClock
  | Driver
  | EmulatedClock
  | EmulatorSettings
  | Faults
  | IdempotencyKeys
  | InFlight
  | Instances
  | Isos
  | LedgerBook
  | Limits
  | Metrics
  | MachineMonitor
  | Notices
  | OperatorLists
  | Orders
  | RequestLimits
  | RequestLog
  | SavedStates
  | Secret
  | SimulatedMachines
  | Snapshots
  | SecretUses
  | TaskQueue
  | TaskRunner
  | Tasks
  | Transaction
  | WorkerNotifier
  | Wipe

export class ServiceRuntime extends Context.Service<ServiceRuntime, {
  /** Runs a use case among the services, outside of the request's context. */
  readonly run: <A, E>(useCase: Effect.Effect<A, E, Services>) => Effect.Effect<A, E>
}>()("pulumi-vps/service/ServiceRuntime") {}
