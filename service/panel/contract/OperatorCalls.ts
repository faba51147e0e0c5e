/** The calls of operators: the commands of `vps-service admin`, and what the panel shows of all of them at once. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Instance } from "@pulumi-vps/contract/Instance"
import { Metrics, METRICS_RANGES } from "@pulumi-vps/contract/Monitoring"
import { name, NullableString, NullableTimestamp, PathId, queryWord, Timestamp } from "@pulumi-vps/contract/Primitives"
import { Use } from "../../contract/Fields.ts"
import { AccountRecord, PersonRecord } from "../../contract/operator/Accounts.ts"
import { InstanceRecord, TaskRecord } from "../../contract/operator/Instances.ts"
import { ENDING_REASONS, HOST_STATES, MAIL_STATES, SETUP_STEPS } from "../../contract/Words.ts"
import { RequiredAccess } from "./Access.ts"

const Count = Schema.Int

/** Sums of the last 24 hours in one currency; what leaves a wallet is negative. */
const MoneyRecord = Schema.Struct({
  currency: Schema.String,
  /** Money that customers paid in, and that went back to them. */
  top_ups: Schema.Finite,
  payouts: Schema.Finite,
  /** The cost of instances and of operators' debits, and the refunds of it. */
  charges: Schema.Finite,
  refunds: Schema.Finite
})

const TodayRecord = Schema.Struct({
  at: Timestamp,
  tasks: Schema.Struct({
    queued: Count,
    running: Count,
    /** Wait for an approval. */
    held: Count,
    /** In the last 24 hours, of the newest 10,000 tasks. */
    failed: Count,
    /** Failed, with something left at the upstream; at most 100 are counted. */
    unreconciled: Count,
    /** The time since which the oldest task waits for a worker. */
    due_since: NullableTimestamp
  }),
  instances: Schema.Record(Schema.String, Count),
  money: Schema.Array(MoneyRecord),
  /** Instances that end within 7 days, and expired ones; the 100 soonest of `count`. */
  endings: Schema.Struct({
    shown: Schema.Array(Schema.Struct({
      instance_id: Schema.Int,
      hostname: NullableString,
      account_id: Schema.Int,
      /** Its name; the owner's address if it has none. */
      account: Schema.String,
      why: Schema.Literals(ENDING_REASONS),
      /** Then it is powered off; an expired one is deleted. */
      at: Timestamp,
      /** Of its next period. */
      charge: Schema.Finite,
      currency: Schema.String
    })),
    count: Count
  }),
  /** Those of `accounts.list` by need. */
  accounts: Schema.Struct({ low_balance: Count, failures: Count }),
  hosts: Schema.Array(Schema.Struct({
    name: Schema.String,
    state: Schema.Literals(HOST_STATES),
    cpus: Use,
    memory_mib: Use,
    disk_gib: Use
  })),
  /** Checked at most every five minutes, because the check reads the whole ledger. */
  books: Schema.Struct({ balanced: Schema.Boolean, checked_at: Timestamp }),
  clock_trusted: Schema.Boolean,
  /** Null once nothing is missing. */
  setup: Schema.NullOr(Schema.Struct({
    /** All of them, in order. */
    steps: Schema.Array(Schema.Struct({ step: Schema.Literals(SETUP_STEPS), done: Schema.Boolean })),
    mail: Schema.Struct({
      /** Null without one: mail is only logged. */
      server: NullableString,
      from: Schema.String,
      /** The newest test with this server and this sender. */
      last: Schema.NullOr(Schema.Struct({
        to: Schema.String,
        /** The time at which it was sent; until then, at which it was written. */
        at: Timestamp,
        state: Schema.Literals(MAIL_STATES),
        error: NullableString
      }))
    })
  }))
})

const Found = Schema.Struct({
  accounts: Schema.Array(AccountRecord),
  instances: Schema.Array(InstanceRecord),
  people: Schema.Array(PersonRecord),
  tasks: Schema.Array(TaskRecord)
})

/** The sums of the newest samples of instances on a host. */
const HostUse = Schema.Struct({
  name: Schema.String,
  instances: Count,
  /** Instances with a sample: those that run. */
  measured: Count,
  /** Virtual CPUs. */
  cpus: Schema.Finite,
  memory_bytes: Schema.Finite
})

const QUERY_MAX = 255

const one = { id: PathId }

export class OperatorCalls extends HttpApiGroup.make("operator")
  .add(
    /** The command's own input and result. Those that need a fresh sign-in, or are only for the host, say so. */
    HttpApiEndpoint.post("command", "/operator/commands/:name", {
      params: { name: Schema.String },
      payload: Schema.Record(Schema.String, Schema.Unknown),
      success: Schema.Unknown
    }),
    /** As its account's API key reads it; not found where that does not. */
    HttpApiEndpoint.get("instance", "/operator/instances/:id", { params: one, success: Instance }),
    HttpApiEndpoint.get("metrics", "/operator/instances/:id/metrics", {
      params: one,
      query: { range: Schema.optionalKey(queryWord(METRICS_RANGES)) },
      success: Metrics
    }),
    HttpApiEndpoint.get("host_use", "/operator/hosts/use", { success: Schema.Array(HostUse) }),
    HttpApiEndpoint.get("today", "/operator/today", { success: TodayRecord }),
    HttpApiEndpoint.get("search", "/operator/search", { query: { q: name(1, QUERY_MAX) }, success: Found })
  )
  .annotate(RequiredAccess, "operator")
{}
