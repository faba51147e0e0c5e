/** Decodes the body of a successful response. */
import * as Effect from "effect/Effect"
import { ConfigurationError, DecodeError, type ErrorContext } from "../errors/Errors.ts"
import type { ApiResponse } from "./ApiResponse.ts"
import { loadInspect } from "./LoadStrict.ts"
import { asError } from "./NetworkErrors.ts"
import { contextOf, type Request } from "./Request.ts"
import type { Inspect } from "./Strict.ts"
import type { RawResponse } from "./Transport.ts"

export type Decoder = (
  request: Request,
  raw: RawResponse
) => Effect.Effect<ApiResponse<unknown>, DecodeError | ConfigurationError>

export const decoderFor = (decode: "tolerant" | "strict"): Decoder => decode === "strict" ? makeStrict() : tolerant

const tolerant: Decoder = (request, raw) => {
  const data = unwrap(request, parse(raw.text))
  const hasType = request.operation.list === true ? Array.isArray(data) : isObject(data)
  return hasType ? checked(request, raw, data) : Effect.fail(notJson(request, raw))
}

const makeStrict = (): Decoder => {
  let inspect: Promise<Inspect> | undefined
  const load = Effect.tryPromise({
    try: () => inspect ??= loadInspect(),
    catch: (cause) =>
      new ConfigurationError(`The contract for decode: "strict" could not be loaded: ${asError(cause).message}`, {
        cause
      })
  })
  return (request, raw) => {
    const data = parse(raw.text)
    if (data === undefined) return Effect.fail(notJson(request, raw))
    return Effect.flatMap(load, (inspect) => {
      const mismatch = inspect(request.operation, raw.status, data)
      if (mismatch === undefined) return checked(request, raw, data)
      const subject = mismatch.field === "" ? "the response" : mismatch.field
      const text = `${subject} does not match the contract: ${mismatch.problem}`
      return Effect.fail(new DecodeError(raw.status, text, contextWith(request, raw), mismatch.field))
    })
  }
}

const checked: (...args: [...Parameters<Decoder>, data: unknown]) => ReturnType<Decoder> = (request, raw, data) => {
  const problem = isObject(data) ? request.operation.check?.(data) : undefined
  if (problem !== undefined) return Effect.fail(new DecodeError(raw.status, problem, contextWith(request, raw)))
  return Effect.succeed(toResponse(request, raw, data))
}

const toResponse = (request: Request, { headers, status }: RawResponse, data: unknown): ApiResponse<unknown> => ({
  data,
  response: {
    status,
    headers,
    requestId: headers["x-request-id"],
    attempts: request.progress.attempts,
    idempotencyKey: request.idempotencyKey
  }
})

const contextWith = (request: Request, raw: RawResponse): ErrorContext => ({
  ...contextOf(request),
  requestId: raw.headers["x-request-id"]
})

/** Without a piece of the body in the message and without a SyntaxError as the cause: both may contain a password. */
const notJson = (request: Request, raw: RawResponse): DecodeError => {
  const expected = request.operation.list === true ? "a JSON array" : "a JSON object"
  const actual = `${raw.headers["content-type"] ?? "no content type"}, ${raw.size} bytes`
  return new DecodeError(raw.status, `Expected ${expected} (got ${actual})`, contextWith(request, raw))
}

export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Unwraps lists, which some servers wrap as `{ items: [...] }`. */
const unwrap = (request: Request, data: unknown): unknown =>
  request.operation.list === true && isObject(data) && Array.isArray(data["items"]) ? data["items"] : data
