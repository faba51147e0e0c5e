/**
 * The emulator inside another program, as `pulumi-vps/testing` starts it: no signals, no output, nothing left open once
 * it is stopped. Bundled as a program is, with an effect of its own, so nothing but plain data and promises crosses
 * this border.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { API_PREFIX } from "#contract/Api"
import type { CatalogueDocument } from "./admin/catalogue/CatalogueDocument.ts"
import { type CommandName, execute, type InputOf, type ResultOf } from "./admin/Commands.ts"
import { decode } from "./admin/InputSchemas.ts"
import { resolve } from "./config/Config.ts"
import type { Treatment } from "./domain/Vat.ts"
import * as Emulator from "./emulator/App.ts"
import { control, PREFIX } from "./emulator/ControlRoutes.ts"
import { EmulatorRuntime } from "./emulator/EmulatorRuntime.ts"
import { SEED_KEY } from "./emulator/Seed.ts"
import { SeedOptions, SeedOverrides } from "./emulator/SeedOptions.ts"
import * as Server from "./http/Server.ts"
import { LogSink } from "./observability/Log.ts"
import type { JournalKind } from "./persistence/Journals.ts"
import type { DeployMode } from "./persistence/SimulatedMachines.ts"
import type { OperationType } from "./provisioning/Driver.ts"

export type { CatalogueDocument, CommandName, DeployMode, InputOf, JournalKind, OperationType, ResultOf, Treatment }

/** What can be chosen before it starts. */
export interface EmbeddedOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** Its values are checked here, as they come from people. */
  readonly seed: SeedOptions
  readonly rateLimits: boolean
  readonly strictIdempotency: boolean
  /** Gets the lines of the log, one JSON object each; without it nobody does. */
  readonly log: ((line: string) => void) | undefined
}

/** It was not done; `message` says why. */
export interface Refusal {
  readonly refused: string
}

/** What a control answered. */
export interface ControlResponse {
  readonly status: number
  /** As JSON. */
  readonly body: unknown
}

/** An emulator that runs. */
export interface Embedded {
  /** With the prefix of the API. */
  readonly url: string
  readonly apiKey: string
  /** A control below `/_emulator`, past the network. Not once it is stopped. */
  readonly control: (method: string, path: string, body?: unknown) => Promise<ControlResponse>
  /** A command of `vps-service admin`. Not once it is stopped. */
  readonly command: (name: string, input: unknown) => Promise<{ readonly result: unknown } | Refusal>
  /** Cuts off what is under way; ends when the port is free. May be called again. */
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
  // The environment is that of the program around it: only limits are read there, when this is loaded.
  const settings = resolve(flagsOf(options), {})
  const surroundings = Layer.mergeAll(
    Layer.succeed(SeedOverrides, seed),
    Layer.succeed(LogSink, options.log ?? (() => undefined)),
    Layer.succeed(Server.AbortRequestsOnShutdown, true)
  )
  const app = Layer.provide(Emulator.layer(settings), surroundings)
  return yield* Layer.buildWithScope(app, scope)
})

const request = (method: string, path: string, body: unknown): HttpServerRequest.HttpServerRequest =>
  HttpServerRequest.fromWeb(
    new Request(`http://emulator${PREFIX}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )

const handle = (context: Context.Context<EmulatorRuntime>, url: string, stop: () => Promise<void>): Embedded => {
  const { run } = Context.get(context, EmulatorRuntime)
  return {
    url,
    apiKey: SEED_KEY,
    control: async (method, path, body) => {
      const answered = await Effect.runPromise(run(control(request(method, path, body))))
      const response = HttpServerResponse.toWeb(answered)
      return { status: response.status, body: await response.json() }
    },
    command: (name, input) =>
      Effect.runPromise(
        run(execute(name, input)).pipe(
          Effect.map((result) => ({ result })),
          Effect.catch(({ message }) => Effect.succeed({ refused: message }))
        )
      ),
    stop
  }
}

/** Starts one; several do not know of each other. */
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
  const origin = Effect.runSync(
    Effect.provideContext(HttpServer.addressFormattedWith(Effect.succeed), built.value)
  )
  return handle(built.value, `${origin}${API_PREFIX}`, stop)
}
