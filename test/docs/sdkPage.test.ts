/** sdk/api.md is what the contract and the client's sources say. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { groups } from "../../.config/sdkSource.ts"
import { PAGE, page } from "../../.config/sdkPage.ts"
import { operations } from "#sdk/client/calls/Operations"
import { Vps } from "#sdk/index"

describe("sdk/api.md", () => {
  it("is current (npm run sdk:page makes it)", () => {
    expect(readFileSync(PAGE, "utf8")).toBe(page())
  })

  it("has every call that the client has, and no other", () => {
    const vps = new Vps({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9/api/v1" })
    const real = Object.entries(vps).flatMap(([group, calls]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(calls)).filter((name) => name !== "constructor")
        .map((name) => `${group}.${name}`)
    )
    const described = groups().flatMap(({ calls, name }) => calls.map((call) => `${name}.${call.name}`))
    expect(described.toSorted()).toEqual(real.toSorted())
  })

  it("says of every operation what it sends", () => {
    const text = page()
    for (const { method, path } of Object.values(operations)) {
      expect(text).toContain(`\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
    }
  })
})
