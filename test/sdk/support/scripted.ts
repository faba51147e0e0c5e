/** A scripted server in place of the network, which records its requests and their times. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { makeClient } from "#sdk/client/Client"
import type { ClientOptions } from "#sdk/client/options/Options"
import type { Request } from "#sdk/client/chain/Request"
import type { Transport } from "#sdk/client/chain/Transport"

/** One attempt: a response, or the way it fails. */
export type Step =
  | { readonly status: number; readonly body?: unknown; readonly text?: string; readonly headers?: Headers }
  /** The connection was refused: nothing was sent. */
  | "refused"
  /** The connection broke after the request was sent. */
  | "lost"
  /** The request was sent on a kept-alive connection, which was closed before the response. */
  | "stale"
  /** The request was sent; no response ever comes. */
  | "silent"
  /** No connection is ever established. */
  | "unreached"

type Headers = Readonly<Record<string, string>>

export interface Sent {
  /** Milliseconds of the test clock. */
  readonly at: number
  readonly request: Request
}

const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" })
const reset = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" })

const play = (step: Step, { limits, progress }: Request): ReturnType<Transport["send"]> => {
  const silence = Effect.delay(Effect.fail({ _tag: "TimedOut" } as const), limits.timeout)
  if (step === "refused") return Effect.fail({ _tag: "Broken", error: refused, staleConnection: false })
  if (step === "unreached") return silence
  const before = progress.responseLost
  progress.responseLost = true
  if (step === "silent") return silence
  if (step === "stale") return Effect.fail({ _tag: "Broken", error: reset, staleConnection: true })
  if (step === "lost") return Effect.fail({ _tag: "Broken", error: reset, staleConnection: false })
  progress.responseLost = before
  const text = step.text ?? JSON.stringify(step.body ?? {})
  return Effect.succeed({ status: step.status, headers: step.headers ?? {}, text, size: Buffer.byteLength(text) })
}

/**
 * Plays the steps; the last one repeats forever. A function returns the step for each request instead.
 * Responses arrive after `latency` milliseconds.
 */
export const script = (
  steps: ReadonlyArray<Step> | ((sent: Sent) => Step),
  options: ClientOptions = {},
  latency = 0
) => {
  const sent: Array<Sent> = []
  const transport: Transport = {
    send: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        sent.push({ at, request })
        const step = typeof steps === "function"
          ? steps({ at, request })
          : steps[Math.min(sent.length, steps.length) - 1]!
        const played = play(step, request)
        return latency === 0 ? played : Effect.delay(played, latency)
      }),
    close: Effect.void
  }
  const client = makeClient({ apiKey: "key-1", baseUrl: "https://server.test/api/v1", ...options }, transport)
  return { client, sent, keys: () => [...new Set(sent.map(({ request }) => request.headers["idempotency-key"]))] }
}

/** A random source that always returns this value, from 0 to 1. */
export const fixedRandom = (value: number) =>
  Effect.provideService(Random.Random, { nextDoubleUnsafe: () => value, nextIntUnsafe: () => 0 })

/** Runs an effect to its end, advancing the test clock. */
export const settle = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("1 minute")
    return yield* Fiber.await(fiber)
  })

/** The error of an effect that must fail. */
export const failureOf = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<E> =>
  Effect.flatMap(settle(effect), (exit) => Effect.flip(exit) as unknown as Effect.Effect<E>)
