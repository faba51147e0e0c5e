/**
 * Every text in every response that a screen of the panel shows contains a script, in Chromium: names, PTR records,
 * errors of tasks, reasons, codes, and all others that a customer, an operator, or a machine writes. None runs, and
 * none becomes an element.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Browser, Page } from "playwright-core"
import { hasChromium, launch, newVisitor, settled, signIn, type Visitor } from "../support/browser.ts"
import { CUSTOMER_PATHS, OPERATOR_PATHS } from "../../.config/panelPaths.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

const SCRIPT =
  "javascript:document.title='ran'//\"'><img src=x onerror=document.title='ran'><script>document.title='ran'</script>"

/** Words of the service, times, and codes that a page computes with: no person chooses them. */
const OF_SERVICE = new Set(
  ("status state kind type role currency power boot_mode booted checked_at at now action outcome billing_cycle "
    + "direction cpus memory_mib disk_gib actor_kind scopes").split(" ")
)

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT/.test(text)

/** A value with the script in each text. Texts that are JSON contain it in their own texts. */
const infected = (value: unknown, name = ""): unknown => {
  if (OF_SERVICE.has(name)) return value
  if (Array.isArray(value)) return value.map((one) => infected(one))
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, infected(one, key)]))
  }
  if (typeof value !== "string" || isTime(value)) return value
  return value.startsWith("{") ? JSON.stringify(infected(JSON.parse(value))) : value + SCRIPT
}

/** Infects each response to a read, and each of a command. */
const infect = (page: Page) =>
  page.route("**/panel/api/**", async (route) => {
    if (route.request().url().endsWith("/events")) return route.fallback()
    const response = await route.fetch()
    const isJson = response.headers()["content-type"]?.includes("json") === true
    return isJson
      ? route.fulfill({ response, json: infected(await response.json()) })
      : route.fulfill({ response })
  })

/** Everything that a text became instead of a text. */
const BECAME = `[
  ...(document.title === "ran" ? ["it ran"] : []),
  ...[...document.body.querySelectorAll("img, script, iframe, [onerror], a[href^='javascript']")]
    .map((one) => one.outerHTML)
]`

const SHOWN = `document.body.textContent.includes("onerror=document.title")`

describe.skipIf(!hasChromium)("a text that contains a script, in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  let operator: Visitor
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(2)
    // Returns when the deployments are done.
    await Effect.runPromise(panel.app.control("POST", "/clock", { advance_ms: 1_000 }))
    await panel.act("/instances/1/snapshots", { name: "one" })
    await panel.suspend(2, "a reason")
    customer = await enter(browser, panel, "customer")
    operator = await newVisitor(browser, panel.origin)
    await signIn(operator, await panel.link("operator"))
    await infect(customer.page)
    await infect(operator.page)
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  /** The screen, then each of its dialogs. */
  const review = async ({ page, problems }: Visitor, path: string) => {
    await page.goto(`${panel.origin}${path}`)
    await settled(page)
    assert.deepStrictEqual([...problems, ...await page.evaluate<ReadonlyArray<string>>(BECAME)], [])
    for (const opener of await page.locator("main [aria-haspopup=dialog]:enabled").all()) {
      await opener.click()
      await page.getByRole("dialog").waitFor()
      assert.deepStrictEqual([...problems, ...await page.evaluate<ReadonlyArray<string>>(BECAME)], [])
      // A dialog with a secret stays until its button is pressed.
      const done = page.getByRole("dialog").getByRole("button", { name: "Done" })
      if (await done.count() > 0) await done.click()
      else await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }
    return page.evaluate<boolean>(SHOWN)
  }

  /** These show no text of a response, except in the navigation. */
  const PLAIN = new Set(["/panel/nothing", "/panel/instances/999"])

  it.each(CUSTOMER_PATHS)("stays a text on %s", async (path) => {
    assert.isTrue(await review(customer, path) || PLAIN.has(path), "the script is shown")
  })
  it.each(OPERATOR_PATHS)("stays a text on %s", async (path) => {
    assert.isTrue(await review(operator, path), "the script is shown")
  })
})
