/** The right to see the console of an instance, and its address. */
import * as Effect from "effect/Effect"
import { Limits } from "../../../config/Limits.ts"
import type { Caller } from "../../../domain/Caller.ts"
import { UpstreamFailed } from "../../../domain/Errors.ts"
import { findOwn } from "../../../instances/Admission.ts"
import { ConsoleTickets } from "../../../persistence/people/Sessions.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { Driver, type Fault, type PoweredOff, Unavailable } from "../../../provisioning/Driver.ts"
import { CONSOLE_PATH } from "../../contract/AccountCalls.ts"
import { Refused } from "../Visitor.ts"
import { digestOf, newToken, signInTime } from "../../../people/Links.ts"

const NO_CONSOLE = "The instances of this host have no console."
const OFF = "The console is unavailable while the instance is off. Start it first."

const toRefusal = (error: Fault | PoweredOff) =>
  error._tag === "PoweredOff"
    ? new Refused({ status: 503, message: OFF })
    : new UpstreamFailed({ operation: "console", reason: error.reason, outcome: "unchanged" })

/** The address of an instance's screen. Fails if the caller may not see it, or it is off. */
export const addressOf = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const { lifecycle, providerId, tag } = yield* findOwn(caller, instanceId)
  const { console } = yield* Driver
  if (console === undefined) return yield* new Refused({ status: 409, message: NO_CONSOLE })
  if (lifecycle !== "active" || providerId === null) {
    return yield* new Refused({ status: 409, message: `An instance that is ${lifecycle} has no console.` })
  }
  const { UPSTREAM_CALL_MILLIS } = yield* Limits
  return yield* Effect.timeoutOrElse(console({ tag, providerId }), {
    duration: UPSTREAM_CALL_MILLIS,
    orElse: () => Effect.fail(new Unavailable({ reason: "it did not respond in time" }))
  }).pipe(Effect.mapError(toRefusal))
})

/** Makes a ticket of a session for an instance that is on. */
export const makeTicket = Effect.fnUntraced(function*(caller: Caller, sessionId: number, instanceId: number) {
  yield* addressOf(caller, instanceId)
  const now = yield* signInTime
  const expiresAt = now + (yield* Limits).CONSOLE_TICKET_MILLIS
  const token = newToken()
  const add = (yield* ConsoleTickets).add(digestOf(token), { sessionId, instanceId }, now, expiresAt)
  yield* (yield* Transaction).run(add)
  return { path: `${CONSOLE_PATH}?ticket=${token}`, expiresAt }
})
