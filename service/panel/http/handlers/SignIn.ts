/** Signing in: by link, by passkey, or by a link that is mailed. */
import * as Effect from "effect/Effect"
import { Config } from "../../../config/Config.ts"
import { People } from "../../../persistence/people/People.ts"
import { Sessions } from "../../../persistence/people/Sessions.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { acceptByToken, declineByToken, findInvitation } from "../../../people/Invite.ts"
import { mailLink } from "../../../people/Links.ts"
import { requestOptions, verifyUse } from "../../../people/PasskeyUse.ts"
import { signInByLink, signInByPasskey } from "../../../people/SignIn.ts"
import { digestOf } from "../../../people/Tokens.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { partyOf } from "../PartyOf.ts"
import { Refused } from "../Refused.ts"
import type { Visit } from "../Visitor.ts"
import { openInvitation, withToken } from "./Describe.ts"

/** Ends the session with which the browser came, and returns the new one. */
const welcome = Effect.fnUntraced(function*(visit: Visit, token: string) {
  const sessions = yield* Sessions
  const old = visit.token === undefined ? undefined : yield* sessions.find(digestOf(visit.token))
  if (old !== undefined) yield* (yield* Transaction).run(sessions.end(old.id, old.personId))
  return yield* withToken(token)
})

const INVALID_LINK = "This link is not valid: it was used, replaced by a newer one, or is older than a day. "
  + "Sign in with your passkey, or request a new link."

const INVALID_PASSKEY = "This passkey is not accepted: it is not known here, or the request was too old. "
  + "Try again, or request a link."

const INVALID_INVITATION = "This invitation is not valid: it was used, withdrawn, replaced by a newer one, or is older "
  + "than a week. Ask for a new one, or sign in if you have accepted it."

export const signIn: PanelHandlers<"sign_in", Visit> = {
  link: Effect.fnUntraced(function*({ payload: { token } }, visit) {
    const begun = yield* signInByLink(token, visit)
    if (begun === undefined) return yield* new Refused({ status: 403, message: INVALID_LINK })
    return yield* welcome(visit, begun)
  }),
  passkey_options: Effect.fnUntraced(function*(_, visit) {
    return { ...(yield* requestOptions(yield* partyOf(visit))) }
  }),
  passkey: Effect.fnUntraced(function*({ payload: { credential } }, visit) {
    const person = yield* verifyUse(yield* partyOf(visit), null, credential)
    if (person === undefined) return yield* new Refused({ status: 403, message: INVALID_PASSKEY })
    return yield* welcome(visit, yield* signInByPasskey({ ...visit, person }))
  }),
  options: Effect.fnUntraced(function*() {
    return { mail: (yield* Config).smtpUrl !== "" }
  }),
  invitation: Effect.fnUntraced(function*({ payload: { token } }) {
    const invitation = yield* findInvitation(token)
    if (invitation === undefined) return yield* new Refused({ status: 403, message: INVALID_INVITATION })
    const person = yield* (yield* People).findByEmail(invitation.email)
    return { ...openInvitation(invitation), email: invitation.email, is_new: person === undefined }
  }),
  accept_invitation: Effect.fnUntraced(function*({ payload: { name, token } }, visit) {
    const begun = yield* acceptByToken(token, name, visit)
    if (begun === undefined) return yield* new Refused({ status: 403, message: INVALID_INVITATION })
    return yield* welcome(visit, begun)
  }),
  decline_invitation: Effect.fnUntraced(function*({ payload: { token } }, visit) {
    if (yield* declineByToken(token, visit)) return { ok: true as const }
    return yield* new Refused({ status: 403, message: INVALID_INVITATION })
  }),
  mail: Effect.fnUntraced(function*({ payload: { email } }) {
    if ((yield* Config).smtpUrl === "") {
      return yield* new Refused({ status: 409, message: "This service sends no mail. Ask its operator for a link." })
    }
    yield* mailLink(email)
    return { ok: true as const }
  })
}
