import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

/** Runs a control of the emulator: method, path below its prefix, and body. Undefined in a service. */
export class EmulatorControls extends Context.Reference<
  ((method: string, path: string, body?: unknown) => Effect.Effect<HttpServerResponse>) | undefined
>("@pulumi-vps/service/panel/EmulatorControls", { defaultValue: () => undefined }) {}
