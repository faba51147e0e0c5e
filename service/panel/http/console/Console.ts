/** Consoles: a ticket for a person, and the WebSocket that it opens. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import { type HttpServerRequest, ParsedSearchParams } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { IncomingMessage } from "node:http"
import { Limits } from "../../../config/Limits.ts"
import { toTimestamp } from "../../../domain/Timestamp.ts"
import { UpstreamFailed } from "../../../domain/Errors.ts"
import { Readiness } from "../../../http/system/Health.ts"
import { Instances } from "../../../persistence/Instances.ts"
import { ConsoleTickets } from "../../../persistence/people/Sessions.ts"
import { People } from "../../../persistence/people/People.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { realTimeout } from "../../../runtime/Time.ts"
import { ServiceRuntime, type Services } from "../../../ServiceRuntime.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { type Member, Refused, type Visit } from "../Visitor.ts"
import { recordBy } from "../../../people/Actor.ts"
import { identify, type SignedIn, stillSignedIn } from "../../../people/SignIn.ts"
import { digestOf, signInTime } from "../../../people/Links.ts"
import { bridge } from "./Bridge.ts"
import { ConnectionEnded } from "./Bytes.ts"
import { addressOf, makeTicket } from "./Open.ts"
import { openScreen } from "./Vnc.ts"

export const console: PanelHandlers<"console", Member> = {
  open: Effect.fnUntraced(function*({ params: { id } }, { caller, session }) {
    const { expiresAt, path } = yield* makeTicket(caller, session.id, id)
    return { path, expires_at: toTimestamp(expiresAt) }
  })
}

const NOT_VALID = "This ticket is not valid: it was used, is older than 30 s, or belongs to another session."

/** A console sends keys to the instance, so that members who may only read have none. */
const mayType = Effect.fnUntraced(function*({ person }: SignedIn, accountId: number) {
  return (yield* (yield* People).permissionOf(person.id, accountId)) === "full"
})

/** The instance of a ticket, as a member of its account. */
const useTicket = Effect.fnUntraced(function*(visit: Visit, ticket: string) {
  const signedIn = visit.token === undefined ? undefined : yield* identify(visit.token)
  if (signedIn === undefined) return yield* new Refused({ status: 401, message: "Sign in first." })
  const take = (yield* ConsoleTickets).take(digestOf(ticket), signedIn.session.id, yield* signInTime)
  const instanceId = yield* (yield* Transaction).run(take)
  const instance = instanceId === undefined ? undefined : yield* (yield* Instances).find(instanceId)
  if (instance === undefined || !(yield* mayType(signedIn, instance.accountId))) {
    return yield* new Refused({ status: 403, message: NOT_VALID })
  }
  const { accountId, id } = instance
  const caller = { accountId, apiKeyId: null, personId: signedIn.person.id, requestId: visit.requestId }
  return { caller, instanceId: id, signedIn }
})

/** False when the session has ended, the person may no longer type, or the instance must not be used. */
const mayContinue = Effect.fnUntraced(function*(signedIn: SignedIn, accountId: number, instanceId: number) {
  const instance = yield* (yield* Instances).find(instanceId)
  return instance?.lifecycle === "active"
    && (yield* mayType(signedIn, accountId))
    && (yield* stillSignedIn(signedIn.session.id))
})

const unreachable = new UpstreamFailed({
  operation: "console",
  reason: "the screen does not respond",
  outcome: "unchanged"
})

const notWebSocket = new Refused({ status: 426, message: "Open this path as a WebSocket." })

/** Counts the consoles of each instance in this process. */
const makePlaces = (max: number) => {
  const open = new Map<number, number>()
  const change = (id: number, by: number) => {
    const count = (open.get(id) ?? 0) + by
    if (count === 0) open.delete(id)
    else open.set(id, count)
  }
  const full = new Refused({ status: 409, message: `${max} consoles of this instance are open. Close one first.` })
  return (id: number) =>
    Effect.acquireRelease(
      Effect.suspend(() => (open.get(id) ?? 0) >= max ? Effect.fail(full) : Effect.sync(() => change(id, 1))),
      () => Effect.sync(() => change(id, -1))
    )
}

/** Time limits of requests do not apply to a console. */
const withoutTimeLimit = (request: HttpServerRequest) =>
  Effect.sync(() => void (NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage).socket.setTimeout(0))

/** Opens a console, and completes when it has ended. The screen is connected first: one that is off is a 503. */
export const makeConnect = Effect.gen(function*() {
  const { run } = yield* ServiceRuntime
  const { isReady } = yield* Readiness
  const limits = yield* Limits
  const takePlace = makePlaces(limits.CONSOLES_PER_INSTANCE_MAX)

  const connect = Effect.fnUntraced(function*(request: HttpServerRequest, visit: Visit) {
    const { ticket } = yield* ParsedSearchParams
    if (request.headers["upgrade"]?.toLowerCase() !== "websocket") return yield* notWebSocket
    const opened = yield* run(useTicket(visit, typeof ticket === "string" ? ticket : ""))
    const { caller, instanceId, signedIn } = opened
    const { accountId } = caller
    yield* takePlace(instanceId)
    const address = yield* run(addressOf(caller, instanceId))
    const screen = yield* realTimeout(
      openScreen(address),
      limits.UPSTREAM_CALL_MILLIS,
      Effect.fail(new ConnectionEnded())
    ).pipe(Effect.mapError(() => unreachable))
    const socket = yield* Effect.mapError(request.upgrade, () => notWebSocket)
    yield* withoutTimeLimit(request)
    const by = { ...visit, ...signedIn }
    const act = (action: string): Effect.Effect<void, never, Services> =>
      Effect.ignore(
        Effect.flatMap(Transaction, (transaction) => transaction.run(recordBy(by, { action, accountId, instanceId })))
      )
    yield* run(act("console.start"))
    yield* bridge(socket, {
      screen,
      isAuthenticated: address.kind === "tcp",
      mayContinue: Effect.suspend(() =>
        isReady() ? run(mayContinue(signedIn, accountId, instanceId)) : Effect.succeed(false)
      ),
      checkMillis: limits.CONSOLE_CHECK_MILLIS,
      idleMillis: limits.CONSOLE_IDLE_MILLIS
    }).pipe(Effect.ensuring(run(act("console.end"))))
    // The connection is no longer HTTP, so nothing sends this.
    return HttpServerResponse.empty()
  }, Effect.scoped)
  return connect
})
