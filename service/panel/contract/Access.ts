/** The access that a call of the panel needs, as annotations of endpoints or groups. */
import * as Context from "effect/Context"

/**
 * `public`: without a session. `person`: any person, for what is their own. `account`: members of the account in the
 * path. `operator`: operators.
 */
export type Access = "public" | "person" | "account" | "operator"

export const RequiredAccess = Context.Reference<Access>("pulumi-vps/panel/RequiredAccess", {
  defaultValue: () => "person"
})

/** True if the call needs a sign-in of the last minutes. */
export const RequiresFresh = Context.Reference<boolean>("pulumi-vps/panel/RequiresFresh", {
  defaultValue: () => false
})

/** The reason of a 403 that ends with a fresh sign-in. */
export const FRESH_SIGN_IN = "fresh_sign_in"
