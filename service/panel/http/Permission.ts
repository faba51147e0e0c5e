/** Decides whether a person may make a call: by role and membership, and by how fresh the sign-in is. */
import * as Effect from "effect/Effect"
import { People } from "../../persistence/people/People.ts"
import { FRESH_SIGN_IN, type Freshness } from "../contract/Freshness.ts"
import { freshUntil, identify, type SignedIn } from "../../people/SignIn.ts"
import { signInTime } from "../../people/Links.ts"
import { Refused, type Visit } from "./Visitor.ts"
import type { Found } from "./Handlers.ts"

const signInFirst = new Refused({ status: 401, message: "Sign in first." })

/** Also for an account of other people. */
const noAccount = new Refused({ status: 404, message: "Account not found." })

const operatorsOnly = new Refused({ status: 403, message: "Only operators may do that." })

const notFresh = new Refused({
  status: 403,
  message: "This needs a sign-in of the last minutes. Confirm that it is you, then try again.",
  reason: FRESH_SIGN_IN
})

const ID = /^[1-9]\d{0,14}$/

/** The account of a path; undefined for other paths. */
export const accountIn = ({ params: { account } }: Found): number | undefined =>
  account !== undefined && ID.test(account) ? Number(account) : undefined

const checkRole = Effect.fnUntraced(function*(found: Found, { person }: SignedIn) {
  const { access } = found.route
  if (access === "operator" && person.role !== "operator") return yield* operatorsOnly
  if (access !== "account") return
  const accountId = accountIn(found)
  if (accountId === undefined || !(yield* (yield* People).isMember(person.id, accountId))) return yield* noAccount
})

/** Fails with `Refused` unless the sign-in is one of the last minutes. */
export const assertFresh = Effect.fnUntraced(function*({ session }: Pick<SignedIn, "session">) {
  if ((yield* freshUntil(session)) <= (yield* signInTime)) return yield* notFresh
})

/** True if a call needs a fresh sign-in before it is executed; a command of operators checks that itself. */
export const needsFresh = (freshness: Freshness, query: unknown): boolean =>
  freshness === "fresh"
  || freshness === "unless_dry_run" && (query as { readonly dry_run?: boolean } | undefined)?.dry_run !== true

/** The person behind a visit, if they may make the call; undefined for a public one. Fails with `Refused`. */
export const admit = Effect.fnUntraced(function*(found: Found, { token }: Visit) {
  if (found.route.access === "public") return undefined
  const signedIn = token === undefined ? undefined : yield* identify(token)
  if (signedIn === undefined) return yield* signInFirst
  yield* checkRole(found, signedIn)
  return signedIn
})
