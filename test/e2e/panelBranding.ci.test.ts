/** The host's branding in Chromium: on the sign-in page, in the shell, and where a text names the host. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { brandFlags, LINKS, NAME } from "../support/brand.ts"
import {
  accessibilityProblems,
  addAuthenticator,
  hasChromium,
  launch,
  NARROW,
  newVisitor,
  settled,
  signIn,
  type Visitor,
  WIDE,
  widthProblems
} from "../support/browser.ts"
import { type StartedPanel, startPanel } from "../support/panelService.ts"

/** Takes no mail, which is sent in the background. */
const MAIL = { VPS_SERVICE_SMTP_URL: "smtp://127.0.0.1:9" }

const COLOR = "#00695c"
const LONG = "Nordwindhostinggesellschaft Ostfriesland"
/** As bright as white text allows. */
const BRIGHT = "#e4002b"

const LOOKS = [
  { name: "light and wide", colorScheme: "light", size: WIDE },
  { name: "dark and narrow", colorScheme: "dark", size: NARROW }
] as const

const SCREENS = ["/panel/instances", "/panel/instances/1/overview", "/panel/order", "/panel/profile"]

const BACKGROUND = "getComputedStyle(document.querySelector('.button.primary')).backgroundColor"
const LOADED = "document.querySelector('.sign-in .brand img').decode().then(() => true)"

const hrefsOf = async (page: Page, links: string): Promise<ReadonlyArray<string | null>> =>
  Promise.all((await page.locator(`${links} a`).all()).map((link) => link.getAttribute("href")))

/** In the order of the page. */
const HREFS = [LINKS.support_url, LINKS.terms_url, LINKS.privacy_url, LINKS.imprint_url]

