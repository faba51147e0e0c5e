/** The host's branding in the panel: the page, the logo, the colors, and what the sign-in offers. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { colorOf, contrast, READABLE, WHITE } from "#service/config/Colors"
import { resolve } from "#service/config/Resolve"
import { make } from "#service/branding/Branding"
import { withBranding } from "#service/panel/http/IndexPage"
import { stylesheetOf } from "#service/branding/Palette"
import { receive, startApp } from "../support/app.ts"
import { brandFlags, LINKS, LOGO, NAME, PNG } from "../support/brand.ts"
import { PanelBrowser, signInAs } from "../support/panel.ts"
import { temporaryFolder } from "../support/temporary.ts"

const INDEX = `<html>
  <head>
    <title>Panel</title>
    <link rel="icon" href="/panel/assets/icon.AAAAAAAA.svg">
    <link rel="stylesheet" href="/panel/assets/styles.AAAAAAAA.css">
  </head>
</html>
`

/** The branding of a file as the logo. */
const withLogo = Effect.fnUntraced(function*(content: string | Buffer) {
  const path = join(yield* temporaryFolder, "logo")
  writeFileSync(path, content)
  return yield* make(resolve([`--brand-logo=${path}`], {}))
}, Effect.scoped)

describe("the host's branding", () => {
  it.live("is in the page from the start, and in the options of the sign-in", () =>
    Effect.scoped(Effect.gen(function*() {
      const flags = brandFlags(yield* temporaryFolder)
      const branding = yield* make(resolve(flags, {}))
      const page = withBranding(INDEX, branding)
      assert.include(page, "<title>Nordwind &amp; Söhne</title>")
      assert.match(page, /rel="icon" href="\/panel\/assets\/logo\.[A-F\d]{8}\.svg"/)
      assert.match(page, /styles\.AAAAAAAA\.css">[^]*href="\/panel\/assets\/brand\.[A-F\d]{8}\.css">\n {2}<\/head>/)
      const app = yield* startApp(flags)
      const { body } = yield* new PanelBrowser(app.origin).call({ path: "/sign-in/options" })
      assert.deepStrictEqual(body, { mail: false, branding: { name: NAME, logo: branding.shown.logo, ...LINKS } })
      const [, content = ""] = /<meta name="branding" content="([^"]*)">/.exec(page) ?? []
      const text = content.replaceAll("&quot;", "\"").replaceAll("&amp;", "&")
      assert.deepStrictEqual(JSON.parse(text), body.branding)
      const local = { ...app, origin: app.origin.replace("127.0.0.1", "localhost") }
      const passkey = yield* (yield* signInAs(local, "customer")).call({ method: "POST", path: "/me/passkeys/options" })
      assert.deepStrictEqual(passkey.body.rp, { id: "localhost", name: NAME })
      const docs = yield* receive(app, "/docs")
      assert.include(docs.body.toString(), "<title>VPS instance management at Nordwind &amp; Söhne</title>")
    })))

  it.live("changes nothing when nothing is set, and a name cannot become markup", () =>
    Effect.gen(function*() {
      assert.strictEqual(withBranding(INDEX, yield* make(resolve([], {}))), INDEX)
      const page = withBranding(INDEX, yield* make(resolve(["--brand-name", "\"><script>$&</title>"], {})))
      assert.notInclude(page, "<script>")
      assert.include(page, "<title>&quot;&gt;&lt;script&gt;$&amp;&lt;/title&gt;</title>")
    }))

  it.live("has a logo and colors that browsers cache; an SVG runs no code as a page", () =>
    Effect.scoped(Effect.gen(function*() {
      const flags = brandFlags(yield* temporaryFolder)
      const { logo, stylesheet } = yield* make(resolve(flags, {}))
      const app = yield* startApp(flags)
      const picture = yield* receive(app, `/panel/assets/${logo!.name}`, { "accept-encoding": "gzip, br" })
      assert.strictEqual(picture.body.toString(), LOGO)
      assert.strictEqual(picture.headers["content-type"], "image/svg+xml")
      assert.isUndefined(picture.headers["content-encoding"])
      assert.match(String(picture.headers["content-security-policy"]), /^default-src 'none'; .*sandbox/)
      assert.strictEqual(picture.headers["x-content-type-options"], "nosniff")
      const css = yield* receive(app, `/panel/assets/${stylesheet!.name}`)
      assert.include(css.body.toString(), "--accent-fill")
      assert.include(css.headers["cache-control"], "immutable")
      assert.strictEqual((yield* receive(app, "/panel/assets/logo.AAAAAAAA.svg")).status, 404)
    })))
})

