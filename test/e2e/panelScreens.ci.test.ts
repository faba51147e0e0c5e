/**
 * Every screen of the panel in Chromium, with the instances of an emulator: light and wide, dark and 360 pixels. axe
 * finds nothing, nothing scrolls sideways, the policy is not violated, and nothing is loaded from elsewhere.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import { CUSTOMER_PATHS, OPERATOR_PATHS } from "../../.config/panelPaths.ts"
import { STATES } from "../../.config/panelStates.ts"
import { focusProblems } from "../support/keyboard.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"
import {
  accessibilityProblems,
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

const LOOKS = [
  { name: "light and wide", colorScheme: "light", size: WIDE },
  { name: "dark and narrow", colorScheme: "dark", size: NARROW }
] as const

const OTHER_STATES = ["empty", "loading", "failing"] as const

describe.skipIf(!hasChromium)("screens in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  let operator: Visitor
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(3)
    customer = await enter(browser, panel, "customer")
    operator = await newVisitor(browser, panel.origin)
    await signIn(operator, await panel.link("operator"))
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  /** Everything that is wrong with a screen. */
  const review = async ({ page, problems }: Visitor, path: string, look: typeof LOOKS[number]) => {
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await page.setViewportSize(look.size)
    await page.goto(`${panel.origin}${path}`)
    await settled(page)
    const failures = await page.locator(".notice.bad:not(.example *)").allInnerTexts()
    return [...failures, ...await accessibilityProblems(page), ...await widthProblems(page), ...problems]
  }

  /** A page of its own, whose requests are answered as in the state; everything that is wrong with each screen. */
  const reviewState = async (
    { context, problems }: Visitor,
    paths: ReadonlyArray<string>,
    state: keyof typeof STATES
  ) => {
    const page = await context.newPage()
    await STATES[state](page)
    const found: Array<string> = []
    for (const path of paths) {
      await page.goto(`${panel.origin}${path}`)
      await page.locator("h1").first().waitFor()
      if (state !== "loading") await settled(page)
      const wrong = [...await accessibilityProblems(page), ...await widthProblems(page)]
      found.push(...wrong.map((text) => `${path}: ${text}`))
    }
    await page.close()
    return [...found, ...problems]
  }

  describe.each(OTHER_STATES)("%s", (state) => {
    it("a customer's", async () => {
      assert.deepStrictEqual(await reviewState(customer, CUSTOMER_PATHS, state), [])
    })
    it("an operator's", async () => {
      assert.deepStrictEqual(await reviewState(operator, OPERATOR_PATHS, state), [])
    })
  })

  it("a screen that fails offers to try again, and recovers", async () => {
    const page = await customer.context.newPage()
    await STATES.failing(page)
    for (const path of ["/panel/instances", "/panel/instances/1", "/panel/order", "/panel/wallet", "/panel/keys"]) {
      await page.goto(`${panel.origin}${path}`)
      await page.locator(".notice.bad").filter({ hasText: "The database cannot be reached." }).first().waitFor()
      await page.getByRole("button", { name: "Try again" }).first().waitFor()
      // One outage is said once, however many parts of the page it fails.
      assert.strictEqual(await page.getByRole("alert").count(), 0, path)
      assert.strictEqual(await page.locator(".toasts > .hidden").count(), 1, path)
    }
    await page.unrouteAll()
    await page.goto(`${panel.origin}/panel/instances`)
    await page.getByRole("link", { name: "web-1.example.com" }).waitFor()
    assert.strictEqual(await page.locator(".notice.bad").count(), 0)
    await page.close()
  })

  it("a screen that cannot be drawn leaves the others alone", async () => {
    // Its problems are wanted.
    const { context, page } = await enter(browser, panel, "customer")
    await page.route("**/v1/instances/1", async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      json.order.service.specs = "{broken"
      await route.fulfill({ response, json })
    })
    await page.goto(`${panel.origin}/panel/instances/1`)
    await page.getByRole("heading", { level: 1, name: "This page cannot be shown" }).waitFor()
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Wallet", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Wallet" }).waitFor()
    assert.strictEqual(await page.locator(".notice.bad").count(), 0)
    await context.close()
  })

  it("an order heals by itself when the network is back", async () => {
    // Its problems are wanted.
    const { context, page } = await enter(browser, panel, "customer")
    await page.goto(`${panel.origin}/panel/order`)
    await page.getByText("Charged now").waitFor()
    await context.setOffline(true)
    await page.getByLabel("Name", { exact: true }).fill("shop.example.com")
    await page.getByText("The service could not be reached.").first().waitFor()
    await context.setOffline(false)
    await page.getByText("Charged now").waitFor()
    assert.strictEqual(await page.getByText("The service could not be reached.").count(), 0)
    await context.close()
  })

  it("a list is as it was left on Back: its search, its order, and the place; a phone has its order, too", async () => {
    const page = await customer.context.newPage()
    await page.setViewportSize(NARROW)
    await page.goto(`${panel.origin}/panel/instances`)
    await page.getByLabel("Sort by").selectOption("name")
    await page.getByRole("button", { name: "Ascending" }).click()
    await page.getByRole("searchbox").fill("example")
    const names = page.locator("tbody .row-link")
    const shown = await names.allTextContents()
    assert.deepStrictEqual(shown, shown.toSorted().toReversed())
    await page.waitForURL(/search=example/)
    await names.last().click()
    await page.getByRole("link", { name: "Activity", exact: true }).last().click()
    await page.goBack()
    await page.goBack()
    await names.first().waitFor()
    assert.deepStrictEqual(await names.allTextContents(), shown)
    assert.strictEqual(await page.getByRole("searchbox").inputValue(), "example")
    await page.goto(`${panel.origin}/panel/instances/1/activity`)
    const tab = (await page.locator(".tabs [aria-current]").boundingBox())!
    assert.isAtLeast(tab.x, 0)
    assert.isAtMost(tab.x + tab.width, NARROW.width)
    await page.close()
  })

  describe.each([WIDE, NARROW])("on a screen of $width pixels", (size) => {
    /** Everything that takes the focus and is hidden. */
    const reviewFocus = async ({ context }: Visitor, paths: ReadonlyArray<string>) => {
      const page = await context.newPage()
      await page.setViewportSize(size)
      const found: Array<string> = []
      for (const path of paths) {
        await page.goto(`${panel.origin}${path}`)
        await settled(page)
        found.push(...(await focusProblems(page)).map((problem) => `${path}: ${problem}`))
      }
      await page.close()
      return found
    }
    it("nothing that a customer cannot see takes the focus", async () => {
      assert.deepStrictEqual(await reviewFocus(customer, CUSTOMER_PATHS), [])
    })
    it("nothing that an operator cannot see takes the focus", async () => {
      assert.deepStrictEqual(await reviewFocus(operator, OPERATOR_PATHS), [])
    })
  })

  it("the open menu of a phone keeps the focus from the page below it, which it covers", async () => {
    const page = await customer.context.newPage()
    await page.setViewportSize(NARROW)
    await page.goto(`${panel.origin}/panel/instances`)
    await settled(page)
    await page.getByRole("button", { name: "Menu" }).click()
    assert.deepStrictEqual(await focusProblems(page), [])
    await page.keyboard.press("Escape")
    await page.locator(".side").waitFor({ state: "hidden" })
    await page.close()
  })

  const PRINTED = ["/panel/wallet", "/panel/order"]
  it.each(PRINTED)("%s prints without the rest of the panel, and says whose it is", async (path) => {
    const page = await customer.context.newPage()
    await page.emulateMedia({ media: "print" })
    await page.goto(`${panel.origin}${path}`)
    await settled(page)
    assert.isFalse(await page.getByRole("navigation", { name: "Main" }).isVisible())
    assert.isTrue(await page.getByText("owner@example.test, account 1").first().isVisible())
    await page.emulateMedia({ media: "screen" })
    assert.isTrue(await page.getByRole("navigation", { name: "Main" }).isVisible())
    await page.close()
  })

  it("an instance that full storage has paused says so in the list and on its page", async () => {
    const page = await customer.context.newPage()
    await page.route("**/v1/instances/1/status", async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...await response.json(), paused: "storage_full" } })
    })
    await page.goto(`${panel.origin}/panel/instances`)
    await page.locator(".usage .status.bad").filter({ hasText: "Paused: storage is full" }).waitFor()
    await page.goto(`${panel.origin}/panel/instances/1`)
    await page.locator(".beside .status.bad").filter({ hasText: "Paused: storage is full" }).waitFor()
    await page.getByText("It continues by itself once there is space").waitFor()
    assert.deepStrictEqual([...await accessibilityProblems(page), ...await widthProblems(page)], [])
    await page.close()
  })

  describe.each(LOOKS)("$name", (look) => {
    it.each(CUSTOMER_PATHS)("%s", async (path) => {
      assert.deepStrictEqual(await review(customer, path, look), [])
    })
    it.each(OPERATOR_PATHS)("%s", async (path) => {
      assert.deepStrictEqual(await review(operator, path, look), [])
    })
    it("the sign-in", async () => {
      const visitor = await newVisitor(browser, panel.origin)
      assert.deepStrictEqual(await review(visitor, "/panel", look), [])
      await visitor.context.close()
    })
  })
})
