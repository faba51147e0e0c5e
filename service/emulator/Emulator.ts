/** The emulator: the seed, the controls under `/_emulator`, and deployments that count reads. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"
import type { Caller } from "../domain/Caller.ts"
import { errorResponse, toErrorResponse, validationErrorResponse } from "../http/Errors.ts"
import { BeforeRead } from "../instances/Read.ts"
import { Limits } from "../config/Limits.ts"
import { Instances } from "../persistence/Instances.ts"
import { DeployClock } from "../provisioning/drivers/simulated/DeployClock.ts"
import { TaskQueue } from "../tasks/Queue.ts"
import { realTimeout } from "../runtime/Time.ts"
import { withoutKeys } from "../auth/ApiKeyToken.ts"
import { ServiceRuntime } from "../ServiceRuntime.ts"
import { type Control, CONTROLS } from "./Controls.ts"
import { refusalOf } from "./LoopbackGuard.ts"
import { seedIfEmpty } from "./Sowing.ts"

/** Where the controls are. */
export const PREFIX = "/_emulator"

type Request = HttpServerRequest.HttpServerRequest

interface Found {
  readonly control: Control
  /** What stands in the place that the control's path leaves open; empty when it leaves none. */
  readonly name: string
}

const FORMS = Object.entries(CONTROLS).map(([path, methods]) => ({
  form: new RegExp(`^${path.replace(/\{[a-z]+\}/, "([^/]+)")}$`),
  methods
}))

const find = (request: Request): Found | HttpServerResponse.HttpServerResponse => {
  const path = request.url.split("?")[0]!.slice(PREFIX.length)
  const match = FORMS.map(({ form, methods }) => ({ methods, found: form.exec(path) }))
    .find(({ found }) => found !== null)
  if (match === undefined) {
    return errorResponse(
      404,
      `There is no control ${PREFIX}${withoutKeys(path)}; there are ${Object.keys(CONTROLS).join(", ")}.`
    )
  }
  const allow = Object.keys(match.methods).join(", ")
  const control = match.methods[request.method]
  if (control !== undefined) return { control, name: match.found?.[1] ?? "" }
  return errorResponse(405, `${request.method} is not allowed. Allowed: ${allow}.`, { allow })
}

/** Carries a control out, for whoever may. */
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
  const refused = refusalOf(request, emulatorRemote)
  return refused === undefined ? yield* control(request) : errorResponse(403, refused)
})

/** Longest wait of a read for work that is done at once, in milliseconds; only a fault makes it take as long. */
const INSTANT_MILLIS = 250

const settle = Effect.fnUntraced(function*(instanceId: number, millis: number) {
  yield* realTimeout((yield* TaskQueue).settled(instanceId), millis, Effect.void)
})

/**
 * Counts reads of an instance that waits for them; the read that completes the count shows it deployed. Where all is
 * done at once, a read shows it done: whoever polls need not poll twice.
 */
const beforeRead = Effect.fnUntraced(function*({ accountId }: Caller, instanceId: number) {
  const deploy = yield* DeployClock
  const { mode } = yield* deploy.setting
  if (mode === "after_ms") return
  const instance = yield* (yield* Instances).find(instanceId)
  // Who is not shown the instance does not wait for it.
  if (instance?.accountId !== accountId || instance.task === null) return
  if (mode === "instant") return yield* settle(instanceId, INSTANT_MILLIS)
  if (instance.lifecycle !== "pending") return
  if ((yield* deploy.polled(instanceId)) === "deployed") {
    yield* settle(instanceId, (yield* Limits).EMULATOR_SETTLE_MILLIS)
  }
})

/** Hangs that in before every read of an instance. */
const attendingReads = Layer.effect(
  BeforeRead,
  Effect.map(
    Effect.context<Effect.Services<ReturnType<typeof beforeRead>>>(),
    (services) => (caller: Caller, instanceId: number) =>
      // A count that cannot be written is a deployment that takes one read more.
      Effect.updateContext(Effect.ignore(beforeRead(caller, instanceId)), () => services)
  )
)

const seeding = Layer.effectDiscard(seedIfEmpty)

/** What it adds below HTTP: seeds an empty database, which fails when it cannot be written, and counts reads. */
export const core = Layer.merge(seeding, attendingReads)

/** What the server says of bodies does not reach into use cases. */
const bounded = <A, E, R>(control: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Limits,
    ({ BODY_BYTES_MAX }) =>
      Effect.provideService(control, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(BODY_BYTES_MAX))
  )

/** Its controls, to be served beside the API. */
export const routes = HttpRouter.add(
  "*",
  `${PREFIX}/*`,
  (request) => Effect.flatMap(ServiceRuntime, ({ run }) => run(bounded(guarded(request))))
)
