/** Runs the emulator's controls with the services of use cases and the emulator's own. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { DeployClock } from "../provisioning/drivers/simulated/DeployClock.ts"
import { runWith, type Services } from "../ServiceRuntime.ts"
import type { EmulatedClock } from "./EmulatedClock.ts"
import type { Faults } from "./Faults.ts"
import type { MailLog } from "./MailLog.ts"
import type { RandomSource } from "./RandomSource.ts"
import type { RequestLog } from "./RequestLog.ts"

/** The services available to controls. */
export type EmulatorServices = Services | DeployClock | EmulatedClock | Faults | MailLog | RandomSource | RequestLog

export class EmulatorRuntime extends Context.Service<EmulatorRuntime, {
  readonly run: <A, E>(control: Effect.Effect<A, E, EmulatorServices>) => Effect.Effect<A, E>
}>()("@pulumi-vps/service/EmulatorRuntime") {
  static readonly layer = Layer.effect(
    EmulatorRuntime,
    Effect.map(Effect.context<EmulatorServices>(), (services) => ({ run: runWith(services) }))
  )
}
