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
import { type Member, Refused, type Visitor } from "../Visitor.ts"
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

/** Counts the open streams of each person and of all. A stream is counted before it begins, so none slips through. */
const makePlaces = Effect.gen(function*() {
  const { EVENT_STREAMS_MAX: all, EVENT_STREAMS_PER_PERSON_MAX: each } = yield* Limits
  const open = new Map<number, number>()
  let total = 0
  const add = (personId: number, change: 1 | -1) => {
    const count = (open.get(personId) ?? 0) + change
    if (count === 0) open.delete(personId)
    else open.set(personId, count)
    total += change
  }
  return {
    take: (personId: number) =>
      Effect.suspend(() => {
        if ((open.get(personId) ?? 0) >= each) {
          const message = `You have ${each} open pages, the most that get events. Close some. This page polls instead.`
          return Effect.fail(new Refused({ status: 429, message }))
        }
        if (total >= all) {
          return Effect.fail(new Refused({ status: 503, message: "Too many open pages. The panel polls instead." }))
        }
        return Effect.sync(() => add(personId, 1))
      }),
    leave: (personId: number) => Effect.sync(() => add(personId, -1))
  }
})

export const makeEvents = Effect.gen(function*() {
  const changes = yield* makeChanges
  const { run } = yield* ServiceRuntime
  const { isReady } = yield* Readiness
  const { EVENTS_HEARTBEAT_MILLIS } = yield* Limits
  const { leave, take } = yield* makePlaces

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
    const { id } = visitor.person
    yield* take(id)
    const subscription = yield* Effect.onError(changes.subscribe(subject), () => leave(id))
    const events = Stream.unfold(undefined, () =>
      Effect.map(
        nextOf(visitor, subject, subscription),
        (bytes) => bytes === undefined ? undefined : [bytes, undefined] as const
      ))
    const body = Stream.ensuring(
      Stream.concat(Stream.make(OPENING), events),
      Effect.andThen(subscription.close, leave(id))
    )
    return HttpServerResponse.stream(body, { contentType: "text/event-stream", headers: HEADERS })
  })
  return {
    account: (_, member) => open(member, member.caller.accountId),
    host: (_, visitor) => open(visitor, null)
  } satisfies PanelHandlers<"events", Member>
})
