/**
 * Refused attempts to sign in, in the audit log. The first one of an address has an entry at once; a window later, one
 * more has the number of the others. The number of addresses with entries of their own is bounded, too, because entries
 * are never deleted, and anyone can cause these.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { record } from "../audit/Audit.ts"
import { Limits } from "../config/Limits.ts"
import type { Actor } from "../domain/AuditEntry.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { subjectOf } from "../ratelimit/RequestRateLimits.ts"
import { realSleep } from "../runtime/Time.ts"
import { ServiceRuntime } from "../ServiceRuntime.ts"
import { actorOf, type Browser } from "./Actor.ts"
import type { SignedIn } from "./SignIn.ts"

/** Refused links, passkeys, confirmations of a session's person, and attempts that exceed the limit. */
export type Attempts = "links" | "passkeys" | "confirmations" | "over_limit"

interface Client extends Partial<SignedIn> {
  readonly browser: Browser
  readonly requestId: string | null
}

/** The subject of all addresses beyond those with entries of their own. */
const OTHERS = "other addresses"

const ACTION = "sign_in.refused"

const ERRORS: Readonly<Record<Attempts, string>> = {
  links: "The link is not valid.",
  passkeys: "The passkey is not accepted.",
  confirmations: "The passkey is not one of this person, or not accepted.",
  over_limit: "Too many attempts to sign in."
}

const unknown = (from: string, requestId: string | null): Actor => ({
  kind: "person",
  personId: null,
  name: "unknown",
  from,
  requestId
})

interface Refused {
  readonly since: number
  /** Without the first one. */
  readonly more: Map<Attempts, number>
}

/** Lasts as long as its scope, at whose end it records what it has counted. */
export const makeRefusedSignIns = Effect.gen(function*() {
  const { run } = yield* ServiceRuntime
  const { REFUSED_SIGN_INS_MILLIS: window, REFUSED_SIGN_IN_ADDRESSES_MAX: max } = yield* Limits
  const scope = yield* Effect.scope
  const bySubject = new Map<string, Refused>()

  const append = (acts: ReadonlyArray<Parameters<typeof record>[0]>) =>
    // The response does not depend on the log.
    Effect.ignore(
      run(Effect.flatMap(Transaction, ({ run }) => run(Effect.forEach(acts, record, { discard: true })))),
      { log: true }
    )
  const end = Effect.suspend(() => {
    const counted = [...bySubject].filter(([, { more }]) => more.size > 0)
    bySubject.clear()
    if (counted.length === 0) return Effect.void
    return append(counted.map(([subject, { more, since }]) => {
      const count = [...more.values()].reduce((sum, each) => sum + each, 0)
      return {
        actor: unknown(subject, null),
        action: ACTION,
        details: { count, ...Object.fromEntries(more), since: toTimestamp(since) },
        outcome: "rejected",
        error: `${count} more attempts were refused.`
      }
    }))
  })
  yield* Effect.addFinalizer(() => end)

  /** Counts an attempt of a client. */
  return Effect.fnUntraced(function*(kind: Attempts, { browser, person, requestId }: Client) {
    const since = yield* Clock.currentTimeMillis
    const own = subjectOf(browser.address)
    const subject = bySubject.has(own) || bySubject.size < max ? own : OTHERS
    const known = bySubject.get(subject)
    if (known !== undefined) return void known.more.set(kind, (known.more.get(kind) ?? 0) + 1)
    bySubject.set(subject, { since, more: new Map() })
    if (bySubject.size === 1) yield* Effect.forkIn(Effect.andThen(realSleep(window), end), scope)
    const actor = person === undefined
      ? unknown(subject === OTHERS ? OTHERS : browser.address, requestId)
      : actorOf({ browser, person, requestId })
    const details = { count: 1, [kind]: 1 }
    yield* append([{ actor, action: ACTION, details, outcome: "rejected", error: ERRORS[kind] }])
  })
})
