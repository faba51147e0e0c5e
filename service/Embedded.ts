/**
 * The emulator inside another program, started by `@pulumi-vps/testing`: it handles no signals, prints nothing, and
 * leaves nothing open once it is stopped. It is bundled with its own copy of effect, so its interface has only plain
 * data and promises.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { API_PREFIX } from "@pulumi-vps/contract/Api"
import { execute } from "./admin/Execute.ts"
import { decode } from "./admin/Input.ts"
import { actorOf, thisOperator } from "./admin/Operator.ts"
import { resolve } from "./config/Resolve.ts"
import * as Emulator from "./emulator/App.ts"
import { control, controlRequest } from "./emulator/ControlRoutes.ts"
import { EmulatorRuntime } from "./emulator/EmulatorRuntime.ts"
import { SEED_KEY, SeedOptions, SeedOverrides } from "./emulator/Seed.ts"
import * as Server from "./http/Server.ts"
import { notePort } from "./http/NotePort.ts"
import { PanelPort } from "./people/PanelPort.ts"
import { LogSink } from "./observability/Log.ts"

export interface EmbeddedOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** Validated here. */
  readonly seed: SeedOptions
  readonly rateLimits: boolean
  readonly strictIdempotency: boolean
  /** Receives the lines of the log, one JSON object each. */
  readonly log: ((line: string) => void) | undefined
}

/** The start or the command failed; `refused` says why. */
export interface Refusal {
  readonly refused: string
}

/** The response of a control. */
export interface ControlResponse {
  readonly status: number
  /** As JSON. */
  readonly body: unknown
}

/** A running emulator. */
export interface Embedded {
  /** Includes the prefix of the API. */
  readonly url: string
  readonly apiKey: string
  /** Calls a control below `/_emulator` without the network. Must not be called once it is stopped. */
  readonly control: (method: string, path: string, body?: unknown) => Promise<ControlResponse>
  /** Runs a command of `vps-service admin`. Must not be called once it is stopped. */
  readonly command: (name: string, input: unknown) => Promise<{ readonly result: unknown } | Refusal>
  /** Aborts open requests; resolves when the port is free. May be called again. */
  readonly stop: () => Promise<void>
}

const flagsOf = ({ log, port, rateLimits, strictIdempotency }: EmbeddedOptions): ReadonlyArray<string> => [
  "--emulator",
  "--host=127.0.0.1",
  `--port=${port}`,
  `--request-log=${log !== undefined}`,
  `--rate-limits=${rateLimits}`,
  `--strict-idempotency=${strictIdempotency}`
]

const build = Effect.fnUntraced(function*(options: EmbeddedOptions, scope: Scope.Scope) {
  const seed = yield* decode(SeedOptions, options.seed)
  // The environment belongs to the surrounding program, so it is ignored.
  const settings = resolve(flagsOf(options), {})
  const references = Layer.mergeAll(
    Layer.succeed(SeedOverrides, seed),
    Layer.succeed(LogSink, options.log ?? (() => undefined)),
    Layer.succeed(Server.AbortRequestsOnShutdown, true)
  )
  const app = Layer.provide(Emulator.layer(settings), references)
  return yield* Layer.buildWithScope(app, scope)
})

const handle = (context: Context.Context<EmulatorRuntime>, url: string, stop: () => Promise<void>): Embedded => {
  const { run } = Context.get(context, EmulatorRuntime)
  return {
    url,
    apiKey: SEED_KEY,
    control: async (method, path, body) => {
      const answer = await Effect.runPromise(run(control(controlRequest(method, path, body))))
      const response = HttpServerResponse.toWeb(answer)
      return { status: response.status, body: await response.json() }
    },
    command: (name, input) =>
      Effect.runPromise(
        run(execute(name, input, actorOf(thisOperator()))).pipe(
          Effect.map((result) => ({ result })),
          Effect.catch(({ message }) => Effect.succeed({ refused: message }))
        )
      ),
    stop
  }
}

/** Starts an emulator. Several are independent of each other. */
export const launch = async (options: EmbeddedOptions): Promise<Embedded | Refusal> => {
  const scope = Scope.makeUnsafe()
  let stopped: Promise<void> | undefined
  const stop = () => stopped ??= Effect.runPromise(Scope.close(scope, Exit.void))
  const built = await Effect.runPromiseExit(build(options, scope))
  if (Exit.isFailure(built)) {
    await stop()
    const error = Cause.squash(built.cause)
    if (error instanceof Error && "_tag" in error) return { refused: error.message }
    throw error
  }
  const { run } = Context.get(built.value, EmulatorRuntime)
  const origin = await Effect.runPromise(
    Effect.provideContext(Effect.flatMap(run(PanelPort), notePort), built.value)
  )
  return handle(built.value, `${origin}${API_PREFIX}`, stop)
}
