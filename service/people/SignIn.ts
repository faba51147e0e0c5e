/** Sessions of people in the panel: their begin, their identification, their end. */
import * as Effect from "effect/Effect"
import { missing } from "../auth/Rejected.ts"
import { Limits, type LimitValues } from "../config/Limits.ts"
import { Notices } from "../instances/Notices.ts"
import { People, type Person } from "../persistence/people/People.ts"
import { type Session, Sessions, type SignInMethod } from "../persistence/people/Sessions.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type By, recordBy } from "./Actor.ts"
import { digestOf, newToken, signInTime } from "./Links.ts"

export interface SignedIn {
  readonly person: Person
  readonly session: Session
}

/** Longest description of a browser that is stored, in characters: it is shown in a list. */
const AGENT_MAX = 200

/** Begins a session, in a transaction of the caller. Its token is new: one from before the sign-in is worth nothing. */
export const begin = Effect.fnUntraced(function*(by: By, method: SignInMethod) {
  const sessions = yield* Sessions
  const { SESSION_IDLE_MILLIS, SESSION_MILLIS } = yield* Limits
  const { browser: { address, agent }, person: { id } } = by
  const at = yield* signInTime
  const token = newToken()
  yield* sessions.deleteEnded(at - SESSION_MILLIS, at - SESSION_IDLE_MILLIS)
  const digest = digestOf(token)
  yield* sessions.create({ personId: id, method, address, agent: agent.slice(0, AGENT_MAX), digest, at })
  yield* recordBy(by, { action: `sign_in.${method}` })
  return token
})

/** Notifies a person of a sign-in, in the background. */
export const announce = Effect.fnUntraced(function*({ browser, person: { email } }: By, method: SignInMethod) {
  yield* (yield* Notices).signedIn({ email, method, ...browser, at: yield* signInTime })
})

export type Client = Omit<By, "person">

/** Uses up a link; returns the session's token. Undefined if the link is unknown, used, replaced or expired. */
export const signInByLink = Effect.fnUntraced(function*(link: string, client: Client) {
  const sessions = yield* Sessions
  const people = yield* People
  const taken = yield* (yield* Transaction).run(Effect.gen(function*() {
    const personId = yield* sessions.takeLink(digestOf(link), yield* signInTime)
    const person = personId === undefined ? undefined : yield* people.find(personId)
    if (person === undefined) return undefined
    const by = { ...client, person }
    return { by, token: yield* begin(by, "link") }
  }))
  if (taken !== undefined) yield* announce(taken.by, "link")
  return taken?.token
})

/** Begins a session of a person who has proved to have a passkey; returns its token. */
export const signInByPasskey = Effect.fnUntraced(function*(by: By) {
  const token = yield* (yield* Transaction).run(begin(by, "passkey"))
  yield* announce(by, "passkey")
  return token
})

const isAlive = (
  { createdAt, seenAt }: Session,
  { SESSION_IDLE_MILLIS, SESSION_MILLIS }: LimitValues,
  now: number
): boolean => now - createdAt < SESSION_MILLIS && now - seenAt < SESSION_IDLE_MILLIS

/** True if a session has not ended; its token may have changed. */
export const stillSignedIn = Effect.fnUntraced(function*(sessionId: number) {
  const session = yield* (yield* Sessions).findById(sessionId)
  return session !== undefined && isAlive(session, yield* Limits, yield* signInTime)
})

/** The person behind a session's token; undefined if the session has ended. */
export const identify = Effect.fnUntraced(function*(token: string) {
  const sessions = yield* Sessions
  const limits = yield* Limits
  const session = yield* sessions.find(digestOf(token))
  const now = yield* signInTime
  if (session === undefined || !isAlive(session, limits, now)) return undefined
  const person = yield* (yield* People).find(session.personId)
  if (person === undefined) return undefined
  if (now - session.seenAt >= limits.SESSION_SEEN_MILLIS) {
    // A database that cannot be written is no reason to refuse a read.
    yield* Effect.ignore((yield* Transaction).runWriting(sessions.touch(session.id, now)))
  }
  return { person, session } satisfies SignedIn
})

/** The end of the time in which the sign-in counts as fresh, in epoch milliseconds. */
export const freshUntil = Effect.fnUntraced(function*({ freshAt }: Session) {
  return freshAt + (yield* Limits).SESSION_FRESH_MILLIS
})

/** The person has confirmed to be present; returns the session's new token. */
export const refresh = Effect.fnUntraced(function*({ id }: Session) {
  const token = newToken()
  const at = yield* signInTime
  yield* (yield* Transaction).run((yield* Sessions).refresh(id, digestOf(token), at))
  return token
})

export const signOut = Effect.fnUntraced(function*(by: By & SignedIn) {
  const end = (yield* Sessions).end(by.session.id, by.person.id)
  yield* (yield* Transaction).run(Effect.andThen(end, recordBy(by, { action: "sign_out" })))
})

/** Ends the session that a browser had before it signed in again; nothing if it had none. */
export const endPrevious = Effect.fnUntraced(function*(token: string | undefined) {
  const sessions = yield* Sessions
  const old = token === undefined ? undefined : yield* sessions.find(digestOf(token))
  if (old !== undefined) yield* (yield* Transaction).run(sessions.end(old.id, old.personId))
})

/** Ends another session of the person. */
export const endSession = Effect.fnUntraced(function*(id: number, by: By) {
  const sessions = yield* Sessions
  yield* (yield* Transaction).run(Effect.gen(function*() {
    if (!(yield* sessions.end(id, by.person.id))) return yield* missing("Session")
    yield* recordBy(by, { action: "sessions.end", details: { id } })
  }))
})

/** Ends all sessions of the person except for this one. */
export const endOtherSessions = Effect.fnUntraced(function*(by: By & SignedIn) {
  const end = (yield* Sessions).endOthers(by.person.id, by.session.id)
  yield* (yield* Transaction).run(Effect.andThen(end, recordBy(by, { action: "sessions.end_others" })))
})
