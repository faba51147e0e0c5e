/**
 * The service as an emulator: the same services on decorated ports, with a clock of their own, faults, a seed, and
 * controls beside the API. Its driver is always the simulated one.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "../App.ts"
import type { Values } from "../config/Config.ts"
import { FaultHook } from "../http/FaultHook.ts"
import { RequestObservers } from "../http/middleware/RootMiddleware.ts"
import { EmulatorControls } from "../panel/http/EmulatorControls.ts"
import * as Server from "../http/Server.ts"
import * as Simulated from "../provisioning/drivers/simulated/Simulated.ts"
import * as ControlRoutes from "./ControlRoutes.ts"
import * as EmulatedClock from "./EmulatedClock.ts"
import { EmulatorRuntime, type EmulatorServices } from "./EmulatorRuntime.ts"
import * as Faults from "./Faults.ts"
import { faultyDriver, injectFaults } from "./InjectedFaults.ts"
import { MailLog, recordMails } from "./MailLog.ts"
import * as RandomSource from "./RandomSource.ts"
import * as ReadCounter from "./ReadCounter.ts"
import { RequestLog } from "./RequestLog.ts"
import { makeLinks, SEED_ACCOUNT, SEED_KEY, seedIfEmpty } from "./Seed.ts"
import { parentEnded } from "../runtime/ParentProcess.ts"
import { runWith } from "../ServiceRuntime.ts"

/** Everything on top of the storage lives on the emulated clock and draws from the repeatable random source. */
const decorate = ({ mailer, storage }: App.ExternalPorts) => ({
  storage: Layer.merge(EmulatedClock.layer, RandomSource.layer).pipe(Layer.provideMerge(storage)),
  driver: faultyDriver.pipe(Layer.provideMerge(Simulated.layer), Layer.provideMerge(Faults.layer)),
  mailer: recordMails(mailer)
})

/** The hooks through which the emulator observes and changes requests, and the seed of an empty database. */
const hooks = Layer.mergeAll(
  Layer.effect(FaultHook, Effect.map(Faults.Faults, injectFaults)),
  Layer.effect(RequestObservers, Effect.map(RequestLog, ({ record }) => [record])),
  ReadCounter.layer,
  Layer.effectDiscard(seedIfEmpty)
).pipe(Layer.provideMerge([RequestLog.layer, MailLog.layer]))

/** The panel has the controls, too. Its users sign in with links that only this computer shows. */
const panelControls = Layer.effect(
  EmulatorControls,
  Effect.map(Effect.context<EmulatorServices>(), (services) => {
    const run = runWith(services)
    return (method: string, path: string, body?: unknown) =>
      Effect.orDie(run(ControlRoutes.control(ControlRoutes.controlRequest(method, path, body))))
  })
)

/** Fails like the service, and with `StorageUnavailable` when the seed cannot be written. */
export const layer = (settings: Values) => {
  const service = App.make(settings, decorate(App.externalPorts(settings, "simulated")))
  const services = Layer.provideMerge(panelControls, Layer.provideMerge(hooks, service))
  const http = Layer.merge(App.forHttp(settings, services), Layer.provide(EmulatorRuntime.layer, services))
  return App.serve(settings, Layer.merge(Server.routes, ControlRoutes.routes), http)
}

/** Runs the emulator until it is interrupted, or the process that started it has ended. */
export const run = (settings: Values) => {
  const emulator = App.run(
    settings,
    layer(settings),
    (panel) => Effect.map(makeLinks(SEED_ACCOUNT, panel), (sign_in) => ({ api_key: SEED_KEY, sign_in }))
  )
  return settings.emulatorDetached
    ? emulator
    : Effect.raceFirst(emulator, Effect.andThen(parentEnded, Effect.interrupt))
}
