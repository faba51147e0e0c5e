/** The commands for the audit log, the clock, and the database of the service. */
import * as Schema from "effect/Schema"
import { NullableInt, NullableString, NullableTimestamp, text, Timestamp } from "@pulumi-vps/contract/Primitives"
import { between, Id, Name, pattern, Rows, Time } from "../Fields.ts"
import { ACTOR_KINDS, OUTCOMES } from "../Words.ts"
import { acts, argument, either, flag, optional, reads } from "./Define.ts"
import { before, limit } from "./Parameters.ts"

/** As it is stored: everything that its hash is computed from. */
const ExportedEntry = Schema.Struct({
  seq: Schema.Int,
  /** Epoch milliseconds. */
  at: Schema.Int,
  actor_kind: Schema.Literals(ACTOR_KINDS),
  person_id: NullableInt,
  actor: Schema.String,
  from: NullableString,
  request_id: NullableString,
  action: Schema.String,
  account_id: NullableInt,
  instance_id: NullableInt,
  /** JSON text of an object. */
  details: Schema.String,
  outcome: Schema.Literals(OUTCOMES),
  error: NullableString,
  previous: Schema.String,
  hash: Schema.String
})

const { previous: _, ...shown } = ExportedEntry.fields

const Entry = Schema.Struct({
  ...shown,
  /** A timestamp; "damaged: " and a number if it is none. */
  at: Schema.String,
  details: Schema.Record(Schema.String, Schema.Unknown),
  /** True if the entry does not have its hash. See "audit verify". */
  damaged: Schema.Boolean
})

const Hash = pattern("be the 64 hexadecimal digits of a hash, as \"audit verify\" prints it", /^[\da-f]{64}$/)

const AUDIT = {
  "audit.list": reads({
    text: "List what operators did, sign-ins and changes of API keys, newest first",
    examples: ["audit list --action instances --since 2027-01-01"],
    input: () => ({
      before: before("entries", "number"),
      action: optional(Name, "Only this action, or group of actions, like instances.suspend or keys"),
      actor: optional(Name, "Only actors whose name contains this"),
      account_id: Schema.optionalKey(either(Id, "Only acts on this account")),
      instance_id: optional(Id, "Only acts on this instance"),
      search: optional(Name, "Only the number of an entry, account or instance, or a part of any text"),
      since: optional(Time, "Only entries from this time on, like 2027-01-31 or 2027-01-31T12:00:00Z"),
      until: optional(Time, "Only entries before this time"),
      limit: limit()
    }),
    result: () => Schema.Array(Entry),
    columns: ["seq", "at", "actor", "from", "action", "account_id", "instance_id", "details", "outcome", "error"],
    pages: { from: "before", field: "seq" }
  }),
  "audit.export": reads({
    text: "Print the log in order as one JSON document per line, with all that the hashes are computed from",
    examples: ["audit export > audit.jsonl"],
    input: () => ({
      after: flag(
        Schema.Int.check(...between(0, Number.MAX_SAFE_INTEGER)),
        "Start after this number, to continue an earlier export",
        { initial: 0 }
      ),
      limit: Rows
    }),
    result: () => Schema.Array(ExportedEntry)
  }),
  "audit.verify": reads({
    text: "Compute all hashes again, and fail if an entry was changed, removed or moved. Pass the head that an earlier "
      + "verification printed to find also that the end was removed, or that the whole log was rewritten.",
    short: "Verify that no entry was changed, removed or moved",
    examples: ["audit verify"],
    /** `head` is an entry that was the newest one at an earlier time. */
    input: () => ({ head: Schema.optionalKey(Schema.Struct({ seq: Id, hash: Hash })) }),
    result: () =>
      Schema.Struct({
        intact: Schema.Boolean,
        entries: Schema.Int,
        head: NullableString,
        problems: Schema.Array(Schema.String)
      })
  })
}

const ClockRecord = Schema.Struct({
  trusted: Schema.Boolean,
  time: Timestamp,
  clock: Timestamp,
  reason: NullableString,
  in_doubt_since: NullableTimestamp,
  /** Numbers of instances whose period ends, and whose grace period ends, once the clock is confirmed. */
  periods_ending: Schema.Int,
  deletions_due: Schema.Int
})

const CLOCK = {
  "clock.show": reads({
    text: "Show the time of the service, what the clock says, and what its confirmation would make due",
    result: () => ClockRecord
  }),
  "clock.confirm": acts({
    text: "Confirm the time after a jump of the clock, so that renewals, expiry, deletions, and backups continue",
    examples: ["clock confirm 2027-01-31T12:00:00Z"],
    input: () => ({
      time: argument(
        Time,
        "time",
        "The right time, read from another clock; the service's clock must agree with it"
      )
    }),
    result: () => ClockRecord
  })
}

/** Longest path of a file on Linux, in bytes. */
const PATH_MAX = 4_096

const SecretId = text(1, 64)

const DATABASE = {
  /** The caller verifies the copy, because that takes long. */
  "database.copy": acts({
    text: "Copy the database to a file",
    hostOnly: true,
    input: () => ({ path: text(1, PATH_MAX) }),
    result: () => Schema.Struct({ path: Schema.String })
  }),
  "secret.list": reads({
    text: "Show the number of API keys and pending passwords that depend on each secret, by the secret's id. A key "
      + "moves to the current secret when it is used.",
    short: "Show the dependents of the current and older secrets",
    fresh: true,
    hostOnly: true,
    result: () =>
      Schema.Array(Schema.Struct({
        /** Its id; null for values of versions that did not record it. */
        secret: NullableString,
        /** `current` encrypts new values, `older` is still accepted, `unknown` is no longer available. */
        state: Schema.Literals(["current", "older", "unknown", "unmarked"]),
        keys: Schema.Int,
        tasks: Schema.Int
      }))
  }),
  /** The file with the secret is changed by the command itself; the service only records what was done. */
  "secret.rotate": acts({
    text: "Add a new secret to the file beside the database, used from the next start",
    hostOnly: true,
    input: () => ({ current: SecretId }),
    result: () => Schema.Struct({})
  }),
  "secret.forget": acts({
    text: "Remove the older secrets from the file; rejected while anything depends on them",
    hostOnly: true,
    input: () => ({ forgotten: Schema.Array(SecretId), lost_keys: Schema.Int, lost_tasks: Schema.Int }),
    result: () => Schema.Struct({})
  })
}

export const SYSTEM_COMMANDS = { ...AUDIT, ...CLOCK, ...DATABASE }
