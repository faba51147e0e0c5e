/** Reads the settings of a client from its options and the environment. An invalid one fails the first call. */
import * as Effect from "effect/Effect"
import { ArgumentError, ConfigurationError } from "../errors/Errors.ts"
import { ATTEMPT_TIMEOUT_MS, MAX_RETRIES, TIMER_MAX_MS } from "./Limits.ts"
import type { CallOptions, ClientOptions } from "./Options.ts"
import { VERSION } from "@pulumi-vps/contract/Version"

export interface Settings {
  readonly apiKey: Effect.Effect<string, ConfigurationError>
  readonly baseUrl: Effect.Effect<BaseUrl, ConfigurationError>
  readonly userAgent: string
  readonly timeout: number | undefined
  readonly maxRetries: number | undefined
  readonly decode: Decode
  /** An invalid setting that nothing else would detect. */
  readonly problem: ConfigurationError | undefined
}

type Env = Readonly<Record<string, string | undefined>>

/** Empty where there is no process: in browsers and workers. */
export const environment = (): Env => globalThis.process?.env ?? {}

export interface BaseUrl {
  /** `https://host:port` */
  readonly origin: string
  /** `/api/v1`, without a trailing slash. */
  readonly prefix: string
}

export const settingsOf = (options: ClientOptions, env: Env = environment()): Settings => ({
  apiKey: apiKeyOf(options.apiKey ?? env["VPS_API_KEY"]),
  baseUrl: baseUrlOf(options.baseUrl ?? env["VPS_BASE_URL"]),
  userAgent: options.userAgent ?? `pulumi-vps/${VERSION}`,
  timeout: options.timeout,
  maxRetries: options.maxRetries,
  decode: options.decode ?? "tolerant",
  problem: problemWithOptions(options)
})

const misconfigured = (message: string, cause?: unknown) => Effect.fail(new ConfigurationError(message, { cause }))

type Decode = NonNullable<ClientOptions["decode"]>

/** Every option, so that a new one cannot be forgotten here. */
const KNOWN: Readonly<Record<keyof ClientOptions, true>> = {
  apiKey: true,
  baseUrl: true,
  timeout: true,
  maxRetries: true,
  userAgent: true,
  dispatcher: true,
  fetch: true,
  logger: true,
  hooks: true,
  decode: true
}

/** Programs without types may pass anything. A misspelled option would silently have no effect. */
const problemWithOptions = (options: ClientOptions): ConfigurationError | undefined => {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(KNOWN, name))
  if (unknown !== undefined) {
    return new ConfigurationError(`${unknown} is not an option of a client. It has: ${Object.keys(KNOWN).join(", ")}`)
  }
  const { decode, dispatcher, fetch } = options
  if (decode !== undefined && decode !== "tolerant" && decode !== "strict") {
    return new ConfigurationError("decode must be \"tolerant\" or \"strict\"")
  }
  if (fetch !== undefined && typeof fetch !== "function") return new ConfigurationError("fetch must be a function")
  return fetch === undefined || dispatcher === undefined
    ? undefined
    : new ConfigurationError("Pass dispatcher or fetch, not both")
}

const NO_KEY = "Missing API key. Pass apiKey or set VPS_API_KEY."
const VISIBLE = /^[\x21-\x7e]+$/

const apiKeyOf = (source: ClientOptions["apiKey"]): Settings["apiKey"] => {
  if (typeof source !== "function") return checkedKey(source)
  return Effect.flatMap(
    Effect.tryPromise({
      try: async () => source(),
      catch: (cause) => new ConfigurationError("The apiKey function failed", { cause })
    }),
    checkedKey
  )
}

const checkedKey = (source: unknown): Settings["apiKey"] => {
  // A key read from a file often ends with a line break.
  const key = typeof source === "string" ? source.trim() : ""
  if (key === "") return misconfigured(NO_KEY)
  return VISIBLE.test(key)
    ? Effect.succeed(key)
    : misconfigured("The API key contains characters that are not allowed in a header")
}

const baseUrlOf = (text: string | undefined): Settings["baseUrl"] => {
  if (text === undefined || text.trim() === "") {
    return misconfigured(
      "Missing base URL. Pass baseUrl or set VPS_BASE_URL, for example https://api.example.com/api/v1."
    )
  }
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return misconfigured("The base URL must be an http or https URL, for example https://api.example.com/api/v1")
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return misconfigured("The base URL must not contain a user, query or fragment. Pass the API key as apiKey.")
  }
  let prefix = url.pathname
  while (prefix.endsWith("/")) prefix = prefix.slice(0, -1)
  if (prefix === "") {
    return misconfigured(`The base URL must include the path prefix, for example ${url.origin}/api/v1`)
  }
  return Effect.succeed({ origin: url.origin, prefix })
}

export interface CallLimits {
  /** Milliseconds per attempt. */
  readonly timeout: number
  readonly maxRetries: number
}

/** The limits of a call: its own options first, then the client's, then the defaults. */
export const limitsOf = (settings: Settings, options: CallOptions): CallLimits => ({
  timeout: options.timeout ?? settings.timeout ?? ATTEMPT_TIMEOUT_MS,
  maxRetries: options.maxRetries ?? settings.maxRetries ?? MAX_RETRIES
})

/** Returns the first problem with the limits of a call. */
export const problemWith = (limits: CallLimits): ArgumentError | undefined => {
  if (!isDuration(limits.timeout)) return new ArgumentError(durationProblem("timeout"))
  if (!Number.isSafeInteger(limits.maxRetries) || limits.maxRetries < 0) {
    return new ArgumentError("maxRetries must be an integer of 0 or more")
  }
  return undefined
}

export const isDuration = (ms: number): boolean => typeof ms === "number" && ms > 0 && ms <= TIMER_MAX_MS

export const durationProblem = (name: string): string =>
  `${name} must be a number of milliseconds above 0 and at most ${TIMER_MAX_MS}`