const REFUSED: ReadonlyArray<readonly [name: string, content: string | Buffer, message: RegExp]> = [
  ["a page", "<html><svg ></svg></html>", /is neither an SVG nor a PNG file\. Convert the logo to one of them\.$/],
  ["nothing", "", /is neither an SVG nor a PNG file/],
  ["too much", Buffer.concat([PNG, Buffer.alloc(100_000)]), /is larger than 100 KB\. Simplify the SVG, or scale/]
]

describe("a logo", () => {
  it.live("is an SVG or a PNG by its content", () =>
    Effect.gen(function*() {
      assert.match((yield* withLogo(LOGO)).shown.logo!, /\.svg$/)
      assert.match((yield* withLogo("<!DOCTYPE svg PUBLIC \"a\" \"b\">\n<svg/>")).shown.logo!, /\.svg$/)
      const prolog = "\uFEFF<?xml version=\"1.0\"?>\n<!-- <html> -->\n<!DOCTYPE svg [<!ENTITY a \"b>\">]>\n"
      assert.match((yield* withLogo(`${prolog}<svg/>`)).shown.logo!, /\.svg$/)
      assert.strictEqual((yield* Effect.flip(withLogo(`${prolog}<html/>`)))._tag, "InvalidSetting")
      assert.match((yield* withLogo(PNG)).shown.logo!, /\.png$/)
    }))

  it.live.each(REFUSED)("that is %s is refused at start", ([, content, message]) =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(withLogo(content))
      assert.strictEqual(refused._tag, "InvalidSetting")
      assert.match(refused.message, /^--brand-logo \(VPS_SERVICE_BRAND_LOGO\) names \/.*logo, which /)
      assert.match(refused.message, message)
    }))

  it.live("that does not exist is refused at start", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(make(resolve(["--brand-logo=/nowhere/logo.svg"], {})))
      assert.match(message, /names \/nowhere\/logo\.svg, which cannot be read: ENOENT.*Correct the path or its mode\.$/)
    }))
})

const BASE = readFileSync(fileURLToPath(new URL("../../service/panel/web/styles/base.css", import.meta.url)), "utf8")

const full = (color: string) => color.replace(/^#(\w)(\w)(\w)$/, "#$1$1$2$2$3$3")

/** The light and the dark color of a custom property. */
const pairOf = (css: string, name: string) => {
  const [, light = "", dark = ""] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css) ?? []
  return [colorOf(full(light)), colorOf(full(dark))] as const
}

describe("the shades of a color", () => {
  it.each([
    "#3451d1",
    "#000000",
    "#767676",
    "#b3261e",
    "#00695c",
    "#8a6d00",
    "#ff0000",
    "#6a00ff",
    "#0b0b3b",
    "#c2185b"
  ])(
    "%s can be read on every background of the panel, in both themes",
    (color) => {
      if (contrast(colorOf(color), WHITE) < READABLE) return assert.throws(() => resolve(["--brand-color", color], {}))
      const css = stylesheetOf(color)
      for (const theme of [0, 1] as const) {
        const accent = pairOf(css, "accent")[theme]
        const soft = pairOf(css, "accent-soft")[theme]
        const grounds = ["bg", "surface", "raised", "sunken", "hover"].map((name) => pairOf(BASE, name)[theme])
        for (const ground of [...grounds, soft]) assert.isAtLeast(contrast(accent, ground), READABLE)
        for (const text of ["text", "muted", "good", "bad"]) {
          assert.isAtLeast(contrast(pairOf(BASE, text)[theme], soft), READABLE, `${text} on the soft background`)
        }
        const fill = pairOf(css, "accent-fill")[theme]
        assert.isAtLeast(contrast(fill, WHITE), READABLE)
        assert.isAtLeast(contrast(fill, pairOf(BASE, "surface")[theme]), 3)
      }
    }
  )
})
