/** The current session, its end, and the confirmation that its person is present. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Config } from "../../../config/Config.ts"
import { Passkeys } from "../../../persistence/people/Passkeys.ts"
import { requestOptions, type Returned, verifyUse } from "../../../people/PasskeyUse.ts"
import { refresh, signOut } from "../../../people/SignIn.ts"
import { withoutSession } from "../Cookie.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { partyOf } from "../PartyOf.ts"
import { Refused } from "../Refused.ts"
import type { Visitor } from "../Visitor.ts"
import { describe, withToken } from "./Describe.ts"

const NO_PASSKEY = "You have no passkey to confirm with. Sign in again with a new link, and set up a passkey then."
const NOT_YOURS = "That was not a passkey of yours, or the request was too old. Try again."

const confirm = Effect.fnUntraced(function*(visitor: Visitor, credential: Returned) {
  const { person, session } = visitor
  const owner = yield* verifyUse(yield* partyOf(visitor), session.id, credential)
  if (owner?.id !== person.id) return yield* new Refused({ status: 403, message: NOT_YOURS })
})

export const session: PanelHandlers<"session"> = {
  current: (_, visitor) => describe(visitor),
  sign_out: Effect.fnUntraced(function*(_, visitor) {
    yield* signOut(visitor)
    return withoutSession(HttpServerResponse.jsonUnsafe({ ok: true }))
  }),
  fresh_options: Effect.fnUntraced(function*(_, visitor) {
    const { person, session: { id } } = visitor
    const party = yield* partyOf(visitor)
    if (!(yield* (yield* Passkeys).hasAny(person.id))) return yield* new Refused({ status: 409, message: NO_PASSKEY })
    return { ...(yield* requestOptions(party, { id, personId: person.id })) }
  }),
  fresh: Effect.fnUntraced(function*({ payload: { credential } }, visitor) {
    if (credential !== undefined) yield* confirm(visitor, credential)
    // An emulator has nothing to protect, and its users come by links.
    else if (!(yield* Config).emulator || (yield* (yield* Passkeys).hasAny(visitor.person.id))) {
      return yield* new Refused({ status: 409, message: NO_PASSKEY })
    }
    return yield* withToken(yield* refresh(visitor.session))
  })
}
