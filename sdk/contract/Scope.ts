/** What a key may do, and which endpoint asks for which scope. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

/** Widest first: each scope implies those after it. */
export const SCOPES = ["vps:create", "vps:write", "vps:read"] as const

export const Scope = Schema.Literals(SCOPES)
export type Scope = typeof Scope.Type

/** Everything the granted scopes allow, narrowest last: `vps:create` implies `vps:write`, that implies `vps:read`. */
export const effectiveScopes = (granted: ReadonlyArray<Scope>): ReadonlyArray<Scope> => {
  const widest = SCOPES.findIndex((scope) => granted.includes(scope))
  return widest === -1 ? [] : SCOPES.slice(widest)
}

/** The scope an endpoint requires; `undefined` (the default) asks for a valid key only. */
export const RequiredScope = Context.Reference<Scope | undefined>("pulumi-vps/contract/RequiredScope", {
  defaultValue: () => undefined
})
