import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"
import { INSTANCE_TEXT, REVERSE_DNS_TEXT } from "#provider/dynamic/ProviderText"
import { instance, reverseDns } from "#provider/runtime"

const published = (resource: string) =>
  `exports.handler=()=>{const c=n=>async(...a)=>(await import("pulumi-vps/provider/runtime")).${resource}[n](...a);`
  + "return Object.fromEntries([\"configure\",\"check\",\"diff\",\"create\",\"read\",\"update\",\"delete\"]"
  + ".map(n=>[n,c(n)]))};"

describe("the provider text that states hold", () => {
  it("is never edited: states of every published version run the text they were written with", () => {
    expect(INSTANCE_TEXT).toBe(published("instance"))
    expect(REVERSE_DNS_TEXT).toBe(published("reverseDns"))
  })
  it.each(Object.entries({ instance, reverseDns }))("the runtime goes on serving %s to it", (resource, served) => {
    const requireFromString = createRequire(import.meta.url)("require-from-string") as (text: string) => {
      handler: () => Record<string, unknown>
    }
    const methods = Object.keys(requireFromString(published(resource)).handler())
    expect(methods).toEqual(["configure", "check", "diff", "create", "read", "update", "delete"])
    for (const method of methods) expect(served).toHaveProperty(method, expect.any(Function))
  })
  it("is small: the engine stores it twice per resource", () => {
    expect(Math.max(INSTANCE_TEXT.length, REVERSE_DNS_TEXT.length)).toBeLessThan(250)
  })
})
