/** What the lifecycle logic needs from the world. Each host (the dynamic one, the plugin) and each test supplies it. */
import type { CreateInstance, DryRun, Instance } from "#contract/Instance"

/** The API as the provider uses it. Errors are the SDK's: they carry `status`, `detail`, `retryAfter`. */
export interface Api {
  readonly whoami: () => Promise<{ readonly account_id: number; readonly email: string }>
  readonly list: () => Promise<ReadonlyArray<Instance>>
  readonly get: (id: number) => Promise<Instance>
  readonly create: (body: CreateInstance, key: string) => Promise<Purchase>
  readonly dryRun: (body: CreateInstance, key?: string) => Promise<DryRun>
  readonly hostname: (id: number, hostname: string) => Promise<unknown>
  readonly rdns: (id: number, ip: string, ptr: string) => Promise<unknown>
  readonly start: (id: number) => Promise<unknown>
  readonly stop: (id: number) => Promise<unknown>
}

/** The answer to a create: new, or the original of an earlier call with the same key. */
export interface Purchase {
  readonly instance: Instance
  /** The key had bought this instance before; nothing was charged now. */
  readonly replayed: boolean
  /** Fields in which this body differs from the one that bought it, as the service names them. */
  readonly mismatch: ReadonlyArray<string>
}

/** The process that the lifecycle runs in. */
export interface Host {
  /** One line for the user, kept in the final summary. */
  readonly info: (message: string) => void
  readonly warn: (message: string) => void
  /** What a long wait is at; shown live. */
  readonly progress: (message: string) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Called between steps: does not return when the engine is gone, for nobody would record what we do next. */
  readonly checkpoint: () => Promise<void>
}
