/** The port to the service's API: `SdkApi.ts` implements it on the SDK, tests on a double. */
import type {
  ActionResult,
  AvailablePlan,
  Backup,
  CreateInstance,
  DryRun,
  Instance,
  Iso,
  LiveStatus,
  Metrics,
  MetricsRange,
  OsOptions,
  PublicPlan,
  Reinstall,
  RescueResult,
  ResetPasswordResult,
  ResizeResult,
  Snapshot,
  SnapshotResult,
  TaskPage,
  Whoami
} from "#sdk/client/Records"
import type { Host } from "../engine/Host.ts"

/** The API as the provider uses it. Errors are the SDK's: they have `status`, `detail`, `retryAfter`. */
export interface Api {
  readonly whoami: () => Promise<Whoami>
  readonly services: () => Promise<ReadonlyArray<PublicPlan>>
  readonly osOptions: (service_id: number) => Promise<OsOptions>
  readonly list: () => Promise<ReadonlyArray<Instance>>
  readonly get: (id: number) => Promise<Instance>
  readonly create: (body: CreateInstance, key: string) => Promise<CreateResult>
  readonly dryRun: (body: CreateInstance, key?: string) => Promise<DryRun>
  readonly hostname: (id: number, hostname: string) => Promise<unknown>
  readonly rdns: (id: number, ip: string, ptr: string) => Promise<unknown>
  readonly start: (id: number) => Promise<ActionResult>
  /** Here and below, the activity feed shows `requestId`: after a lost answer it shows whether the task was started. */
  readonly stop: (id: number, requestId?: string) => Promise<ActionResult>
  readonly restart: (id: number) => Promise<ActionResult>
  readonly resize: (id: number, service_id: number, requestId: string) => Promise<ResizeResult>
  readonly reinstall: (id: number, body: Reinstall, requestId: string) => Promise<ActionResult>
  readonly resetPassword: (id: number, requestId: string) => Promise<ResetPasswordResult>
  readonly rescueEnter: (id: number, requestId: string) => Promise<RescueResult>
  readonly rescueExit: (id: number, requestId: string) => Promise<RescueResult>
  readonly isos: (id: number) => Promise<ReadonlyArray<Iso>>
  readonly isoMount: (id: number, iso_id: number) => Promise<ActionResult>
  readonly isoUnmount: (id: number) => Promise<ActionResult>
  readonly snapshots: (id: number) => Promise<ReadonlyArray<Snapshot>>
  readonly snapshotCreate: (id: number, name: string, requestId?: string) => Promise<SnapshotResult>
  readonly snapshotRestore: (id: number, snap_id: number, requestId: string) => Promise<ActionResult>
  readonly snapshotDelete: (id: number, snap_id: number) => Promise<ActionResult>
  readonly backups: (id: number) => Promise<ReadonlyArray<Backup>>
  readonly backupRestore: (id: number, backup_id: number, requestId: string) => Promise<ActionResult>
  readonly status: (id: number) => Promise<LiveStatus>
  readonly metrics: (id: number, range?: MetricsRange) => Promise<Metrics>
  /** The activity feed, newest first. */
  readonly tasks: (id: number, query?: { readonly limit?: number; readonly offset?: number }) => Promise<TaskPage>
  readonly availablePlans: (id: number) => Promise<ReadonlyArray<AvailablePlan>>
}

/** The response to a create: a new instance, or the original one of an earlier call with the same key. */
export interface CreateResult {
  readonly instance: Instance
  /** The key had already bought this instance; nothing was charged now. */
  readonly replayed: boolean
  /** The fields in which this body differs from the original one, as the service names them. */
  readonly mismatch: ReadonlyArray<string>
}

/** The API, and the process that calls it: everything that waiting and retrying need. */
export interface ApiContext {
  readonly api: Api
  readonly host: Host
}
