/** Translates the dynamic provider's calls into calls of the lifecycles; owns the process's only session. */
import type { Api } from "../api/Api.ts"
import { explain, PartialCreateError, UserError } from "../api/Errors.ts"
import { readSettings, type Settings } from "../Config.ts"
import type { SettingName } from "../HostWords.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import type { Host } from "../engine/Host.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import { Session } from "../session/Session.ts"
import { STACKS } from "../session/Stack.ts"
import { callFunction, type FunctionName } from "../functions/Functions.ts"

// Calls functions in the program's own process, with the stack's settings.

export class FunctionHost {
  readonly #connect: (settings: Settings) => Api
  /** By settings: an Automation API program can run several stacks in one process, each with its own. */
  readonly #apis = new Map<string, Api>()

  constructor(connect: (settings: Settings) => Api) {
    this.#connect = connect
  }

  /**
   * `configured` returns the stack's `vps:<name>`.
   * @throws UserError with one sentence, and the cause.
   */
  async call(
    name: FunctionName,
    args: Properties,
    configured: (name: SettingName) => string | undefined
  ): Promise<unknown> {
    return await callFunction(this.#api(readSettings(configured)), name, args)
  }

  #api(settings: Settings): Api {
    const identity = JSON.stringify([settings.baseUrl, settings.apiKey, settings.requestTimeout])
    const api = this.#apis.get(identity) ?? this.#connect(settings)
    this.#apis.set(identity, api)
    return api
  }
}

/** The engine's `configure` request; only the look-up is used. */
export interface ConfigureRequest {
  readonly config: { readonly get: (key: string) => string | undefined }
}

/** The interface that Pulumi's host expects; `outs`, `props` and `inputs` must be plain JSON. */
export interface DynamicProvider {
  readonly configure: (request: ConfigureRequest) => void
  readonly check: (olds: Properties, news: Properties) => Promise<unknown>
  readonly diff: (id: string, olds: Properties, news: Properties) => Promise<unknown>
  readonly create: (inputs: Properties) => Promise<unknown>
  readonly read: (id: string, properties: Properties) => Promise<unknown>
  readonly update: (id: string, olds: Properties, news: Properties) => Promise<unknown>
  readonly delete: (id: string, properties: Properties) => Promise<void>
}

export class DynamicHost {
  readonly #host: Host
  readonly #connect: (settings: Settings) => Api
  readonly #start: () => void
  #configured: ConfigureRequest["config"] | undefined
  #session: Session | undefined

  /** `start` is called once, before the first resource is served. */
  constructor(host: Host, connect: (settings: Settings) => Api, start: () => void = () => {}) {
    this.#host = host
    this.#connect = connect
    this.#start = start
  }

  /** The seven methods that the stored provider text calls. */
  serve(lifecycle: Lifecycle): DynamicProvider {
    return {
      // Synchronous, and it never throws: concurrent calls would otherwise run without a configuration, and only the
      // first of them would see an error. An invalid setting is reported where it is first used.
      configure: ({ config }) => {
        this.#configured = config
      },
      check: (olds, news) => this.#check(lifecycle, olds, news),
      diff: (id, olds, news) =>
        rethrowWithoutStack(news, async () => {
          const { changed, deleteBeforeReplace = false, replaces } = await lifecycle.diff(this.#open(), id, olds, news)
          return { changes: changed.length > 0, replaces, deleteBeforeReplace }
        }),
      create: (inputs) =>
        rethrowPartialCreate(inputs, async () => {
          const { id, outputs } = await lifecycle.create(this.#open(), inputs)
          return { id, outs: json(outputs) }
        }),
      read: (id, properties) =>
        rethrowWithoutStack(properties, async () => {
          const found = await lifecycle.read(this.#open(), id, properties)
          return found === undefined ? {} : { id, props: json(found.outputs), inputs: json(found.inputs) }
        }),
      update: (id, olds, news) =>
        rethrowPartialCreate(news, async () => ({ outs: json(await lifecycle.update(this.#open(), id, olds, news)) })),
      delete: (id, properties) => rethrowWithoutStack(properties, () => lifecycle.delete(this.#open(), id, properties))
    }
  }

  async #check(lifecycle: Lifecycle, olds: Properties, news: Properties): Promise<unknown> {
    try {
      // For a new resource this host passes an empty object.
      const before = Object.keys(olds).length === 0 ? undefined : olds
      const { failures, inputs } = await lifecycle.check(this.#open(), before, news)
      return { inputs: json(inputs), failures }
    } catch (error) {
      // A failure is printed once; an error would be printed with its stack.
      return { inputs: news, failures: [{ property: "", reason: explain(error) }] }
    }
  }

  /** One session for all resources of both types: the host runs one process per phase. */
  #open(): Session {
    if (this.#session === undefined) {
      this.#start()
      const settings = readSettings((name: SettingName) => this.#configured?.get(`vps:${name}`))
      this.#session = new Session(this.#connect(settings), settings, this.#host, STACKS)
      // Connects to the engine: from now on this process ends with it, also when it is idle.
      void this.#host.checkpoint()
    }
    return this.#session
  }
}

const json = (properties: Properties): Properties => JSON.parse(JSON.stringify(properties)) as Properties

const message = (properties: Properties, error: unknown): string =>
  error instanceof UserError ? error.message : `${nameOf(properties["__urn"])}: ${explain(error)}`

/**
 * For create and update. The host takes any error with an `id` for a partial create, so only our own may have one; and
 * it must have `__provider`, or the resource could never be deleted.
 */
const rethrowPartialCreate = async <A>(properties: Properties, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PartialCreateError)) {
      throw new Error(message(properties, error), { cause: error })
    }
    throw Object.assign(new Error(error.message, { cause: error }), {
      id: error.resourceId,
      properties: json({ ...error.properties, __provider: properties["__provider"] }),
      reasons: error.reasons
    })
  }
}

/** For the other calls: the host would print the stack of an error, which does not help the user. */
const rethrowWithoutStack = async <A>(properties: Properties, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    throw Object.assign(new Error(message(properties, error), { cause: error }), { name: "", stack: "" })
  }
}
