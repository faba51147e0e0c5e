/** What a request asks an endpoint for, read by the contract; what does not fit it is a 422 (service.md §7). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { validationErrorResponse } from "../Errors.ts"
import { bodyError, notAnObject, type RequestPart, validationItems } from "./ValidationErrors.ts"

const JSON_TYPE = "application/json"

/** The parts of a request that stand in its head, as they came. */
export interface RequestHead {
  readonly request: HttpServerRequest
  readonly path: unknown
  readonly query: unknown
}

type HeadPart = "params" | "headers" | "query"

/** What an endpoint is given of a request, by the contract's names. */
type DecodedRequest = { readonly request: HttpServerRequest; payload?: unknown } & { [Name in HeadPart]?: unknown }

/** A value, or the answer that says what is wrong with it. */
type Decoded<A> = Result.Result<A, HttpServerResponse>

type Decoder = (input: unknown) => Decoded<unknown>

/** What an endpoint says of its requests. */
type EndpointSchemas = Pick<HttpApiEndpoint.Top, "identifier" | "params" | "query" | "headers" | "payload">

/** A schema of the contract needs no services. */
type PureSchema = Schema.ConstraintDecoder<unknown>

const decoder = (
  part: RequestPart,
  schema: Schema.Constraint,
  options: HttpApiEndpoint.Top["annotations"]
): Decoder => {
  const general = Context.getOrUndefined(options, HttpApi.ParseOptions)
  const how = part === "body" ? Context.getOrUndefined(options, HttpApi.PayloadParseOptions) ?? general : general
  const decode = SchemaParser.decodeUnknownResult(schema as PureSchema, how)
  return (input) => Result.mapError(decode(input), (issue) => validationErrorResponse(validationItems(part, issue)))
}

/** Whether the body is JSON; who does not say what it is means JSON. */
const isJson = ({ headers }: HttpServerRequest): boolean => {
  const [mediaType] = (headers["content-type"] ?? JSON_TYPE).split(";", 1)
  return mediaType!.trim().toLowerCase() === JSON_TYPE
}

/** A body that is no object has no fields to blame: its text says what it is. */
const parsed = (text: string, decode: Decoder): Decoded<unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch { // `undefined` fits no schema; below the text tells why
  }
  const read = decode(value)
  if (Result.isSuccess(read)) return read
  const problem = bodyError(text)
  return problem === undefined ? read : Result.fail(validationErrorResponse([problem]))
}

/** How the requests of an endpoint are read. */
export interface RequestDecoder {
  /** Path, headers and query, in this order: the first that does not fit is answered. */
  readonly head: (head: RequestHead) => Decoded<DecodedRequest>
  /** The body beside the rest; undefined when the endpoint takes none. Dies when the body cannot be read. */
  readonly body: ((asked: DecodedRequest) => Effect.Effect<Decoded<DecodedRequest>>) | undefined
}

/** How each part of the head is read: `from` is where it stands. */
interface PartReader {
  readonly name: HeadPart
  readonly from: (head: RequestHead) => unknown
  readonly read: Decoder
}

const headOf = (endpoint: EndpointSchemas, options: HttpApiEndpoint.Top["annotations"]): RequestDecoder["head"] => {
  const { headers, params, query } = endpoint
  const parts: Array<PartReader> = []
  if (params) parts.push({ name: "params", from: ({ path }) => path, read: decoder("path", params, options) })
  if (headers) {
    const read = decoder("header", headers, options)
    parts.push({ name: "headers", from: ({ request }) => request.headers, read })
  }
  if (query) {
    const read = decoder("query", Schema.toCodecArrayFromSingle(query), options)
    parts.push({ name: "query", from: (head) => head.query, read })
  }
  return (head) => {
    const asked: DecodedRequest = { request: head.request }
    for (const { from, name, read } of parts) {
      const part = read(from(head))
      if (Result.isFailure(part)) return Result.fail(part.failure)
      asked[name] = part.success
    }
    return Result.succeed(asked)
  }
}

const bodyOf = (endpoint: EndpointSchemas, options: HttpApiEndpoint.Top["annotations"]): RequestDecoder["body"] => {
  if (endpoint.payload.size === 0) return undefined
  const [schema, ...others] = endpoint.payload.get(JSON_TYPE)?.schemas ?? []
  if (schema === undefined || endpoint.payload.size + others.length > 1) {
    throw new Error(`${endpoint.identifier} takes another body than JSON of one schema, which nothing here reads`)
  }
  const decode = decoder("body", schema, options)
  const refused = Effect.succeed(Result.fail(validationErrorResponse([notAnObject])))
  return (asked) =>
    isJson(asked.request)
      ? Effect.map(
        Effect.orDie(asked.request.text),
        (text) => Result.map(parsed(text, decode), (payload) => ({ ...asked, payload }))
      )
      : refused
}

/** `options` are the annotations of the endpoint with those of its group and API. */
export const makeRequestDecoder = (
  endpoint: EndpointSchemas,
  options: HttpApiEndpoint.Top["annotations"]
): RequestDecoder => ({
  head: headOf(endpoint, options),
  body: bodyOf(endpoint, options)
})
