/** The current session as pages see it, and the cookie that carries it. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Config } from "../../../config/Config.ts"
import { Limits } from "../../../config/Limits.ts"
import { toTimestamp } from "../../../domain/Calendar.ts"
import type { InvitationToAccount } from "../../../persistence/people/Invitations.ts"
import { Passkeys } from "../../../persistence/people/Passkeys.ts"
import { People } from "../../../persistence/people/People.ts"
import { Driver } from "../../../provisioning/Driver.ts"
import type { CurrentSession, OpenInvitation } from "../../contract/Session.ts"
import { invitationsOf } from "../../../people/Invite.ts"
import { freshUntil, identify, type SignedIn } from "../../../people/SignIn.ts"
import { withSession } from "../Cookie.ts"

export const openInvitation = (invitation: InvitationToAccount): OpenInvitation => ({
  id: invitation.id,
  account: invitation.account ?? null,
  role: invitation.role,
  invited_by: invitation.invitedBy,
  expires_at: toTimestamp(invitation.expiresAt)
})

export const describe = Effect.fnUntraced(function*({ person, session }: SignedIn) {
  const accounts = yield* (yield* People).accountsOf(person.id)
  const { id, email, name, role } = person
  return {
    person: { id, name, email, role },
    accounts: accounts.map((account) => ({ id: account.id, name: account.email, currency: account.currency })),
    invitations: (yield* invitationsOf(person)).map(openInvitation),
    fresh_until: toTimestamp(yield* freshUntil(session)),
    emulator: (yield* Config).emulator,
    passkeys: yield* (yield* Passkeys).hasAny(id),
    capabilities: { console: (yield* Driver).console !== undefined },
    currency: accounts[0]?.currency ?? null
  } satisfies CurrentSession
})

/** The response to a browser that has a new token. */
export const withToken = Effect.fnUntraced(function*(token: string) {
  const signedIn = yield* identify(token)
  if (signedIn === undefined) return yield* Effect.die(new Error("a session that just began is missing"))
  const { SESSION_MILLIS } = yield* Limits
  return withSession(HttpServerResponse.jsonUnsafe(yield* describe(signedIn)), token, SESSION_MILLIS)
})
