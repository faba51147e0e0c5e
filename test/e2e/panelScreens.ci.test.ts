/**
 * Every screen of the panel in Chromium, with the instances of an emulator: light and wide, dark and 360 pixels. axe
 * finds nothing, nothing scrolls sideways, the policy is not violated, and nothing is loaded from elsewhere.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import { CUSTOMER_PATHS, OPERATOR_PATHS } from "../../.config/panelPaths.ts"
import { type StartedPanel, startPanel } from "../support/panelService.ts"
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

describe.skipIf(!hasChromium)("screens in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  let operator: Visitor
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(3)
    customer = await newVisitor(browser, panel.origin)
    await signIn(customer, await panel.link("customer"))
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
