/** `@pulumi-vps/testing/effect`: the emulator for Effect programs, with the same controls and typed failures. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Vps, type VpsOptions } from "@pulumi-vps/sdk/effect"
import type { Controls } from "./Controls.ts"
import { EmulatorError } from "./EmulatorError.ts"
import type { CommandName, InputOf, ResultOf } from "./OperatorCommands.ts"
import type { DurationInput, EmulatorOptions } from "./Types.ts"
import { type RunningEmulator, startEmulator } from "./Start.ts"

/** Durations of Effect, too. */
type Argument<T> = [DurationInput, T] extends [T, DurationInput] ? Duration.Input : T

/** Maps every function that returns a promise to one that returns an effect. */
type AsEffects<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer Args) => Promise<infer A>
    ? (...args: { readonly [I in keyof Args]: Argument<Args[I]> }) => Effect.Effect<A, EmulatorError>
    : AsEffects<T[K]>
}

/** The service of the layer: `RunningEmulator` with effects. */
export interface EffectEmulator extends AsEffects<Controls>, Pick<RunningEmulator, "url" | "apiKey" | "client"> {
  /** Runs a command of `vps-service admin`. */
  readonly admin: <Name extends CommandName>(
    command: Name,
    input: InputOf<Name>
  ) => Effect.Effect<ResultOf<Name>, EmulatorError>
}

/** Any other rejection is a bug in the emulator. */
const toFailure = (error: unknown): Effect.Effect<never, EmulatorError> =>
  error instanceof EmulatorError ? Effect.fail(error) : Effect.die(error)

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, EmulatorError> =>
  Effect.flatten(
    Effect.promise(() => work().then((value): Effect.Effect<A, EmulatorError> => Effect.succeed(value), toFailure))
  )

type Group = Readonly<Record<string, unknown>>

const asEffects = (group: Group): Group =>
  Object.fromEntries(
    Object.entries(group).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...args: ReadonlyArray<unknown>) => attempt(() => member(...args))
        : asEffects(member as Group)
    ])
  )

const started = Effect.fnUntraced(function*(options: EmulatorOptions) {
  const running = yield* Effect.acquireRelease(
    attempt(() => startEmulator(options)),
    (emulator) => Effect.promise(() => emulator.stop())
  )
  const { admin, apiKey, client, stop: _, url, ...controls } = running
  const effects = asEffects(controls) as AsEffects<Controls>
  return Emulator.of({
    ...effects,
    url,
    apiKey,
    client,
    admin: (command, input) => attempt(() => admin(command, input))
  })
})

/**
 * An emulator as a service.
 *
 * @example
 * const program = Effect.gen(function*() {
 *   const vps = yield* Vps
 *   yield* vps.instances.create({ service_id: 1 })
 *   yield* (yield* Emulator).clock.advance("31 days")
 * })
 * const layer = Emulator.client().pipe(Layer.provideMerge(Emulator.layer({ seed: { wallet: 20 } })))
 * program.pipe(Effect.provide(layer))
 */
export class Emulator extends Context.Service<Emulator, EffectEmulator>()("@pulumi-vps/testing/Emulator") {
  /** Starts an emulator and stops it with the scope. Fails with `EmulatorError` like `startEmulator`. */
  static layer(options: EmulatorOptions = {}): Layer.Layer<Emulator, EmulatorError> {
    return Layer.effect(Emulator, started(options))
  }

  /** Provides the `Vps` service of `@pulumi-vps/sdk/effect` as a client of account 1. */
  static client(options: VpsOptions = {}): Layer.Layer<Vps, never, Emulator> {
    return Layer.unwrap(Effect.gen(function*() {
      const { apiKey, url } = yield* Emulator
      return Vps.layer({ baseUrl: url, apiKey, ...options })
    }))
  }
}
