/**
 * The controls under `/_emulator`: finds the control of a request. They require no key, so they accept requests of this
 * computer only, and not from web pages.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import { Config } from "../config/Config.ts"
import { errorResponse, toErrorResponse, validationErrorResponse } from "../http/Errors.ts"
import { Limits } from "../config/Limits.ts"
import { redactKeys } from "../auth/ApiKeyToken.ts"
import type { Control, Controls } from "./Control.ts"
import { EmulatorRuntime } from "./EmulatorRuntime.ts"
import { ACCOUNTS, WALLET } from "./AccountControls.ts"
import { CLOCK } from "./ClockControls.ts"
import { FAULTS } from "./FaultControls.ts"
import { RECORDS } from "./RecordControls.ts"
import { STATES } from "./StateControls.ts"

export const CONTROLS: Controls = { ...STATES, ...CLOCK, ...ACCOUNTS, ...FAULTS, ...WALLET, ...RECORDS }

const PREFIX = "/_emulator"

type Request = HttpServerRequest.HttpServerRequest

interface Found {
  readonly control: Control
  /** The value of the path's parameter; empty when it has none. */
  readonly name: string
}

const ROUTES = Object.entries(CONTROLS).map(([path, methods]) => ({
  form: new RegExp(`^${path.replace(/\{[a-z]+\}/, "([^/]+)")}$`),
  methods
}))

const find = (request: Request): Found | HttpServerResponse.HttpServerResponse => {
  const path = request.url.split("?")[0]!.slice(PREFIX.length)
  const match = ROUTES.map(({ form, methods }) => ({ methods, found: form.exec(path) }))
    .find(({ found }) => found !== null)
  if (match === undefined) {
    return errorResponse(
      404,
      `Unknown control ${PREFIX}${redactKeys(path)}. Available controls: ${Object.keys(CONTROLS).join(", ")}.`
    )
  }
  const allow = Object.keys(match.methods).join(", ")
  const control = match.methods[request.method]
  if (control !== undefined) return { control, name: match.found?.[1] ?? "" }
  return errorResponse(405, `${request.method} is not allowed. Allowed: ${allow}.`, { allow })
}

/** A request of a control that does not come from the network. */
export const controlRequest = (method: string, path: string, body: unknown): Request =>
  HttpServerRequest.fromWeb(
    new globalThis.Request(`http://emulator${PREFIX}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )

/** Executes a control without checking the client. */
export const control = Effect.fnUntraced(function*(request: Request) {
  const found = find(request)
  if (!("control" in found)) return found
  return yield* found.control(request, found.name).pipe(
    Effect.catchTag("InvalidBody", ({ items }) => Effect.succeed(validationErrorResponse(items))),
    Effect.catchTag("StorageUnavailable", (error) => Effect.map(Limits, (limits) => toErrorResponse(error, limits)))
  )
})

const guarded = Effect.fnUntraced(function*(request: Request) {
  const { emulatorRemote } = yield* Config
  const rejection = rejectionOf(request, emulatorRemote)
  return rejection === undefined ? yield* control(request) : errorResponse(403, rejection)
})

/** The body limit of the HTTP server does not reach the runtime of the services. */
const bounded = <A, E, R>(control: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Limits,
    ({ BODY_BYTES_MAX }) =>
      Effect.provideService(control, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(BODY_BYTES_MAX))
  )

/** The routes of the controls, served beside the API. */
export const routes = HttpRouter.add(
  "*",
  `${PREFIX}/*`,
  (request) => Effect.flatMap(EmulatorRuntime, ({ run }) => run(bounded(guarded(request))))
)

const isLoopbackAddress = (address: string): boolean =>
  address === "::1" || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)

/** A host name that first resolves elsewhere and then here (DNS rebinding) is not a loopback name. */
const isLoopbackHost = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host)

/** The reason to reject a request; undefined when it is accepted. `remote` accepts other computers. */
export const rejectionOf = (request: HttpServerRequest.HttpServerRequest, remote: boolean): string | undefined => {
  if (request.headers["origin"] !== undefined) return "The emulator's controls do not accept requests from web pages."
  if (remote) return undefined
  const address = Option.getOrElse(request.remoteAddress, () => "")
  if (!isLoopbackAddress(address)) {
    return "The emulator's controls accept requests from this computer only. "
      + "Start it with --emulator-remote to accept others."
  }
  const host = request.headers["host"] ?? ""
  return isLoopbackHost(host)
    ? undefined
    : `The emulator's controls are not available at ${host}. Use localhost or 127.0.0.1.`
}
