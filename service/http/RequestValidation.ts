/** Turns a request that does not fit the contract into a 422 of exactly the shape of service.md §7. */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Layer from "effect/Layer"
import { RequestValidation } from "#contract/Authorization"
import { invalid } from "./Errors.ts"
import { bodyProblem, itemsOf, notAnObject, type Part } from "./ValidationErrors.ts"

const PARTS: Readonly<Record<string, Part>> = { Params: "path", Query: "query", Headers: "header", Payload: "body" }

const UNSUPPORTED_MEDIA_TYPE = 415

/** A body that is no object has no fields to blame: its text, which the request keeps, says what it is. */
const explainBody = (error: HttpApiError.HttpApiSchemaError): Effect.Effect<
  HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest
> =>
  Effect.map(Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => Effect.orDie(request.text)), (text) => {
    const problem = bodyProblem(text)
    return invalid(problem === undefined ? itemsOf("body", error.cause.issue) : [problem])
  })

const explain = (error: HttpApiError.HttpApiSchemaError) => {
  const part = PARTS[error.kind]
  // A body or header of ours that does not fit is a defect of the service.
  if (part === undefined) return Effect.die(error)
  return part === "body" ? explainBody(error) : Effect.succeed(invalid(itemsOf(part, error.cause.issue)))
}

export const layer: Layer.Layer<RequestValidation> = Layer.succeed(
  RequestValidation,
  RequestValidation.of((httpEffect) =>
    httpEffect.pipe(
      Effect.catch((error) => HttpApiError.HttpApiSchemaError.is(error) ? explain(error) : Effect.fail(error)),
      Effect.map((response) => response.status === UNSUPPORTED_MEDIA_TYPE ? invalid([notAnObject]) : response)
    )
  )
)
