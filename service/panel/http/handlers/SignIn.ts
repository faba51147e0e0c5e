/** Signing in by link, by passkey, or by a link that is mailed; the session, its confirmation, and its end. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Config } from "../../../config/Config.ts"
import { Limits } from "../../../config/Limits.ts"
import { VERSION } from "@pulumi-vps/contract/Version"
import { toTimestamp } from "../../../domain/Timestamp.ts"
import type { InvitationToAccount } from "../../../persistence/people/Invitations.ts"
import { Passkeys } from "../../../persistence/people/Passkeys.ts"
import { People } from "../../../persistence/people/People.ts"
import { Driver } from "../../../provisioning/Driver.ts"
import type { CurrentSession, OpenInvitation } from "../../contract/Session.ts"
import { acceptByToken, declineByToken, findInvitation, invitationsOf } from "../../../people/Invite.ts"
import {
  endPrevious,
  freshUntil,
  identify,
  refresh,
  type SignedIn,
  signInByLink,
  signInByPasskey,
  signOut
} from "../../../people/SignIn.ts"
import { withoutSession, withSession } from "../Cookie.ts"
import { mailLink } from "../../../people/Links.ts"
import { requestOptions, type Returned, verifyUse } from "../../../people/PasskeyUse.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { Branding } from "../../../branding/Branding.ts"
import { partyOf, Refused, type Visit, type Visitor } from "../Visitor.ts"

const openInvitation = (invitation: InvitationToAccount): OpenInvitation => ({
  id: invitation.id,
  account: invitation.account ?? null,
  role: invitation.role,
  permission: invitation.permission,
  invited_by: invitation.invitedBy,
  expires_at: toTimestamp(invitation.expiresAt)
})

const DAY_MILLIS = 24 * 3_600_000

const describe = Effect.fnUntraced(function*({ person, session }: SignedIn) {
  const accounts = yield* (yield* People).accountsOf(person.id)
  const { id, email, name, role } = person
  return {
    person: { id, name, email, role },
    accounts: accounts.map((account) => ({
      id: account.id,
      name: account.name,
      email: account.email,
      currency: account.currency,
      permission: account.permission,
      frozen: account.frozenReason
    })),
    invitations: (yield* invitationsOf(person)).map(openInvitation),
    fresh_until: toTimestamp(yield* freshUntil(session)),
    emulator: (yield* Config).emulator,
    passkeys: yield* (yield* Passkeys).hasAny(id),
    capabilities: { console: (yield* Driver).console !== undefined },
    grace_days: (yield* Limits).EXPIRY_GRACE_MILLIS / DAY_MILLIS,
    currency: accounts[0]?.currency ?? null,
    version: role === "operator" ? VERSION : null
  } satisfies CurrentSession
})

/** The response to a browser that has a new token. */
const withToken = Effect.fnUntraced(function*(token: string) {
  const signedIn = yield* identify(token)
  if (signedIn === undefined) return yield* Effect.die(new Error("a session that just began is missing"))
  const { SESSION_MILLIS } = yield* Limits
  return withSession(HttpServerResponse.jsonUnsafe(yield* describe(signedIn)), token, SESSION_MILLIS)
})

/** Ends the session with which the browser came, and returns the new one. */
const welcome = Effect.fnUntraced(function*(visit: Visit, token: string) {
  yield* endPrevious(visit.token)
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
    return { mail: (yield* Config).smtpUrl !== "", branding: (yield* Branding).shown }
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
