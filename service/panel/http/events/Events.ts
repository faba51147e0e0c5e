/** Server-sent events: each names what has changed, and the page requests it again. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import { Limits } from "../../../config/Limits.ts"
import { People } from "../../../persistence/people/People.ts"
import { Readiness } from "../../../http/system/Health.ts"
import { realTimeout } from "../../../runtime/Time.ts"
import { ServiceRuntime } from "../../../ServiceRuntime.ts"
import { stillSignedIn } from "../../../people/SignIn.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { Refused } from "../Refused.ts"
import type { Member, Visitor } from "../Visitor.ts"
import { makeChanges, type Subject, type Subscription } from "./Changes.ts"

const HEADERS = {
  "cache-control": "no-store",
  // nginx would otherwise hold events back until its buffer is full.
  "x-accel-buffering": "no"
}

const encoder = new TextEncoder()

/** A comment, which pages ignore: it keeps proxies and this server from closing the connection. */
const HEARTBEAT = encoder.encode(": \n\n")

/** The first bytes: browsers call the stream open when they arrive. */
const OPENING = encoder.encode("retry: 3000\n\n")

const eventOf = (names: ReadonlyArray<string>): Uint8Array =>
  encoder.encode(`data: ${JSON.stringify({ changed: names })}\n\n`)

/** True while the session lives and its person may see the subject. An open page does not prolong the session. */
const mayWatch = Effect.fnUntraced(function*({ person, session }: Visitor, subject: Subject) {
  if (!(yield* stillSignedIn(session.id))) return false
  const people = yield* People
  return subject === null
    ? (yield* people.find(person.id))?.role === "operator"
    : yield* people.isMember(person.id, subject)
})

const NOTHING: ReadonlyArray<string> = []

export const makeEvents = Effect.gen(function*() {
  const changes = yield* makeChanges
  const { run } = yield* ServiceRuntime
  const { isReady } = yield* Readiness
  const { EVENT_STREAMS_MAX, EVENTS_HEARTBEAT_MILLIS } = yield* Limits

  /** The next bytes of a stream; undefined at its end: the session has ended, or the service stops. */
  const nextOf = (visitor: Visitor, subject: Subject, { next }: Subscription) =>
    run(
      Effect.gen(function*() {
        const names = yield* realTimeout(next, EVENTS_HEARTBEAT_MILLIS, Effect.succeed(NOTHING))
        if (!isReady() || !(yield* mayWatch(visitor, subject))) return undefined
        return names.length === 0 ? HEARTBEAT : eventOf(names)
      })
    )
  const open = Effect.fnUntraced(function*(visitor: Visitor, subject: Subject) {
    if (changes.size() >= EVENT_STREAMS_MAX) {
      return yield* new Refused({ status: 503, message: "Too many open pages. The panel polls instead." })
    }
    const subscription = yield* changes.subscribe(subject)
    const events = Stream.unfold(undefined, () =>
      Effect.map(
        nextOf(visitor, subject, subscription),
        (bytes) => bytes === undefined ? undefined : [bytes, undefined] as const
      ))
    const body = Stream.ensuring(Stream.concat(Stream.make(OPENING), events), subscription.close)
    return HttpServerResponse.stream(body, { contentType: "text/event-stream", headers: HEADERS })
  })
  return {
    account: (_, member) => open(member, member.caller.accountId),
    host: (_, visitor) => open(visitor, null)
  } satisfies PanelHandlers<"events", Member>
})
