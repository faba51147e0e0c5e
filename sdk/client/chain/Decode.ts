/** From the body of an answer that reports success to data. */
import * as Effect from "effect/Effect"
import { ConfigurationError, DecodeError, type ErrorContext } from "../errors/Errors.ts"
import { type ApiResponse, contextOf, type Request } from "./Request.ts"
import type { Inspect } from "./Strict.ts"
import type { RawAnswer } from "./Transport.ts"

export type Decoder = (
  request: Request,
  raw: RawAnswer
) => Effect.Effect<ApiResponse<unknown>, DecodeError | ConfigurationError>

export const decoderFor = (decode: "tolerant" | "strict"): Decoder => decode === "strict" ? makeStrict() : tolerant

const tolerant: Decoder = (request, raw) => {
  const data = unwrap(request, parse(raw.body))
  const isRight = request.operation.list === true ? Array.isArray(data) : isObject(data)
  return isRight ? Effect.succeed(answer(request, raw, data)) : Effect.fail(notJson(request, raw))
}

const makeStrict = (): Decoder => {
  let inspect: Promise<Inspect> | undefined
  const load = Effect.tryPromise({
    try: () => inspect ??= loadInspect(),
    catch: (cause) => new ConfigurationError("decode: \"strict\" could not load the contract", { cause })
  })
  return (request, raw) => {
    const data = parse(raw.body)
    if (data === undefined) return Effect.fail(notJson(request, raw))
    return Effect.flatMap(load, (inspect) => {
      const breach = inspect(request.operation, raw.status, data)
      if (breach === undefined) return Effect.succeed(answer(request, raw, data))
      const where = breach.field === "" ? "the answer" : breach.field
      const text = `${where} is not as the contract says: ${breach.problem}`
      return Effect.fail(new DecodeError(raw.status, text, contextWith(request, raw), breach.field))
    })
  }
}

/** By the package's own name for it, so that our bundles leave the schemas out and find them beside themselves. */
const loadInspect = async (): Promise<Inspect> => (await import("#sdk/client/chain/Strict")).makeInspect()

const answer = (request: Request, { headers, status }: RawAnswer, data: unknown): ApiResponse<unknown> => ({
  data,
  response: {
    status,
    headers,
    requestId: headers["x-request-id"],
    attempts: request.progress.attempts,
    idempotencyKey: request.idempotencyKey
  }
})

const contextWith = (request: Request, raw: RawAnswer): ErrorContext => ({
  ...contextOf(request),
  requestId: raw.headers["x-request-id"]
})

/** Never a piece of the body in the message, and no SyntaxError as the cause: both may hold a password. */
const notJson = (request: Request, raw: RawAnswer): DecodeError => {
  const wanted = request.operation.list === true ? "a JSON array" : "a JSON object"
  const got = `${raw.headers["content-type"] ?? "no content type"}, ${raw.body.length} bytes`
  return new DecodeError(
    raw.status,
    `the host answered something else than ${wanted} (${got})`,
    contextWith(request, raw)
  )
}

export const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Some hosts wrap their lists. */
const unwrap = (request: Request, data: unknown): unknown =>
  request.operation.list === true && isObject(data) && Array.isArray(data["items"]) ? data["items"] : data
