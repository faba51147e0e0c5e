/** Decodes requests with the contract's schemas. Input that does not match is answered with 422. */
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
import { findDuplicateKey } from "./DuplicateKey.ts"
import {
  bodyError,
  duplicateField,
  notAnObject,
  type RequestPart,
  unknownField,
  validationItems
} from "./ValidationErrors.ts"

const JSON_TYPE = "application/json"

/** A request without its body, not yet decoded. */
export interface RequestHead {
  readonly request: HttpServerRequest
  readonly path: unknown
  readonly query: unknown
}

/** The decoded parts, by the contract's names. */
interface DecodedRequest {
  readonly request: HttpServerRequest
  params?: unknown
  headers?: unknown
  query?: unknown
  payload?: unknown
}

/** A decoded value, or the error response. */
type Decoded<A> = Result.Result<A, HttpServerResponse>

type Decoder = (input: unknown) => Decoded<unknown>

type EndpointSchemas = Pick<HttpApiEndpoint.Top, "identifier" | "params" | "query" | "headers" | "payload">
type Annotations = HttpApiEndpoint.Top["annotations"]

/** The parse options of a part; those of the API where it has none of its own. */
const parseOptions = (part: RequestPart, annotations: Annotations) => {
  const general = Context.getOrUndefined(annotations, HttpApi.ParseOptions)
  if (part === "body") return Context.getOrUndefined(annotations, HttpApi.PayloadParseOptions) ?? general
  return part === "query" ? Context.getOrUndefined(annotations, HttpApi.QueryParseOptions) ?? general : general
}

const makeDecoder = (part: RequestPart, schema: Schema.Constraint, annotations: Annotations): Decoder => {
  // The contract's schemas need no services.
  const decode = SchemaParser.decodeUnknownResult(
    schema as Schema.ConstraintDecoder<unknown>,
    parseOptions(part, annotations)
  )
  return (input) => Result.mapError(decode(input), (issue) => validationErrorResponse(validationItems(part, issue)))
}

/** True if the body is JSON; a request without a content type is taken as JSON. */
const isJson = ({ headers }: HttpServerRequest): boolean => {
  const [mediaType] = (headers["content-type"] ?? JSON_TYPE).split(";", 1)
  return mediaType!.trim().toLowerCase() === JSON_TYPE
}

/** A body that is not an object has no invalid fields: the error then describes its text. */
const decodeText = (text: string, decode: Decoder): Decoded<unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch { // `undefined` matches no schema; `bodyError` then explains the syntax error.
  }
  const twice = value === undefined ? undefined : findDuplicateKey(text)
  if (twice !== undefined) return Result.fail(validationErrorResponse([duplicateField(twice)]))
  const decoded = decode(value)
  if (Result.isSuccess(decoded)) return decoded
  const error = bodyError(text)
  return error === undefined ? decoded : Result.fail(validationErrorResponse([error]))
}

/** Decodes the requests of one endpoint. */
export interface RequestDecoder {
  /** Decodes path, headers and query, in this order; the first invalid part is the error response. */
  readonly head: (head: RequestHead) => Decoded<DecodedRequest>
  /** Adds the decoded body; undefined if the endpoint takes none. Dies if the body cannot be read. */
  readonly body: ((request: DecodedRequest) => Effect.Effect<Decoded<DecodedRequest>>) | undefined
}

/** The query of an endpoint that has no parameters. Cheap, because most requests have none. */
const rejectParameters: Decoder = (query) => {
  const names = Object.keys(query as object)
  if (names.length === 0) return Result.succeed(undefined)
  return Result.fail(validationErrorResponse(names.map((name) => unknownField(["query", name]))))
}

interface PartDecoder {
  readonly name: "params" | "headers" | "query"
  readonly select: (head: RequestHead) => unknown
  readonly decode: Decoder
}

const headDecoder = ({ headers, params, query }: EndpointSchemas, annotations: Annotations): RequestDecoder["head"] => {
  const parts: Array<PartDecoder> = []
  if (params) {
    parts.push({ name: "params", select: ({ path }) => path, decode: makeDecoder("path", params, annotations) })
  }
  if (headers) {
    const decode = makeDecoder("header", headers, annotations)
    parts.push({ name: "headers", select: ({ request }) => request.headers, decode })
  }
  const decodeQuery = query
    ? makeDecoder("query", Schema.toCodecArrayFromSingle(query), annotations)
    : rejectParameters
  parts.push({ name: "query", select: (head) => head.query, decode: decodeQuery })
  return (head) => {
    const decoded: DecodedRequest = { request: head.request }
    for (const { decode, name, select } of parts) {
      const part = decode(select(head))
      if (Result.isFailure(part)) return Result.fail(part.failure)
      decoded[name] = part.success
    }
    return Result.succeed(decoded)
  }
}

const bodyDecoder = ({ identifier, payload }: EndpointSchemas, annotations: Annotations): RequestDecoder["body"] => {
  if (payload.size === 0) return undefined
  const [schema, ...others] = payload.get(JSON_TYPE)?.schemas ?? []
  if (schema === undefined || payload.size + others.length > 1) {
    throw new Error(`${identifier}: unsupported body. Only JSON with a single schema can be decoded.`)
  }
  const decode = makeDecoder("body", schema, annotations)
  const rejected = Effect.succeed(Result.fail(validationErrorResponse([notAnObject])))
  return (decoded) =>
    isJson(decoded.request)
      ? Effect.map(
        Effect.orDie(decoded.request.text),
        (text) => Result.map(decodeText(text, decode), (payload) => ({ ...decoded, payload }))
      )
      : rejected
}

/** `annotations` are the endpoint's, merged with those of its group and API. */
export const makeRequestDecoder = (endpoint: EndpointSchemas, annotations: Annotations): RequestDecoder => ({
  head: headDecoder(endpoint, annotations),
  body: bodyDecoder(endpoint, annotations)
})
