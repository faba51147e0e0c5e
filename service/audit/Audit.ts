/**
 * The audit log: who did what, when, from where, and how it ended. An act is recorded in its own transaction, so that
 * there is neither an act without its entry, nor an entry of an act that did not happen.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Actor } from "../domain/AuditEntry.ts"
import { AuditEntries } from "../persistence/AuditEntries.ts"
import { hashOf, START } from "./Chain.ts"
import { safeDetails, safeText } from "./SafeDetails.ts"
import type { Outcome } from "../contract/Words.ts"

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
