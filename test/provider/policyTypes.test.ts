import { assert, describe, it } from "vitest"
import * as dynamic from "#provider/index"
import * as plugin from "#provider/pulumi"
import { RESOURCES } from "../../.config/providerTexts.ts"

/** The field that `validateResourceOfType` of `@pulumi/policy` reads. */
const typeOf = (entry: object, name: string): unknown =>
  ((entry as Record<string, unknown>)[name] as { __pulumiType?: string }).__pulumiType

describe("policy packs know every resource by its class", () => {
  it.each(RESOURCES.map(({ name }) => name))("%s", (name) => {
    assert.strictEqual(typeOf(plugin, name), `vps:index:${name}`)
    assert.strictEqual(typeOf(dynamic, name), `pulumi-nodejs:dynamic/vps:${name}`)
  })
})
