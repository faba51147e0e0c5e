/** The facts about an endpoint that its schemas do not say, as annotations: all others read them from here. */
import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import { RequiredScope, type Scope } from "./Scope.ts"

/**
 * When a client may send a request again whose response was lost, or was an error:
 * - `read`: it changes nothing, so always
 * - `purchase`: it costs money, and its idempotency key makes it repeatable
 * - `mutation`: only if the service did not do it
 * - `idempotent`: a second request changes nothing more
 * - `once`: a second request would make a second password, system or snapshot, or lose what was written since
 */
export type RetryClass = "read" | "purchase" | "mutation" | "idempotent" | "once"

export const Retry = Context.Reference<RetryClass>("@pulumi-vps/contract/Retry", { defaultValue: () => "once" })

/**
 * The sign-in that the panel requires for the endpoint; a request with an API key has none. `fresh`: of the last
 * minutes, for what changes money or access, or replaces what is on a disk. `unless_dry_run`: fresh, except for a
 * preview. `any`: any session.
 */
export type SignIn = "fresh" | "any" | "unless_dry_run"

export const RequiredSignIn = Context.Reference<SignIn>("@pulumi-vps/contract/RequiredSignIn", {
  defaultValue: () => "fresh"
})

/** The annotations of an endpoint. Without a scope, any valid key is sufficient. */
export const operation = (
  { retry, scope, signIn }: { readonly scope?: Scope; readonly retry: RetryClass; readonly signIn: SignIn },
  summary: string
) =>
  Context.make(RequiredScope, scope).pipe(
    Context.add(Retry, retry),
    Context.add(RequiredSignIn, signIn),
    Context.add(OpenApi.Summary, summary)
  )
