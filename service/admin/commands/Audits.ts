/** The commands for the audit log. */
import * as Effect from "effect/Effect"
import { hashOf } from "../../audit/Audit.ts"
import { verify } from "../../audit/Verify.ts"
import type { AuditEntry } from "../../domain/AuditEntry.ts"
import { toTimestamp } from "../../domain/Timestamp.ts"
import { AuditEntries } from "../../persistence/AuditEntries.ts"
import { millisOf } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

/** As it is stored: everything that its hash is computed from. */
const toExported = ({ actor, ...entry }: AuditEntry) => ({
  seq: entry.seq,
  at: entry.at,
  actor_kind: actor.kind,
  person_id: actor.personId,
  actor: actor.name,
  from: actor.from,
  request_id: actor.requestId,
  action: entry.action,
  account_id: entry.accountId,
  instance_id: entry.instanceId,
  details: entry.details,
  outcome: entry.outcome,
  error: entry.error,
  previous: entry.previous,
  hash: entry.hash
})

type Details = Readonly<Record<string, unknown>>

/** A damaged text is shown as it is. */
const detailsOf = (text: string): Details => {
  try {
    const details: unknown = JSON.parse(text)
    if (typeof details === "object" && details !== null) return details as Details
  } catch { /* It is not JSON. */ }
  return { damaged: text }
}

/** Latest time of a date, in epoch milliseconds. */
const TIME_MAX = 8_640_000_000_000_000

/** An entry that was changed since it was written is shown, because the others would be lost with it. */
const toRecord = (entry: AuditEntry) => {
  const { previous: _, ...shown } = toExported(entry)
  return {
    ...shown,
    at: Math.abs(entry.at) <= TIME_MAX ? toTimestamp(entry.at) : `damaged: ${entry.at}`,
    details: detailsOf(entry.details),
    /** True if the entry does not have its hash. See "audit verify". */
    damaged: hashOf(entry) !== entry.hash
  }
}

export const listAudit = Effect.fnUntraced(function*(input: InputOf<"audit.list">) {
  const filter = {
    before: input.before ?? null,
    action: input.action ?? null,
    actor: input.actor ?? null,
    accountId: input.account_id ?? null,
    instanceId: input.instance_id ?? null,
    search: input.search ?? null,
    since: millisOf(input.since),
    until: millisOf(input.until)
  }
  return (yield* (yield* AuditEntries).list(filter, input.limit)).map(toRecord)
})

/** Entries in order. */
const exportAudit = Effect.fnUntraced(function*({ after, limit }: InputOf<"audit.export">) {
  return (yield* (yield* AuditEntries).after(after, limit)).map(toExported)
})

const verifyAudit = Effect.fnUntraced(function*({ head: known }: InputOf<"audit.verify">) {
  const { entries, head, problems } = yield* verify(known)
  return {
    intact: problems.length === 0,
    entries,
    head: head === null ? null : `${head.seq}:${head.hash}`,
    problems
  }
})

export const AUDITS_USE_CASES = {
  "audit.list": listAudit,
  "audit.export": exportAudit,
  "audit.verify": verifyAudit
} satisfies UseCases
