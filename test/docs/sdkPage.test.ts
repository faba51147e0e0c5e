/** docs/sdk-reference.md is generated from the contract and the client's sources. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { groups } from "../../.config/sdkSource.ts"
import { PAGE, page, wire } from "../../.config/sdkPage.ts"
import { GROUPS, interfaces, RECORDS, records } from "../../.config/sdkTypes.ts"
import { operations } from "../support/operations.ts"
import { Vps } from "#sdk/index"

describe("docs/sdk-reference.md", () => {
  it("is current (npm run sdk:page makes it)", () => {
    expect(readFileSync(PAGE, "utf8")).toBe(page())
  })

  it.each([[RECORDS, records], [GROUPS, interfaces]])("%s is current (npm run sdk:types makes it)", (path, make) => {
    expect(readFileSync(path, "utf8")).toBe(make())
  })

  it("has every call of the client, and no other", () => {
    const vps = new Vps({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9/api/v1" })
    const real = Object.entries(vps).flatMap(([group, calls]) =>
      (group === "tasks" ? ["iterate"] : Object.keys(calls as object)).map((name) => `${group}.${name}`)
    )
    const described = groups().flatMap(({ calls, name }) => calls.map((call) => `${name}.${call.name}`))
    expect(described.toSorted()).toEqual(real.toSorted())
  })

  it("has the request of every operation", () => {
    const text = page()
    for (const operation of Object.values(operations)) expect(text).toContain(`\`${wire(operation)}\``)
  })
})
