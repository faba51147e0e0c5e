import * as Effect from "effect/Effect"
import { Config } from "../../config/Config.ts"
import { domainAt } from "../../people/Party.ts"
import { Refused } from "./Refused.ts"
import type { Visit } from "./Visitor.ts"

/** The panel as authenticators know it, at the address of a visit; refused where passkeys do not work. */
export const partyOf = Effect.fnUntraced(function*({ origin }: Visit) {
  const domain = domainAt(yield* Config, origin)
  if (domain !== undefined) return { domain, origin }
  return yield* new Refused({
    status: 409,
    message: "Passkeys need the panel's public address. The operator sets it with --panel-url; on this computer, use "
      + "localhost instead of an address."
  })
})
