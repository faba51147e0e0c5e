/**
 * Decides whether a person may make a call: by role, by membership and its permission, and by how fresh the sign-in is.
 */
import * as Effect from "effect/Effect"
import { People } from "../../persistence/people/People.ts"
import type { Permission } from "../../contract/Words.ts"
import { FRESH_SIGN_IN } from "../contract/Freshness.ts"
import { READ_ONLY } from "../contract/Permissions.ts"
import { freshUntil, identify, type SignedIn } from "../../people/SignIn.ts"
import { signInTime } from "../../people/Links.ts"
import { Refused, type Visit } from "./Visitor.ts"
import type { Found, PanelRoute } from "./Handlers.ts"

const signInFirst = new Refused({ status: 401, message: "Sign in first." })

/** Also for an account of other people. */
const noAccount = new Refused({ status: 404, message: "Account not found." })

const operatorsOnly = new Refused({ status: 403, message: "Only operators may do that." })

const notFresh = new Refused({
  status: 403,
  message: "This needs a sign-in of the last minutes. Confirm that it is you, then try again.",
  reason: FRESH_SIGN_IN
})

const readOnly = new Refused({
  status: 403,
  message: "You can see this account, but not change it. Ask a member with full access.",
  reason: READ_ONLY
})

const ID = /^[1-9]\d{0,14}$/

/** The account of a path; undefined for other paths. */
export const accountIn = ({ params: { account } }: Found): number | undefined =>
  account !== undefined && ID.test(account) ? Number(account) : undefined

const checkRole = Effect.fnUntraced(function*(found: Found, { person }: SignedIn) {
  const { access } = found.route
  if (access === "operator" && person.role !== "operator") return yield* operatorsOnly
  if (access !== "account") return undefined
  const accountId = accountIn(found)
  const permission = accountId === undefined ? undefined : yield* (yield* People).permissionOf(person.id, accountId)
  return permission ?? (yield* noAccount)
})

/** Fails with `Refused` unless the sign-in is one of the last minutes. */
export const assertFresh = Effect.fnUntraced(function*({ session }: Pick<SignedIn, "session">) {
  if ((yield* freshUntil(session)) <= (yield* signInTime)) return yield* notFresh
})

const isPreview = (query: unknown): boolean => (query as { readonly dry_run?: boolean } | undefined)?.dry_run === true

/**
 * Checks before a call is executed with a decoded query: a member who may only read is not prompted for a sign-in that
 * would not help. A command of operators checks the sign-in itself. Fails with `Refused`.
 */
export const assertMay = Effect.fnUntraced(function*(
  { freshness, permission: needed }: PanelRoute,
  query: unknown,
  by: Partial<Admitted>
) {
  const changes = needed === "full" || needed === "unless_dry_run" && !isPreview(query)
  if (changes && by.permission === "read") return yield* readOnly
  // Every call that needs it has a session: `admit` has admitted it.
  if (freshness === "fresh" || freshness === "unless_dry_run" && !isPreview(query)) yield* assertFresh(by as Admitted)
})

/** A person who may make the call, and their permission in the account of its path; undefined without one. */
export interface Admitted extends SignedIn {
  readonly permission: Permission | undefined
}

/** The person behind a visit, if they may make the call; undefined for a public one. Fails with `Refused`. */
export const admit = Effect.fnUntraced(function*(found: Found, { token }: Visit) {
  if (found.route.access === "public") return undefined
  const signedIn = token === undefined ? undefined : yield* identify(token)
  if (signedIn === undefined) return yield* signInFirst
  return { ...signedIn, permission: yield* checkRole(found, signedIn) } satisfies Admitted
})
