/** A call of the panel that is refused for a reason that the API does not have. */
import * as Schema from "effect/Schema"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** `message` says what is wrong, then what to do. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  status: Schema.Int,
  message: Schema.String,
  /** A word for programs; absent unless they react to it. */
  reason: Schema.optionalKey(Schema.String)
}) {}

/** The API's envelope. */
export const refusedResponse = ({ message, reason, status }: Refused) =>
  HttpServerResponse.jsonUnsafe({ detail: message, ...(reason === undefined ? {} : { reason }) }, { status })
