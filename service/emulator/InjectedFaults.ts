/**
 * Injects the faults of the rules: at a driver, where they apply to submissions only, which tasks retry; and between a
 * client and an endpoint: latency, an error, a connection closed before or after the work.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import { Busy, Driver, type DriverRequest, Rejected, type Status, Unavailable } from "../provisioning/Driver.ts"
import { type Fault, Faults, type Rule } from "./Faults.ts"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import { QueryBoolean } from "@pulumi-vps/contract/Primitives"
import { errorResponse, validationErrorResponse } from "../http/Errors.ts"
import type { FaultInjector } from "../http/FaultHook.ts"

const reason = ({ id }: Fault): string => `injected by the emulator (fault rule ${id})`

const injectDriverFaults = (
  fault: Fault,
  kind: NonNullable<Rule["driver"]>,
  submit: Effect.Effect<Status, Busy | Rejected | Unavailable>
) => {
  switch (kind) {
    case "busy":
      return Effect.fail(new Busy({ reason: reason(fault) }))
    case "rejected":
      return Effect.fail(new Rejected({ reason: reason(fault) }))
    case "unavailable":
      return Effect.fail(new Unavailable({ reason: reason(fault) }))
    case "lost_answer":
      return Effect.andThen(submit, Effect.fail(new Unavailable({ reason: reason(fault) })))
  }
}

const makeFaultyDriver = Effect.gen(function*() {
  const driver = yield* Driver
  const { next } = yield* Faults
  const submit = Effect.fnUntraced(function*(request: DriverRequest) {
    const matching = next(`driver.${request.operation.type}`).pipe(
      Effect.mapError(({ message }) => new Unavailable({ reason: message }))
    )
    const fault = yield* matching
    if (fault === undefined) return yield* driver.submit(request)
    const { driver: kind, latency_ms: millis } = fault.rule
    // In emulated time, like every duration of the driver.
    if (millis !== undefined) yield* Effect.sleep(millis)
    return yield* kind === undefined ? driver.submit(request) : injectDriverFaults(fault, kind, driver.submit(request))
  })
  return Driver.of({ ...driver, submit })
})

export const faultyDriver: Layer.Layer<Driver, never, Driver | Faults> = Layer.effect(Driver, makeFaultyDriver)

const CREATE = "instances.create"
const DRY_RUN = "instances.dry_run"

const isTrue = Schema.decodeUnknownOption(QueryBoolean)

/** The operation of a rule: a create and its dry run are one endpoint of the contract. */
const operationOf = (operation: string, { url }: HttpServerRequest): string => {
  if (operation !== CREATE) return operation
  const dryRunText = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("dry_run")
  const dryRun = isTrue(dryRunText ?? undefined)
  return dryRun._tag === "Some" && dryRun.value ? DRY_RUN : CREATE
}

const VALIDATION = 422
const TOO_MANY = 429

/** A response of this status in the shape of the service's own. */
const answer = (status: number, { id }: Fault): HttpServerResponse.HttpServerResponse => {
  const detail = `Injected by the emulator (fault rule ${id}).`
  if (status === VALIDATION) return validationErrorResponse([{ loc: ["body"], msg: detail, type: "value_error" }])
  return errorResponse(status, detail, status === TOO_MANY ? { "retry-after": "1" } : undefined)
}

/** Closes the client's connection. The response is only logged. */
const dropConnection = (request: HttpServerRequest, answer: HttpServerResponse.HttpServerResponse) =>
  Effect.sync(() => {
    NodeHttpServerRequest.toIncomingMessage(request).socket.destroy()
    return answer
  })

/** The logged response of a request whose connection was closed before its work: 499, as proxies log it. */
const NOT_DONE = HttpServerResponse.empty({ status: 499 })

const delay = ({ latency_ms: millis }: Rule) => millis === undefined ? Effect.void : Effect.sleep(millis)

const inject = <E, R>(
  fault: Fault,
  request: HttpServerRequest,
  work: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const { drop_connection: drop, status } = fault.rule
  const done = status === undefined ? work : Effect.succeed(answer(status, fault))
  const response = drop === "before"
    ? dropConnection(request, NOT_DONE)
    // The work completes although the client receives no response.
    : drop === "after"
    ? Effect.uninterruptible(Effect.flatMap(done, (dropped) => dropConnection(request, dropped)))
    : done
  return Effect.andThen(delay(fault.rule), response)
}

/** Applies the rules to endpoints. Latency is real time, because a client waits. */
export const injectFaults = ({ next }: Faults["Service"]): FaultInjector => (operation, work) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest
    // A hit that cannot be recorded does not count: the rule applies again next time.
    const fault = yield* Effect.orElseSucceed(next(operationOf(operation, request)), () => undefined)
    return yield* fault === undefined ? work : inject(fault, request, work)
  })
