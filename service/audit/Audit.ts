/**
 * The audit log: who did what, when, from where, and how it ended. An act is recorded in its own transaction, so that
 * there is neither an act without its entry, nor an entry of an act that did not happen. Hashes connect the entries;
 * their texts and details are bounded, without secrets, and the same after they are read.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import type { Actor, AuditEntry } from "../domain/AuditEntry.ts"
import { redactKeys } from "../auth/ApiKeyToken.ts"
import { AuditEntries } from "../persistence/AuditEntries.ts"
import type { Outcome } from "../contract/Words.ts"

/** `previous` of the first entry. */
export const START = "0".repeat(64)

/**
 * SHA-256 of a JSON array of an entry's fields in this order, without spaces. It must not change: `docs/admin.md`
 * documents it, so that an export can be verified without this program.
 */
export const hashOf = (entry: Omit<AuditEntry, "hash">): string => {
  const { actor } = entry
  const fields = [
    entry.seq,
    entry.at,
    actor.kind,
    actor.personId,
    actor.name,
    actor.from,
    actor.requestId,
    entry.action,
    entry.accountId,
    entry.instanceId,
    entry.details,
    entry.outcome,
    entry.error,
    entry.previous
  ]
  return hash("sha256", JSON.stringify(fields), "hex")
}

/** Longest text, in characters: longer than any reason or address that a command accepts. */
const TEXT_MAX = 500

/** Longest details, in characters of JSON: one entry must not fill a page of the log. */
const DETAILS_MAX = 4_000

/** Entries of a list. */
const LIST_MAX = 50

const LEFT_OUT = "(left out)"

/** Names of fields whose values do not belong in a log. */
const SECRET = /password|secret|token|api_?key|private_?key|credential|cookie|digest|link$/i

/** PostgreSQL stores neither a NUL nor half of a character, and a text that it changes would break the chain. */
export const safeText = (text: string): string => {
  const stored = redactKeys(text).replaceAll("\0", "\uFFFD").toWellFormed()
  return stored.length <= TEXT_MAX ? stored : `${stored.slice(0, TEXT_MAX - 1).toWellFormed()}…`
}

const safeValue = (value: unknown): unknown => {
  if (typeof value === "string") return safeText(value)
  if (Array.isArray(value)) return value.slice(0, LIST_MAX).map(safeValue)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [safeText(name), SECRET.test(name) ? LEFT_OUT : safeValue(inner)])
  )
}

/** JSON text of an object. Only the names of its fields, if it is too long. */
export const safeDetails = (details: Readonly<Record<string, unknown>>): string => {
  const complete = JSON.stringify(safeValue(details))
  if (complete.length <= DETAILS_MAX) return complete
  return JSON.stringify({ too_long: true, fields: Object.keys(details).slice(0, LIST_MAX).map(safeText) })
}

export interface Act {
  readonly actor: Actor
  /** Words with underscores, and a dot between a group and what was done in it, like `sign_in.passkey`. */
  readonly action: string
  readonly accountId?: number | null
  readonly instanceId?: number | null
  /** More that identifies the act. Secrets do not belong here; a value that looks like one is left out. */
  readonly details?: Readonly<Record<string, unknown>>
  /** `done` by default. */
  readonly outcome?: Outcome
  /** The reason for another outcome. */
  readonly error?: string
}

/**
 * Appends an entry, as part of the caller's transaction. On PostgreSQL, one of two transactions that record at the same
 * time is repeated, so that there is one chain.
 */
export const record = Effect.fnUntraced(function*(act: Act) {
  const entries = yield* AuditEntries
  const { hash: previous, seq } = (yield* entries.head) ?? { seq: 0, hash: START }
  const { actor } = act
  const entry = {
    seq: seq + 1,
    at: yield* Clock.currentTimeMillis,
    actor: {
      kind: actor.kind,
      personId: actor.personId,
      name: safeText(actor.name),
      from: safeText(actor.from),
      requestId: actor.requestId === null ? null : safeText(actor.requestId)
    },
    action: safeText(act.action),
    accountId: act.accountId ?? null,
    instanceId: act.instanceId ?? null,
    details: safeDetails(act.details ?? {}),
    outcome: act.outcome ?? "done",
    error: act.error === undefined ? null : safeText(act.error),
    previous
  }
  yield* entries.append({ ...entry, hash: hashOf(entry) })
})
