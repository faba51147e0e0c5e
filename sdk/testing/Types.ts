/** The options of an emulator, and the requests and responses of its controls, with the field names of the wire. */
import type { Scope } from "@pulumi-vps/sdk"
import type {
  CatalogueDocument,
  DeployMode,
  JournalKind,
  OperationName,
  OperationType,
  Treatment
} from "./OperatorCommands.ts"

/** The duration of deployments. */
export interface DeploySetting {
  /**
   * - `instant`: immediately
   * - `after_ms`: after `value` milliseconds of the emulator's clock
   * - `after_polls`: when the instance has been read `value` times
   */
  readonly mode: DeployMode
  /** Milliseconds (default 1,000) or reads (default 1), at most 86,400,000; unused for `instant`. */
  readonly value?: number
}

/** Overrides of the standard seed. `reset()` restores it. */
export interface Seed {
  /** Balance of account 1: 0 to 1,000,000,000 with two decimals. Default 1000. */
  readonly wallet?: number
  /** Currency of that wallet, ISO 4217. The standard catalogue has prices in EUR only. Default `EUR`. */
  readonly currency?: string
  /** Default `domestic`. */
  readonly vat_treatment?: Treatment
  /** The customer's VAT rate in percent. Default 19. */
  readonly vat_rate?: number
  /** Plans, images, ISOs, and data centers to add or replace by ID, as for `vps-service admin catalogue import`. */
  readonly catalogue?: CatalogueDocument
  /** Default: `after_ms` with 1,000. */
  readonly deploy?: DeploySetting
  /** Initial time (ISO 8601; default: the system time), and whether the clock is frozen. */
  readonly clock?: { readonly now?: string; readonly frozen?: boolean }
}

/** The options of `startEmulator`. */
export interface EmulatorOptions {
  readonly seed?: Seed
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number
  /** Enables the rate limits of a production service. Default false. */
  readonly rateLimits?: boolean
  /** Returns 422 instead of the original instance for a reused idempotency key with another body. Default false. */
  readonly strictIdempotency?: boolean
  /** Receives each line of the service's log (requests, emails, errors) as JSON. Default: no log. */
  readonly log?: (line: string) => void
}

type DurationUnit = "milli" | "second" | "minute" | "hour" | "day" | "week"

/** Milliseconds, a text such as `"31 days"`, or an object such as `{ hours: 2 }`. */
export type DurationInput =
  | number
  | `${number} ${DurationUnit}`
  | `${number} ${DurationUnit}s`
  | {
    readonly weeks?: number
    readonly days?: number
    readonly hours?: number
    readonly minutes?: number
    readonly seconds?: number
    readonly milliseconds?: number
  }

/** The state of the clock. */
export interface ClockReading {
  /** ISO 8601 in UTC with milliseconds. */
  readonly now: string
  readonly frozen: boolean
}

interface FaultTiming {
  /** Delay of 0 to 3,600,000 milliseconds: real time at endpoints, the emulator's clock at the driver. */
  readonly latency_ms?: number
  /** Probability of the fault from 0 to 1. Default: 1. */
  readonly probability?: number
  /** Maximum number of hits. Default: unlimited. */
  readonly count?: number
  /** Random seed from 0 to 2,147,483,647 for a reproducible pattern. Default: generated and returned. */
  readonly seed?: number
}

/** A fault between client and endpoint: at least a status, a dropped connection, or a latency. */
export interface HttpFault extends FaultTiming {
  /** Creates are `instances.create`; their dry runs are `instances.dry_run`. */
  readonly operation: OperationName
  /** A status of 400 to 599 to return instead of the response. A 429 has `Retry-After: 1`. */
  readonly status?: number
  /** Drops the connection `before` the request is handled, or `after`, so that the response is lost. */
  readonly drop_connection?: "before" | "after"
}

/** A fault between the service and its driver: at least an error or a latency. */
export interface DriverFault extends FaultTiming {
  /** `driver.provision` fails deployments, `driver.snapshot_create` snapshots, ... */
  readonly operation: `driver.${OperationType}`
  /**
   * - `rejected`: a permanent error; the task fails, and a create is refunded
   * - `busy`, `unavailable`: the service retries for up to 30 minutes
   * - `lost_answer`: the work is done, but the response is lost, so the service retries
   */
  readonly driver?: "busy" | "rejected" | "unavailable" | "lost_answer"
}

export type FaultRule = HttpFault | DriverFault

/** A registered rule. */
export type Fault = FaultRule & {
  readonly id: number
  readonly seed: number
  /** Number of times it was triggered. */
  readonly hits: number
}

/** A journal as a change of a wallet. */
export interface StatementLine {
  readonly id: number
  readonly at: string
  readonly kind: JournalKind
  /** In units of the currency; negative for a charge. */
  readonly amount: number
  readonly reference: string
}

/** A wallet and its history. */
export interface Wallet {
  readonly account_id: number
  /** In units of the currency. */
  readonly balance: number
  readonly currency: string
  /** Newest first, at most 1,000. */
  readonly statement: ReadonlyArray<StatementLine>
}

/** The ledger: every journal with its entries in minor units (cents). */
export interface Ledger {
  /** True when every journal sums to zero and every wallet matches its journals. */
  readonly balanced: boolean
  readonly journals: ReadonlyArray<
    Pick<StatementLine, "id" | "kind" | "reference"> & {
      readonly entries: ReadonlyArray<{ readonly account: string; readonly amount: number }>
    }
  >
}

export interface NewAccount {
  readonly email: string
  /** Initial balance: 0 to 1,000,000,000 with two decimals. */
  readonly wallet: number
  /** ISO 4217. Default `EUR`. */
  readonly currency?: string
  /** Default `domestic`. */
  readonly vat_treatment?: Treatment
  /** In percent. Default 19. */
  readonly vat_rate?: number
}

export interface NewKey {
  /** At least one. `vps:create` implies `vps:write`, which implies `vps:read`. */
  readonly scopes: ReadonlyArray<Scope>
  /** Default 1. */
  readonly account_id?: number
  /** ISO 8601 with a time zone. Default: never. */
  readonly expires_at?: string | null
}

/** A mail as its recipient reads it, without the host's signature. */
export interface SentMail {
  /** ISO 8601, on the emulator's clock. */
  readonly at: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** An answered request. */
export interface LoggedRequest {
  readonly method: string
  /** The full path: `/api/v1/instances`. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
  /** For a dropped connection, the status that was lost; 499 when the request was not handled. */
  readonly status: number
  /** SHA-256 of the `Idempotency-Key` in hexadecimal; null without one. */
  readonly idempotency_key_sha256: string | null
  /** True when the response was an instance bought before. */
  readonly replayed: boolean
}

/** A saved state. */
export interface SavedState {
  readonly name: string
  /** On the emulator's clock. */
  readonly saved_at: string
}
