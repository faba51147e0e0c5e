import { describe, expect, it } from "vitest"
import * as dynamic from "#provider/index"
import * as plugin from "#provider/pulumi"
import { RESOURCES } from "../../.config/providerTexts.ts"

/** The field that `validateResourceOfType` of `@pulumi/policy` reads. */
const typeOf = (entry: object, name: string): unknown =>
  ((entry as Record<string, unknown>)[name] as { __pulumiType?: string }).__pulumiType

describe("policy packs know every resource by its class", () => {
  it.each(RESOURCES.map(({ name }) => name))("%s", (name) => {
    expect(typeOf(plugin, name)).toBe(`vps:index:${name}`)
    expect(typeOf(dynamic, name)).toBe(`pulumi-nodejs:dynamic/vps:${name}`)
  })
})
