/** The scopes of API keys, and the scope that each endpoint requires. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

/** Widest first: each scope implies those after it. */
export const SCOPES = ["vps:create", "vps:write", "vps:read"] as const

export const Scope = Schema.Literals(SCOPES)
export type Scope = typeof Scope.Type

/** The granted and implied scopes, narrowest last: `vps:create` implies `vps:write`, which implies `vps:read`. */
export const effectiveScopes = (granted: ReadonlyArray<Scope>): ReadonlyArray<Scope> => {
  const widest = SCOPES.findIndex((scope) => granted.includes(scope))
  return widest === -1 ? [] : SCOPES.slice(widest)
}

/** The scope an endpoint requires; with `undefined`, the default, any valid key is sufficient. */
export const RequiredScope = Context.Reference<Scope | undefined>("@pulumi-vps/contract/RequiredScope", {
  defaultValue: () => undefined
})
