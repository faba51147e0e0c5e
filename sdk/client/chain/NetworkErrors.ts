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
