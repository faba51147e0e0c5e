/** The host's name, logo, color and links as settings: what is accepted, and why the rest is refused. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readConfigFile } from "#service/config/ConfigFile"
import { BLACK, colorOf, contrast, mix, toText, WHITE } from "#service/config/Colors"
import { resolve } from "#service/config/Resolve"
import { InvalidSetting } from "#service/config/Setting"
import { temporaryFolder } from "../support/temporary.ts"

describe("the host's identity", () => {
  it.each([
    ["--brand-name", "Nordwind Hosting GmbH & Co. KG"],
    ["--brand-name", "雲".repeat(40)],
    ["--brand-color", "#00695c"],
    ["--support-url", "https://support.example.com/new?from=panel"],
    ["--support-url", "mailto:support@example.com?subject=Help"],
    ["--privacy-url", "https://example.com/privacy"]
  ])("%s may be %s", (flag, value) => {
    assert.include(Object.values(resolve([flag, value], {})), value)
  })

  it.each([
    ["--brand-name", "x".repeat(41), /--brand-name should be one line .*\(text of at most 40 characters\); got "x+"/],
    ["--brand-name", " padded", /without spaces around it/],
    ["--brand-name", "two\nlines", /should be one line/],
    ["--brand-name", "gnp.\u202Eexe", /without control characters/],
    ["--brand-color", "red", /--brand-color should be a color like "#3451d1".*; got "red"/],
    ["--brand-color", "#fff", /should be a color like/],
    ["--support-url", "support@example.com", /https:\/\/example.com\/contact or mailto:support@example.com \(URL\)/],
    ["--support-url", "javascript:alert(1)", /--support-url should be an address/],
    ["--support-url", "mailto:two words@example.com", /--support-url should be an address/],
    ["--imprint-url", "mailto:imprint@example.com", /--imprint-url should be an address like https/],
    ["--terms-url", "http://example.com/terms", /--terms-url should be an address like https/],
    ["--privacy-url", "https://", /--privacy-url should be an address like https/]
  ])("%s may not be %j", (flag, value, message) => {
    assert.throws(() => resolve([flag, value], {}), InvalidSetting, message)
  })

  it("a color on which white text cannot be read is refused, with its contrast and a darker one", () => {
    const refused = () => resolve([], { VPS_SERVICE_BRAND_COLOR: "#ffcc00" })
    assert.throws(
      refused,
      InvalidSetting,
      /^VPS_SERVICE_BRAND_COLOR is too light .* #ffcc00 with white is 1\.5, and 4\.5/
    )
    const darker = /like (#\w{6})\.$/.exec((() => {
      try {
        return String(refused())
      } catch (cause) {
        return (cause as InvalidSetting).message
      }
    })())![1]!
    assert.isAtLeast(contrast(colorOf(darker), WHITE), 4.5)
    assert.strictEqual(resolve(["--brand-color", darker.toUpperCase()], {}).brandColor, darker)
  })

  it("has contrasts as WCAG computes them", () => {
    assert.strictEqual(contrast(BLACK, WHITE), 21)
    assert.closeTo(contrast(colorOf("#767676"), WHITE), 4.54, 0.01)
    assert.strictEqual(toText(mix(BLACK, WHITE, 0.5)), "#808080")
  })

  it.live("in a config file, the logo's path is relative to the file, and a color without quotes is a comment", () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const path = join(folder, "service.yaml")
      const read = (text: string) => {
        writeFileSync(path, text)
        return Effect.promise(() => readConfigFile(path).catch((cause: unknown) => cause))
      }
      const texts = yield* read("brand-logo: logo.svg\nbrand-color: \"#00695c\"\n")
      assert.deepInclude(texts as object, {
        VPS_SERVICE_BRAND_LOGO: { text: join(folder, "logo.svg"), source: `${path}:1: brand-logo` }
      })
      const refused = yield* read("brand-color: #00695c\n")
      assert.match(
        String(refused),
        /:1: brand-color should be a color like "#3451d1", with the quotes in a config file/
      )
    })))
})