describe.skipIf(!hasChromium)("the host's branding in Chromium", () => {
  const folder = mkdtempSync(join(tmpdir(), "panel-branding-"))
  let browser: Browser
  let branded: StartedPanel
  let bright: StartedPanel
  let plain: StartedPanel
  let visitor: Visitor
  let customer: Visitor
  beforeAll(async () => {
    ;[browser, branded, bright, plain] = await Promise.all([
      launch(),
      startPanel(brandFlags(folder, COLOR), MAIL),
      startPanel(brandFlags(folder, BRIGHT, LONG), MAIL),
      startPanel([])
    ])
    visitor = await newVisitor(browser, branded.origin)
    customer = await newVisitor(browser, branded.origin)
    await branded.buy(1)
    await bright.buy(1)
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([branded, bright, plain].map((panel) => panel?.stop()))
    rmSync(folder, { recursive: true })
  })

  /** Everything that is wrong with a page. */
  const review = async ({ page, problems }: Visitor, address: string, look: typeof LOOKS[number]) => {
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await page.setViewportSize(look.size)
    await page.goto(address)
    await settled(page)
    return [...await accessibilityProblems(page), ...await widthProblems(page), ...problems]
  }

  describe.each(LOOKS)("the sign-in page, $name", (look) => {
    it("has the name, the logo, the color, and the links", async () => {
      const { page } = visitor
      assert.deepStrictEqual(await review(visitor, `${branded.origin}/panel`, look), [])
      assert.strictEqual(await page.title(), `Sign in · ${NAME}`)
      await page.locator(".sign-in .brand").getByText(NAME).waitFor()
      const logo = page.locator(".sign-in .brand img")
      assert.isTrue(await page.evaluate(LOADED))
      assert.strictEqual((await logo.boundingBox())!.height, 48)
      if (look.colorScheme === "light") {
        assert.strictEqual(await page.evaluate(BACKGROUND), "rgb(0, 105, 92)")
      }
      await page.getByLabel("Email").waitFor()
      assert.deepStrictEqual(await accessibilityProblems(page), [])
      assert.deepStrictEqual(await hrefsOf(page, ".sign-in footer"), HREFS)
    })

    it("is the service's own without branding, and says who makes a link without mail", async () => {
      const unknown = await newVisitor(browser, plain.origin)
      const { page } = unknown
      assert.deepStrictEqual(await review(unknown, `${plain.origin}/panel`, look), [])
      await page.getByText("This service sends no mail: ask your host for a link").waitFor()
      assert.deepStrictEqual(await accessibilityProblems(page), [])
      assert.strictEqual(await page.title(), "Sign in")
      assert.strictEqual(await page.locator(".brand, .host-links").count(), 0)
      await unknown.context.close()
    })

    it("and screens have enough contrast with a bright color, and space for a long name", async () => {
      const other = await newVisitor(browser, bright.origin)
      assert.deepStrictEqual(await review(other, `${bright.origin}/panel`, look), [])
      await signIn(other, await bright.link("customer"))
      for (const path of SCREENS) assert.deepStrictEqual(await review(other, bright.origin + path, look), [], path)
      await other.context.close()
    })
  })

  it("a mailed link is explained: where, how long, and what to do if none arrives", async () => {
    const { page } = visitor
    await page.goto(`${branded.origin}/panel`)
    await page.getByLabel("Email").fill("ada@example.test")
    await page.getByRole("button", { name: "Mail me a link" }).click()
    await page.getByText("The link works once, within a day.").waitFor()
    assert.include(await page.evaluate("document.activeElement.textContent"), "Check your mail")
    await page.getByText("Open the link in the mail to ada@example.test").waitFor()
    await page.getByText("Look into the spam folder").waitFor()
    const ask = page.getByRole("link", { name: "ask your host" })
    assert.strictEqual(await ask.getAttribute("href"), LINKS.support_url)
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    await page.getByRole("button", { name: "Use another address" }).click()
    await page.getByLabel("Email").waitFor()
    await page.getByText("Lost your passkey? Mail yourself a link, sign in with it, remove the lost passkey").waitFor()
    assert.deepStrictEqual(visitor.problems, [])
  })

  it("at an IP address, the page says where passkeys work, and offers the link", async () => {
    const address = branded.origin.replace("localhost", "127.0.0.1")
    const other = await newVisitor(browser, address)
    await other.page.goto(`${address}/panel`)
    await other.page.getByText(`Passkeys do not work at an IP address. Open ${branded.origin} instead.`).waitFor()
    await other.page.getByRole("button", { name: "Mail me a link" }).waitFor()
    assert.strictEqual(await other.page.getByRole("button", { name: "Sign in with a passkey" }).count(), 0)
    assert.deepStrictEqual(other.problems, [])
    await other.context.close()
  })

  it("after a link, the profile says how the next sign-in needs none, and how to replace a lost passkey", async () => {
    const { page } = customer
    await addAuthenticator(page)
    await signIn(customer, await branded.link("customer"))
    await page.getByText("Add a passkey, so that you need no mail next time.").waitFor()
    await page.getByRole("button", { name: "Add a passkey" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("You signed in by a link. Lost a passkey? Remove it below, and add a new one.").waitFor()
    await page.getByRole("button", { name: /^Account menu/ }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("button", { name: "Sign in with a passkey" }).click()
    await page.locator(".shell").waitFor()
    await page.goto(`${branded.origin}/panel/profile`)
    await page.getByRole("cell", { name: "This device" }).waitFor()
    assert.strictEqual(await page.getByText("Lost a passkey?").count(), 0)
    assert.deepStrictEqual(customer.problems, [])
  })

  it("the shell has the name and the links, on a phone in its header", async () => {
    const { page } = customer
    await page.goto(`${branded.origin}/panel/wallet`)
    await settled(page)
    assert.strictEqual(await page.title(), `Wallet · ${NAME}`)
    await page.locator(".side").getByRole("link", { name: NAME }).waitFor()
    assert.deepStrictEqual(await hrefsOf(page, ".side .host-links"), HREFS)
    await page.setViewportSize(NARROW)
    await page.locator(".topbar").getByRole("link", { name: NAME }).waitFor()
    assert.deepStrictEqual(await widthProblems(page), [])
    await page.setViewportSize(WIDE)
    assert.deepStrictEqual(customer.problems, [])
  })

  it("a text that says to contact the host links to its support", async () => {
    const { page } = customer
    await branded.suspend(1, "Spam.")
    await page.goto(`${branded.origin}/panel/instances/1`)
    const contact = page.getByRole("link", { name: "Contact your host" })
    assert.strictEqual(await contact.getAttribute("href"), LINKS.support_url)
    assert.deepStrictEqual(customer.problems, [])
  })
})
