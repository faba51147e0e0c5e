/** The controls of the emulator that its tests and the panel use: what they accept, and what they return. */
import * as Schema from "effect/Schema"
import { queryWord, Timestamp } from "@pulumi-vps/contract/Primitives"
import { between } from "./Fields.ts"
import { DEPLOY_MODES, JOURNAL_KINDS } from "./Words.ts"

const intBetween = (min: number, max: number) => Schema.Int.check(...between(min, max))

/** Longest advance of the clock in milliseconds: ten years. */
const ADVANCE_MAX = 3_653 * 24 * 60 * 60_000

/** At least one of the fields is required. */
export const ClockBody = Schema.Struct({
  advance_ms: Schema.optionalKey(intBetween(0, ADVANCE_MAX)),
  freeze: Schema.optionalKey(Schema.Boolean)
})

export const ClockReading = Schema.Struct({ now: Timestamp, frozen: Schema.Boolean })

/** Longest simulated deployment in milliseconds, and most reads: one day. */
const DEPLOY_MAX = 24 * 60 * 60_000

export const DeployBody = Schema.Struct({
  mode: queryWord(DEPLOY_MODES),
  value: Schema.optionalKey(intBetween(0, DEPLOY_MAX))
})

/** Longest latency in milliseconds: an hour, longer than any client waits. */
const LATENCY_MAX = 60 * 60_000

const COUNT_MAX = 1_000_000_000

/** Largest seed of a fault rule: short enough to type. */
export const SEED_MAX = 2 ** 31 - 1

const DROPS = ["before", "after"] as const
const DRIVER_FAULTS = ["busy", "rejected", "unavailable", "lost_answer"] as const

export const FaultBody = Schema.Struct({
  /** `group.endpoint` of the contract, `instances.dry_run`, or `driver.<operation>`. */
  operation: Schema.String,
  /** Returned instead of doing the work. */
  status: Schema.optionalKey(intBetween(400, 599)),
  latency_ms: Schema.optionalKey(intBetween(0, LATENCY_MAX)),
  /** The connection is dropped before the work, or after it. */
  drop_connection: Schema.optionalKey(queryWord(DROPS)),
  /** The fault that the driver returns; with `lost_answer` the work is done anyway. */
  driver: Schema.optionalKey(queryWord(DRIVER_FAULTS)),
  /** From 0 to 1; 1 by default. */
  probability: Schema.optionalKey(Schema.Number.check(...between(0, 1))),
  /** Maximum number of hits; unlimited by default. */
  count: Schema.optionalKey(intBetween(1, COUNT_MAX)),
  seed: Schema.optionalKey(intBetween(0, SEED_MAX))
})
export interface FaultBody extends Schema.Schema.Type<typeof FaultBody> {}

export const FaultRecord = Schema.Struct({ ...FaultBody.fields, id: Schema.Int, seed: Schema.Int, hits: Schema.Int })

/** It never contains a body, an API key, or an idempotency key in plain text. */
export const LoggedRequest = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  /** Without the question mark; empty when there is none. */
  query: Schema.String,
  status: Schema.Int,
  idempotency_key_sha256: Schema.NullOr(Schema.String),
  replayed: Schema.Boolean
})
export interface LoggedRequest extends Schema.Schema.Type<typeof LoggedRequest> {}

/** A mail as its recipient reads it, without the host's signature. */
export const SentMail = Schema.Struct({
  at: Timestamp,
  to: Schema.String,
  subject: Schema.String,
  text: Schema.String
})
export interface SentMail extends Schema.Schema.Type<typeof SentMail> {}

export const SavedState = Schema.Struct({ name: Schema.String, saved_at: Timestamp })

/** Amounts are in minor units. */
export const LedgerRecord = Schema.Struct({
  balanced: Schema.Boolean,
  journals: Schema.Array(Schema.Struct({
    id: Schema.Int,
    kind: Schema.Literals(JOURNAL_KINDS),
    reference: Schema.String,
    entries: Schema.Array(Schema.Struct({ account: Schema.String, amount: Schema.Int }))
  }))
})
