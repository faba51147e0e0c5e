/**
 * The callers of the panel, as handlers receive them, and the refusal of their calls for a reason that the API does not
 * have.
 */
import * as Schema from "effect/Schema"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Caller } from "../../domain/Caller.ts"
import type { Browser } from "../../people/Actor.ts"
import { domainAt } from "../../people/PasskeyDomain.ts"
import type { SignedIn } from "../../people/SignIn.ts"
import { Config } from "../../config/Config.ts"

/** A browser, signed in or not. */
export interface Visit {
  readonly browser: Browser
  /** Scheme, host and port under which the browser reached the panel. */
  readonly origin: string
  /** The session's token that the browser sent; undefined without one. */
  readonly token: string | undefined
  readonly requestId: string | null
}

/** A person with a session. */
export interface Visitor extends Visit, SignedIn {}

/** A member of the account in the path. */
export interface Member extends Visitor {
  readonly caller: Caller
}

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

/** The panel as authenticators know it, at the address of a visit; refused where passkeys do not work. */
export const partyOf = Effect.fnUntraced(function*({ origin }: Visit) {
  const config = yield* Config
  const domain = domainAt(config, origin)
  const name = config.brandName === "" ? {} : { name: config.brandName }
  if (domain !== undefined) return { domain, origin, ...name }
  return yield* new Refused({
    status: 409,
    message: "Passkeys need the panel's public address. The operator sets it with --panel-url; on this computer, use "
      + "localhost instead of an address."
  })
})
