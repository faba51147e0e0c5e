import { assert, describe, it } from "vitest"
import { nameOf } from "#provider/definition/Properties"

describe("the name in a URN", () => {
  it.each<[string, string]>([
    ["urn:pulumi:prod::shop::vps:index:Instance::web", "web"],
    ["urn:pulumi:prod::shop::my:component:Site$vps:index:Instance::web", "web"],
    // Cut out at the last colons, it would be "1", as that of any other resource with this end.
    ["urn:pulumi:prod::shop::vps:index:Instance::web::1", "web::1"],
    ["urn:terraform::vps::vps_instance::web::1", "web::1"]
  ])("%s is %s", (urn, name) => assert.strictEqual(nameOf(urn), name))
  it("is unnamed without one", () => assert.strictEqual(nameOf(undefined), "(unnamed)"))
})
