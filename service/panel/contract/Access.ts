/** The role that a call of the panel needs, as an annotation of endpoints or groups; see also `Freshness.ts`. */
import * as Context from "effect/Context"

/**
 * `public`: without a session. `person`: any person, for what is their own. `account`: members of the account in the
 * path. `operator`: operators.
 */
export type Access = "public" | "person" | "account" | "operator"

export const RequiredAccess = Context.Reference<Access>("@pulumi-vps/service/panel/RequiredAccess", {
  defaultValue: () => "person"
})
