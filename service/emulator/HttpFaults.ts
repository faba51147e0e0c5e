/** Faults between a client and an endpoint: latency, another answer, a connection cut before or after the work. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import { QueryBoolean } from "#contract/Primitives"
import { errorResponse, validationErrorResponse } from "../http/Errors.ts"
import type { FaultInjector } from "../http/FaultHook.ts"
import type { Fault, Faults, Rule } from "./Faults.ts"

const CREATE = "instances.create"
const DRY_RUN = "instances.dry_run"

const isTrue = Schema.decodeUnknownOption(QueryBoolean)

/** A create and its dry run are one endpoint to the contract. */
const named = (operation: string, { url }: HttpServerRequest): string => {
  if (operation !== CREATE) return operation
  const asked = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("dry_run")
  const dryRun = isTrue(asked ?? undefined)
  return dryRun._tag === "Some" && dryRun.value ? DRY_RUN : CREATE
}

const VALIDATION = 422
const TOO_MANY = 429

/** What the service would have said with this status, as far as its shape goes. */
const answer = (status: number, { id }: Fault): HttpServerResponse.HttpServerResponse => {
  const detail = `The emulator was asked for this fault (rule ${id}).`
  if (status === VALIDATION) return validationErrorResponse([{ loc: ["body"], msg: detail, type: "value_error" }])
  return errorResponse(status, detail, status === TOO_MANY ? { "retry-after": "1" } : undefined)
}

/** The client sees its connection break; what is answered reaches nobody but the logs. */
const cut = (request: HttpServerRequest, answer: HttpServerResponse.HttpServerResponse) =>
  Effect.sync(() => {
    NodeHttpServerRequest.toIncomingMessage(request).socket.destroy()
    return answer
  })

/** What is logged of a request that was cut off before its work: as proxies do, there is no status for it. */
const NOT_DONE = HttpServerResponse.empty({ status: 499 })

const delay = ({ latency_ms: millis }: Rule) => millis === undefined ? Effect.void : Effect.sleep(millis)

const befall = <E, R>(
  fault: Fault,
  request: HttpServerRequest,
  work: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const { drop_connection: drop, status } = fault.rule
  const done = status === undefined ? work : Effect.succeed(answer(status, fault))
  const answered = drop === "before"
    ? cut(request, NOT_DONE)
    // What was asked for is done although nobody hears of it.
    : drop === "after"
    ? Effect.uninterruptible(Effect.flatMap(done, (response) => cut(request, response)))
    : done
  return Effect.andThen(delay(fault.rule), answered)
}

/** Lets the rules strike at endpoints. Latency is real time: it is a client that waits. */
export const injectFaults = ({ strike }: Faults["Service"]): FaultInjector => (operation, work) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest
    // A rule whose strike cannot be recorded strikes all the same next time.
    const fault = yield* Effect.orElseSucceed(strike(named(operation, request)), () => undefined)
    return yield* fault === undefined ? work : befall(fault, request, work)
  })
