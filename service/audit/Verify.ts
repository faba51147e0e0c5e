/** Recomputes the audit log's chain of hashes. */
import * as Effect from "effect/Effect"
import type { AuditEntry } from "../domain/AuditEntry.ts"
import { AuditEntries, type AuditHead } from "../persistence/AuditEntries.ts"
import { hashOf, START } from "./Audit.ts"

/** Entries that are read at once: memory stays bounded, and other requests are served between two pages. */
const PAGE = 1_000

/** After so many problems, more of them say nothing new. */
const PROBLEMS_MAX = 20

export interface Verification {
  /** Number of entries. */
  readonly entries: number
  /** The newest entry; null in an empty log. */
  readonly head: AuditHead | null
  /** Empty if the log is intact. */
  readonly problems: ReadonlyArray<string>
}

const EMPTY: AuditHead = { seq: 0, hash: START }

/** The problems of an entry that follows another one. */
const problemsOf = (entry: AuditEntry, before: AuditHead): ReadonlyArray<string> => {
  const { hash, previous, seq } = entry
  const problems: Array<string> = []
  const [first, last] = [before.seq + 1, seq - 1]
  if (last >= first) problems.push(`Entries ${first} to ${last} are missing.`)
  else if (previous !== before.hash) problems.push(`Entry ${seq} does not follow entry ${before.seq}.`)
  if (hashOf(entry) !== hash) problems.push(`Entry ${seq} was changed.`)
  return problems
}

/** The problem with an entry that was the newest one at an earlier time; undefined if there is none. */
const problemOfKnown = (known: AuditHead, found: string | undefined, head: AuditHead): string | undefined => {
  if (found === known.hash) return undefined
  return known.seq > head.seq
    ? `The log ends at entry ${head.seq}. Entry ${known.seq} existed, so the end of the log was removed.`
    : `Entry ${known.seq} is not the one with the hash ${known.hash}, so the log was rewritten.`
}

/**
 * Reads the whole log. It finds entries that were changed, removed or moved. Only `known`, an entry that was stored
 * elsewhere when it was the newest one, can find that the end was removed, or that all hashes were computed again.
 */
export const verify = Effect.fnUntraced(function*(known?: AuditHead) {
  const log = yield* AuditEntries
  const problems: Array<string> = []
  let head = EMPTY
  let entries = 0
  let found: string | undefined
  while (problems.length < PROBLEMS_MAX) {
    const page = yield* log.after(head.seq, PAGE)
    if (page.length === 0) break
    for (const entry of page) {
      problems.push(...problemsOf(entry, head))
      head = { seq: entry.seq, hash: entry.hash }
      if (head.seq === known?.seq) found = entry.hash
      entries++
    }
    yield* Effect.yieldNow
  }
  const problem = known === undefined ? undefined : problemOfKnown(known, found, head)
  return {
    entries,
    head: head.seq === 0 ? null : head,
    problems: [...problem === undefined ? [] : [problem], ...problems].slice(0, PROBLEMS_MAX)
  } satisfies Verification
})
