/** docs/sdk-reference.md and docs/sdk are generated from the contract and the client's sources. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { groups, wire } from "../../.config/sdkSource.ts"
import { DOCS, pages } from "../../.config/sdkPage.ts"
import { GROUPS, interfaces, RECORDS, records } from "../../.config/sdkTypes.ts"
import { operations } from "../support/operations.ts"
import { Vps } from "#sdk/index"

/** The methods of a group that is a class. */
const methodsOf = (calls: object): ReadonlyArray<string> => {
  const shape: object = Object.getPrototypeOf(calls)
  return shape === Object.prototype ? [] : Object.getOwnPropertyNames(shape).filter((name) => name !== "constructor")
}

describe("docs/sdk-reference.md", () => {
  it.each([...pages()])("%s is current (npm run sdk:page makes it)", (path, text) => {
    assert.strictEqual(readFileSync(DOCS + path, "utf8"), text)
  })

  it("docs/sdk has no other page", () => {
    const names = readdirSync(`${DOCS}sdk`).map((name) => `sdk/${name}`)
    assert.deepStrictEqual(names.toSorted(), [...pages().keys()].filter((path) => path.startsWith("sdk/")).toSorted())
  })

  it("every type has a name and a description", () => {
    const text = pages().get("sdk/types.md")!
    const types = [...text.matchAll(/^## (\w+)\n\n(.*)/gm)]
    assert.isAbove(types.length, 40)
    assert.deepStrictEqual(
      types.filter(([, , description]) => !/^[A-Z].*\.$/.test(description!)).map(([, name]) => name),
      []
    )
    // An inlined record has braces.
    assert.notMatch(readFileSync(RECORDS, "utf8"), /: .*\{/)
    assert.notMatch(readFileSync(GROUPS, "utf8"), /^ {2}readonly \w+: .*\{/m)
  })

  it.each([[RECORDS, records], [GROUPS, interfaces]])("%s is current (npm run sdk:types makes it)", (path, make) => {
    assert.strictEqual(readFileSync(path, "utf8"), make())
  })

  it("has every call of the client, and no other", () => {
    const vps = new Vps({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9/api/v1" })
    const real = Object.entries(vps).flatMap(([group, calls]) =>
      [...Object.keys(calls as object), ...methodsOf(calls as object)].map((name) => `${group}.${name}`)
    )
    const described = groups().flatMap(({ calls, name }) => calls.map((call) => `${name}.${call.name}`))
    assert.deepStrictEqual(described.toSorted(), real.toSorted())
  })

  it("has the request of every operation", () => {
    const text = [...pages().values()].join("")
    for (const operation of Object.values(operations)) assert.include(text, `\`${wire(operation)}\``)
  })
})
