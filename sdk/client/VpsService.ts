/** The Effect client: the calls of Core as a service. It has no logic of its own. */
import type { Task } from "#contract/Monitoring"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type Client, makeClient } from "./Client.ts"
import type { CallFailure } from "./chain/Handler.ts"
import type { CallOptions, ClientOptions, TasksIteration } from "./options/Options.ts"
import type { ApiResponse } from "./chain/Request.ts"
import type { Vps as PromiseVps } from "./Vps.ts"

/** Settings of the service; what is absent comes from the environment or has a default. */
export interface VpsOptions extends Omit<ClientOptions, "apiKey"> {
  /** The API key, or a function that gives it, called once per call. Default: `VPS_API_KEY`. */
  readonly apiKey?: ClientOptions["apiKey"] | Redacted.Redacted<string>
}

/** The groups whose calls are one request or one wait; the task feed is a stream. */
type GroupName = Exclude<keyof Client, "close" | "tasks">

/** The methods of a group of the Promise client, described there, as Effects with the failures that Core gives them. */
type Calls<Name extends GroupName, Mode extends "data" | "answer"> = {
  readonly [Method in keyof PromiseVps[Name]]: Method extends keyof Client[Name] ? AsEffect<Client[Name][Method], Mode>
    : never
}

type AsEffect<Call, Mode> = Call extends (...args: infer Args) => Effect.Effect<ApiResponse<infer Data>, infer Failure>
  ? (...args: Args) => Effect.Effect<Mode extends "data" ? Data : ApiResponse<Data>, Failure>
  : never

type Groups<Mode extends "data" | "answer"> = { readonly [Name in GroupName]: Calls<Name, Mode> }

interface TaskFeed {
  /** Every task of an instance, newest first, each once. Asks for a page when the one before is used up. */
  readonly iterate: (id: number, walk?: TasksIteration, options?: CallOptions) => Stream.Stream<Task, CallFailure>
}

export interface VpsService extends Groups<"data"> {
  /** The activity feed as a whole. */
  readonly tasks: TaskFeed
  /** The same calls, answering the response beside the data: status, headers, request id, attempts, key. */
  readonly withResponse: Groups<"answer">
}

/**
 * A client of the VPS service: the groups and calls of the Promise client, each an Effect of the data. Interrupting one
 * ends its request or its wait; a purchase that is run anew is a new one, so give it an `idempotencyKey` to resume.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { Vps } from "pulumi-vps/effect"
 *
 * const program = Effect.gen(function*() {
 *   const vps = yield* Vps
 *   const web = yield* vps.instances.createAndWait({ service_id: 1, hostname: "web.example.com" })
 *   yield* Effect.log(`${web.ipv4} is there`)
 * }).pipe(
 *   Effect.catchTag("PaymentRequiredError", (error) => Effect.logError(error.detail))
 * )
 * Effect.runPromise(Effect.provide(program, Vps.layerConfig()))
 */
export class Vps extends Context.Service<Vps, VpsService>()("pulumi-vps/Vps") {
  /**
   * A client with these settings, closed with the layer. Never fails: a missing or wrong setting is a
   * `ConfigurationError` of the first call.
   *
   * @example
   * const live = Vps.layer({ baseUrl: "https://host/api/v1", apiKey: Redacted.make("vps_live_...") })
   */
  static layer(options: VpsOptions = {}): Layer.Layer<Vps> {
    return Layer.effect(Vps)(make(options))
  }

  /**
   * A client whose API key and base URL are `VPS_API_KEY` and `VPS_BASE_URL` of the program's configuration, by
   * default its environment. Fails when one of them is missing.
   */
  static layerConfig(options: Omit<VpsOptions, "apiKey" | "baseUrl"> = {}): Layer.Layer<Vps, Config.ConfigError> {
    const settings = Config.all({
      apiKey: Config.Redacted("VPS_API_KEY"),
      baseUrl: Config.NonEmptyString("VPS_BASE_URL")
    })
    return Layer.effect(Vps)(Effect.gen(function*() {
      return yield* make({ ...options, ...(yield* settings) })
    }))
  }
}

const make = Effect.fnUntraced(function*({ apiKey, ...options }: VpsOptions) {
  const key = Redacted.isRedacted(apiKey) ? Redacted.value(apiKey) : apiKey
  const { close, tasks, ...groups } = makeClient({ ...options, apiKey: key })
  yield* Effect.addFinalizer(() => close)
  return {
    ...withoutResponse(groups),
    tasks: { iterate: (...args) => streamOf(() => tasks.pages(...args)) },
    withResponse: groups
  } satisfies VpsService
})

type AnyCall = (...args: ReadonlyArray<unknown>) => Effect.Effect<ApiResponse<unknown>, unknown>

/** What each call does is Core's; only the data of its answer is given on. */
const withoutResponse = (groups: Groups<"answer">): Groups<"data"> => {
  const dataOf = (call: AnyCall) => (...args: ReadonlyArray<unknown>) => Effect.map(call(...args), ({ data }) => data)
  const each = Object.entries(groups).map(([name, calls]) => [
    name,
    Object.fromEntries(Object.entries(calls).map(([method, call]) => [method, dataOf(call as AnyCall)]))
  ])
  return Object.fromEntries(each)
}

const streamOf = (begin: () => ReturnType<Client["tasks"]["pages"]>): Stream.Stream<Task, CallFailure> =>
  Stream.fromPull(Effect.sync(() =>
    Effect.flatMap(begin(), ({ data }) => {
      const [first, ...others] = data
      return first === undefined ? Cause.done() : Effect.succeed([first, ...others] as const)
    })
  ))
