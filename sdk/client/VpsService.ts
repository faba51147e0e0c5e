/** The Effect client: the calls of `Client` as a service. It has no logic of its own. */
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type Client, makeClient } from "./Client.ts"
import type { ApiResponse } from "./chain/ApiResponse.ts"
import type { CallFailure } from "./errors/ApiErrors.ts"
import type { CallOptions, ClientOptions, TasksIteration } from "./options/Options.ts"
import type { Task } from "./Records.ts"

/** The settings of the service. Absent ones come from the environment or have a default. */
export interface VpsOptions extends Omit<ClientOptions, "apiKey"> {
  /** The API key, or a function that returns it and is called once per call. Default: `VPS_API_KEY`. */
  readonly apiKey?: ClientOptions["apiKey"] | Redacted.Redacted<string>
}

/** The groups of calls. The task feed is a stream, and bulk calls have no single response. */
type Groups = Omit<Client, "bulk" | "close" | "tasks">

/** The calls of a group, each an Effect of the data only. */
type DataCalls<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends
    (...args: infer Args) => Effect.Effect<ApiResponse<infer Data>, infer Failure>
    ? (...args: Args) => Effect.Effect<Data, Failure>
    : never
}

interface TaskFeed {
  /** Streams every task of an instance, newest first, each once. Requests a page when the previous one is used up. */
  readonly iterate: (id: number, query?: TasksIteration, options?: CallOptions) => Stream.Stream<Task, CallFailure>
}

type DataGroups = { readonly [Name in keyof Groups]: DataCalls<Groups[Name]> }

export interface VpsService extends DataGroups {
  /** The whole activity feed of an instance. */
  readonly tasks: TaskFeed
  /** Work on many instances: a bounded number at once, and a result for each. */
  readonly bulk: Client["bulk"]
  /** The same calls, with the response beside the data: status, headers, request ID, attempts, idempotency key. */
  readonly withResponse: Groups
}

/**
 * A client of the VPS service: the groups and calls of the Promise client, each an Effect of the data. Interrupting it
 * ends its request or wait. Running a create again buys again: pass an `idempotencyKey` to resume a purchase.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { Vps } from "@pulumi-vps/sdk/effect"
 *
 * const program = Effect.gen(function*() {
 *   const vps = yield* Vps
 *   const web = yield* vps.instances.createAndWait({ service_id: 1, hostname: "web.example.com" })
 *   yield* Effect.log(`${web.ipv4} is ready`)
 * }).pipe(
 *   Effect.catchTag("PaymentRequiredError", (error) => Effect.logError(error.detail))
 * )
 * Effect.runPromise(Effect.provide(program, Vps.layerConfig()))
 */
export class Vps extends Context.Service<Vps, VpsService>()("@pulumi-vps/sdk/Vps") {
  /**
   * A client with these settings, closed with the layer. Never fails: a missing or invalid setting is the
   * `ConfigurationError` of the first call.
   *
   * @example
   * const live = Vps.layer({ baseUrl: "https://api.example.com/api/v1", apiKey: Redacted.make("vps_live_...") })
   */
  static layer(options: VpsOptions = {}): Layer.Layer<Vps> {
    return Layer.effect(Vps)(make(options))
  }

  /**
   * A client that reads `VPS_API_KEY` and `VPS_BASE_URL` from the program's configuration, which is its environment by
   * default. Fails if one of them is missing.
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
  const { bulk, close, tasks, ...groups } = makeClient({ ...options, apiKey: key })
  yield* Effect.addFinalizer(() => close)
  return {
    ...withoutResponse(groups),
    tasks: { iterate: (...args) => streamOf(() => tasks.pages(...args)) },
    bulk,
    withResponse: groups
  } satisfies VpsService
})

type AnyCall = (...args: ReadonlyArray<unknown>) => Effect.Effect<ApiResponse<unknown>, unknown>

const withoutResponse = (groups: Groups): DataGroups => {
  const dataOf = (call: AnyCall) => (...args: ReadonlyArray<unknown>) => Effect.map(call(...args), ({ data }) => data)
  const each = Object.entries(groups).map(([name, calls]) => [
    name,
    Object.fromEntries(Object.entries(calls).map(([method, call]) => [method, dataOf(call as AnyCall)]))
  ])
  return Object.fromEntries(each)
}

const streamOf = (open: () => ReturnType<Client["tasks"]["pages"]>): Stream.Stream<Task, CallFailure> =>
  Stream.fromPull(Effect.sync(() =>
    Effect.flatMap(open(), ({ data }) => {
      const [first, ...others] = data
      return first === undefined ? Cause.done() : Effect.succeed([first, ...others] as const)
    })
  ))
