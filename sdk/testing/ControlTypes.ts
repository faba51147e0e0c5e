/** What the controls take and answer, in the words of the wire. */
import type { Scope } from "#contract/Scope"
import type { JournalKind, OperationType, Treatment } from "#service/Embedded"
import type { OperationName } from "../client/calls/Operations.ts"

/** What the clock shows. */
export interface ClockReading {
  /** ISO 8601 in UTC with milliseconds. */
  readonly now: string
  readonly frozen: boolean
}

interface FaultTiming {
  /** 0 to 3,600,000 milliseconds that go by first: real ones at endpoints, the clock's at the driver. */
  readonly latency_ms?: number
  /** 0 to 1: how likely it strikes. Default: always. */
  readonly probability?: number
  /** How often it strikes, at most. Default: until it is cleared. */
  readonly count?: number
  /** 0 to 2,147,483,647: the same seed strikes in the same pattern. Default: one is made up, and answered. */
  readonly seed?: number
}

/** Something goes wrong between the client and an endpoint. At least a status, a drop or a latency. */
export interface HttpFault extends FaultTiming {
  /** Real creates are `instances.create`, their dry runs `instances.dry_run`. */
  readonly operation: OperationName
  /** 400 to 599: answered instead of doing the work. A 429 comes with `Retry-After: 1`. */
  readonly status?: number
  /** The connection is cut `before` the work is done, or `after`: then nobody hears that it was. */
  readonly drop_connection?: "before" | "after"
}

/** Something goes wrong between the service and what runs its machines. At least a kind or a latency. */
export interface DriverFault extends FaultTiming {
  /** `driver.provision` fails deployments, `driver.snapshot_create` snapshots, ... */
  readonly operation: `driver.${OperationType}`
  /**
   * - `rejected`: refused for good; the task fails, a create is paid back
   * - `busy`, `unavailable`: the service tries again, for 30 minutes at most
   * - `lost_answer`: it is done, but the service does not hear so, and tries again
   */
  readonly driver?: "busy" | "rejected" | "unavailable" | "lost_answer"
}

export type FaultRule = HttpFault | DriverFault

/** A rule that holds. */
export type Fault = FaultRule & {
  readonly id: number
  readonly seed: number
  /** How often it has struck. */
  readonly hits: number
}

/** One journal, as it changed a wallet. */
export interface StatementLine {
  readonly id: number
  readonly at: string
  readonly kind: JournalKind
  /** In units of the currency; negative is taken out. */
  readonly amount: number
  readonly reference: string
}

/** A wallet, and how it came to hold what it holds. */
export interface Wallet {
  readonly account_id: number
  /** In units of the currency. */
  readonly balance: number
  readonly currency: string
  /** Newest first, at most 1,000. */
  readonly statement: ReadonlyArray<StatementLine>
}

/** The books: every journal with its entries in minor units (cents). */
export interface Ledger {
  /** Whether every journal sums to zero, and every wallet is what the journals say. */
  readonly balanced: boolean
  readonly journals: ReadonlyArray<
    Pick<StatementLine, "id" | "kind" | "reference"> & {
      readonly entries: ReadonlyArray<{ readonly account: string; readonly amount: number }>
    }
  >
}

export interface NewAccount {
  readonly email: string
  /** What its wallet holds: 0 to 1,000,000,000 with two decimals. */
  readonly wallet: number
  /** ISO 4217. Default `EUR`. */
  readonly currency?: string
  /** Default `domestic`. */
  readonly vat_treatment?: Treatment
  /** In percent. Default 19. */
  readonly vat_rate?: number
}

export interface NewKey {
  /** At least one; `vps:create` implies `vps:write`, that implies `vps:read`. */
  readonly scopes: ReadonlyArray<Scope>
  /** Default 1. */
  readonly account_id?: number
  /** ISO 8601 with a time zone. Default: never. */
  readonly expires_at?: string | null
}

/** One request that was answered. */
export interface LoggedRequest {
  readonly method: string
  /** From the root: `/api/v1/instances`. */
  readonly path: string
  /** Without its question mark; empty when there is none. */
  readonly query: string
  /** Of a request whose connection was cut: what nobody heard; 499 when nothing was done. */
  readonly status: number
  /** SHA-256 of the `Idempotency-Key` in hexadecimal; null when there was none. */
  readonly idempotency_key_sha256: string | null
  /** Whether it was answered with an instance bought before. */
  readonly replayed: boolean
}

/** Everything as it was, under a name. */
export interface SavedState {
  readonly name: string
  /** By the emulator's clock. */
  readonly saved_at: string
}
