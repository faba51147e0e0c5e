/** Scopes (spec): each allows what the narrower ones allow, and nothing is allowed that was not granted. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import { effectiveScopes, RequiredScope, type Scope, SCOPES } from "#contract/Scope"

describe("a key that was granted", () => {
  it.each<readonly [ReadonlyArray<Scope>, ReadonlyArray<string>]>([
    [[], []],
    [["vps:read"], ["vps:read"]],
    [["vps:write"], ["vps:write", "vps:read"]],
    [["vps:create"], ["vps:create", "vps:write", "vps:read"]],
    [["vps:read", "vps:write"], ["vps:write", "vps:read"]],
    [["vps:read", "vps:create"], ["vps:create", "vps:write", "vps:read"]]
  ])("%j may do %j", (granted, effective) => {
    assert.deepStrictEqual(effectiveScopes(granted), effective)
  })

  it("requires no scope if an endpoint names none", () => {
    assert.isUndefined(Context.get(Context.empty(), RequiredScope))
  })

  it("one of the three that there are: create, write, read", () => {
    assert.deepStrictEqual([...SCOPES], ["vps:create", "vps:write", "vps:read"])
  })
})
