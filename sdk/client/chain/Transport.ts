/**
 * One step of the request chain, and the transport at its end, which sends one request with a timeout. It does not
 * interpret statuses, keys or retries; from the error of a connection it reads whether anything was sent, and
 * whether another attempt could succeed.
 */
import type * as Effect from "effect/Effect"
import type { CallFailure, WaitFailure } from "../errors/ApiErrors.ts"
import type { ApiResponse } from "./ApiResponse.ts"
import type { Request } from "./Request.ts"

export type Handler = (request: Request) => Effect.Effect<ApiResponse<unknown>, CallFailure>

/** A call that returns a `T`. */
export type Call<T> = Effect.Effect<ApiResponse<T>, CallFailure>

/** A call that also waits. */
export type WaitCall<T> = Effect.Effect<ApiResponse<T>, WaitFailure>

/** A response before it is decoded. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** In bytes. */
  readonly size: number
}

/** The reason for a missing response. */
export type SendFailure =
  | { readonly _tag: "Broken"; readonly error: Error; readonly staleConnection: boolean }
  /** No request can be sent until the program or its environment changes: a module is missing, for example. */
  | { readonly _tag: "Unusable"; readonly error: Error }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "TooLarge"; readonly status: number }
  /** The response is complete, but encoded in a way that the client does not know. */
  | { readonly _tag: "Encoded"; readonly status: number; readonly encoding: string }

/** The timeout covers everything from waiting for a connection to the last byte of the response. */
export type Send = (request: Request) => Effect.Effect<RawResponse, SendFailure>

export interface Transport {
  readonly send: Send
  /** Closes the connections. Leaves the caller's own dispatcher open. */
  readonly close: Effect.Effect<void>
}

/** Reads from the error of a connection whether anything was sent, and whether another attempt could succeed. */

interface Details {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly errors?: unknown
  readonly socket?: { readonly bytesRead?: number } | null
}

export const asError = (error: unknown): Error => error instanceof Error ? error : new Error(String(error))

/** `fetch` on Node.js wraps the error: "fetch failed". */
export const causeOf = (error: unknown): Error =>
  error instanceof Error && error.cause instanceof Error ? error.cause : asError(error)

/** True if the connection had received bytes before it broke. `socket` is undici's state of the connection. */
export const hasReceived = (error: Error): boolean => ((error as Details).socket?.bytesRead ?? 0) > 0

/** The codes of OpenSSL for a certificate that is not trusted. It is checked before the request is written. */
const isCertificate = (code: unknown): boolean =>
  typeof code === "string" && /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY|DECODE)|HOSTNAME_MISMATCH|CRL_/.test(code)

/** undici has no code for it. A proxy that wants a password refuses before anything reaches the service. */
export const needsProxyPassword = (error: unknown): boolean =>
  error instanceof Error && /^Proxy (response|Authentication Required) \(407\)/.test(error.message)

/** True if another attempt would fail in the same way until a person changes something. */
export const isPermanent = (error: unknown): boolean =>
  error instanceof Error && (isCertificate((error as Details).code) || needsProxyPassword(error))

const UNSENT = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  // Bun
  "ConnectionRefused",
  "FailedToOpenSocket"
])

/** True if no byte of the request can have been sent. False if the runtime does not say it, as in browsers. */
export const isUnsent = (error: Error): boolean => {
  const { code, errors, syscall } = error as Details
  if (Array.isArray(errors) && errors.length > 0) return errors.every((one) => one instanceof Error && isUnsent(one))
  if (syscall === "connect" || syscall === "getaddrinfo" || UNSENT.has(String(code))) return true
  // Deno has no codes.
  return isPermanent(error) || error.message.includes("client error (Connect)")
}
