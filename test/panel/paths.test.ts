/** Every screen is among the addresses that the browser tests and the screenshots visit. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { CUSTOMER_PATHS, OPERATOR_PATHS } from "../../.config/panelPaths.ts"

const SCREENS = fileURLToPath(new URL("../../service/panel/web/shell/Screens.tsx", import.meta.url))

/** Browsers load the screens one by one, so that the addresses are read from the source. */
const found = [...readFileSync(SCREENS, "utf8").matchAll(/"(\/panel[^"]*)"/g)]
const addresses = [...new Set(found.map(([, path = ""]) => path))]

/** `:tab?` is a part that may be missing, and `:id` one that exists. */
const patternOf = (address: string): RegExp =>
  new RegExp(`^${address.replaceAll(/\/:\w+\?/g, "(?:/[^/?]+)?").replaceAll(/:\w+/g, "[^/?]+")}(?:\\?|$)`)

describe("the panel's addresses for tests", () => {
  it.each(addresses)("include the screen %s", (address) => {
    assert.isTrue([...CUSTOMER_PATHS, ...OPERATOR_PATHS].some((path) => patternOf(address).test(path)))
  })
  it("are read from the source", () => assert.isAbove(addresses.length, 15))
})
