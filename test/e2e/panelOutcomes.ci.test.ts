/**
 * The ends of a customer's requests, in Chromium: failures are reported on any page, with cause and next step; an
 * order that failed is refunded and repeated. Requests that stop an instance are confirmed before.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Browser, Page } from "playwright-core"
import { accessibilityProblems, hasChromium, launch, settled, type Visitor } from "../support/browser.ts"
import { open, press, tabTo } from "../support/keyboard.ts"
import { fillOrder, notePassword } from "../support/order.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

/** ms; longer than the form's pause between a change and the request of the price. */
const PRICE_PAUSE = 1_500

describe.skipIf(!hasChromium)("the outcome of requests in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  const control = (method: string, path: string, body?: object) =>
    Effect.runPromise(panel.app.control(method, path, body))
  const refuse = (operation: string, driver = "rejected") =>
    control("POST", "/faults", { operation: `driver.${operation}`, driver, count: 1 })
  const go = async (path: string): Promise<Page> => {
    const { page } = customer
    await page.goto(`${panel.origin}${path}`)
    await settled(page)
    return page
  }
  const confirm = async (page: Page, name: string) => {
    await page.getByRole("button", { name, exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name, exact: true }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
  }
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(3)
    await control("POST", "/clock", { advance_ms: 3_600_000 })
    customer = await enter(browser, panel, "customer")
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  it("a failed reinstallation is reported, explained and repeated by keyboard alone, and then gone", async () => {
    await refuse("reinstall")
    const page = await go("/panel/instances/1/settings")
    const reinstall = async () => {
      await open(page, "Reinstall…")
      await tabTo(page, /^SSH key/)
      await page.keyboard.press("ArrowDown")
      await tabTo(page, /^Type web-1/)
      await page.keyboard.type("web-1.example.com")
      await press(page, "Erase and reinstall")
      await page.getByRole("dialog", { name: "The root password of web-1.example.com" }).waitFor()
      await press(page, "Done")
    }
    await reinstall()
    await page.getByText("web-1.example.com could not be reinstalled.").first().waitFor()
    await press(page, "See what to do")
    const banner = page.locator(".notice.bad").filter({ hasText: "could not be reinstalled" })
    await banner.getByText("Injected by the emulator (fault rule 1). Its disk may be erased already.").waitFor()
    await banner.getByText(/contact your host with the request req-/).waitFor()
    assert.strictEqual(await page.getByRole("alert").count(), 0, "the report has said it")
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    await tabTo(page, "Instances")
    await page.keyboard.press("Enter")
    const row = page.getByRole("row", { name: /^Select web-1/ })
    await row.getByText("Reinstall failed").waitFor()
    await page.getByRole("link", { name: /Instances 1 ?failed/ }).waitFor()
    await page.getByLabel("Show").selectOption("problem")
    await page.getByText("1 of 3").waitFor()
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    await press(page, "Reinstall failed")
    await press(page, "Try again")
    await page.getByRole("heading", { name: "Reinstall", exact: true }).waitFor()
    await reinstall()
    await page.getByText("web-1.example.com was reinstalled.").waitFor()
    await banner.waitFor({ state: "detached" })
    assert.strictEqual(await page.getByRole("link", { name: /failed/ }).count(), 0)
    assert.deepStrictEqual(customer.problems, [])
  })

  it("a failure is dismissed, also on other pages of the account", async () => {
    await refuse("stop")
    const page = await go("/panel/instances/2")
    await confirm(page, "Stop")
    await page.locator(".notice.bad").filter({ hasText: "could not be stopped. " }).getByText(
      "It may still be running."
    )
      .waitFor()
    await page.getByRole("button", { name: "Dismiss" }).click()
    await page.getByText("It may still be running.").waitFor({ state: "detached" })
    await go("/panel/instances")
    assert.strictEqual(await page.getByText("Stop failed").count(), 0)
  })

  it("the end of a task is reported on another page, and after the page was loaded again", async () => {
    await control("PUT", "/deploy", { mode: "after_ms", value: 60_000 })
    const page = await go("/panel/order")
    await fillOrder(page, "later.example.com")
    await page.getByRole("button", { name: "Order and pay", disabled: false }).click()
    const password = await notePassword(page, "later.example.com")
    assert.match(password, /^[a-zA-Z2-9]{20}$/)
    await page.getByRole("heading", { name: "Your instance is being deployed" }).waitFor()
    await page.getByRole("progressbar", { name: "Progress of the deployment" }).waitFor()
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    await go("/panel/wallet")
    await control("POST", "/clock", { advance_ms: 120_000 })
    await page.getByText("later.example.com was deployed.").waitFor()
    await go("/panel/instances")
    await page.getByRole("link", { name: "later.example.com" }).click()
    const { ipv4 } = (await panel.read("/instances")).at(-1) as { readonly ipv4: string }
    await page.getByText(`ssh root@${ipv4}`).waitFor()
    await page.getByRole("button", { name: "Copy the command" }).waitFor()
    await page.getByText("Next charge").waitFor()
    await page.getByText("Frankfurt").waitFor()
    await control("PUT", "/deploy", { mode: "instant" })
    assert.deepStrictEqual(customer.problems, [])
  })

  it("a failed order says why, has its refund, and is ordered again with its form filled in", async () => {
    await refuse("provision")
    const { id } = await Effect.runPromise(panel.app.api({
      method: "POST",
      path: "/instances",
      body: { service_id: 2, hostname: "again.example.com", os: "ubuntu-24.04" }
    })).then(({ body }) => body as { readonly id: number })
    await control("POST", "/clock", { advance_ms: 1_000 })
    const page = await go(`/panel/instances/${id}`)
    const banner = page.locator(".notice.bad").filter({ hasText: "This order failed" })
    await banner.getByText("The charge was refunded in full.").waitFor()
    await page.getByRole("link", { name: /^Line \d+$/ }).waitFor()
    await page.getByText("€9.99", { exact: true }).waitFor()
    assert.strictEqual(await page.getByText(/auto-renew/i).count(), 0)
    assert.strictEqual(await page.getByRole("button", { name: "Start" }).count(), 0)
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    await banner.getByRole("link", { name: "Order again" }).click()
    await settled(page)
    assert.strictEqual(await page.getByLabel("Name", { exact: true }).inputValue(), "again.example.com")
    assert.strictEqual(await page.getByLabel("Image").inputValue(), "ubuntu-24.04")
    assert.isTrue(await page.getByRole("radio", { name: /^VPS M/ }).first().isChecked())
    await page.getByLabel("Root password").check()
    await page.getByText("Root password, shown once").waitFor()
    await page.getByText("Wallet after").waitFor()
    await page.getByRole("button", { name: "Order and pay", disabled: false }).click()
    await notePassword(page, "again.example.com")
    assert.deepStrictEqual(customer.problems, [])
  })

  it("an order without a name or a way to log in says so at the fields, once each", async () => {
    const page = await go("/panel/order")
    await page.getByText("Charged now").waitFor()
    await page.getByRole("button", { name: "Order and pay", disabled: false }).click()
    const problems = page.locator(".problem")
    assert.deepStrictEqual(await problems.allInnerTexts(), ["Fill in this field.", "Fill in this field."])
    await page.locator(":focus").and(page.getByLabel("Name", { exact: true })).waitFor()
    await page.getByLabel("Name", { exact: true }).fill("not a name")
    await page.getByText("It should be a host name: letters, digits and hyphens").waitFor()
    await page.getByLabel("Coupon").fill("NOTHING")
    await page.getByLabel("Name", { exact: true }).fill("web.example.com")
    await page.locator(".field", { has: page.getByLabel("Coupon") }).locator(".problem").waitFor()
    assert.strictEqual(await problems.filter({ hasText: "oupon" }).count(), 1)
    assert.strictEqual(await page.getByText(/Input should|Value error|Field required/).count(), 0)
    assert.deepStrictEqual(await accessibilityProblems(page), [])
  })

  it("an image without SSH keys is ordered with a root password", async () => {
    const page = await go("/panel/order")
    await page.getByLabel("Name", { exact: true }).fill("desk.example.com")
    await page.getByLabel("Public SSH key").fill("ssh-ed25519 AAAA")
    await page.getByLabel("Image").selectOption("windows-2022")
    await page.getByText("Root password, shown once").waitFor()
    assert.strictEqual(await page.getByLabel("Public SSH key").count(), 0)
    await page.getByRole("button", { name: "Order and pay", disabled: false }).waitFor()
    await page.getByLabel("Image").selectOption("debian-13")
    await page.getByRole("radio", { name: "SSH key" }).check()
    await page.getByText("SSH key, not chosen yet").waitFor()
    await page.getByLabel("Public SSH key").waitFor()
  })

  it("an order cannot be sent before its price is known, and the price is requested again", async () => {
    const page = await go("/panel/wallet")
    let requests = 0
    await page.route("**/v1/instances?dry_run=true", (route) => {
      requests += 1
      return route.fulfill({ status: 503, json: { detail: "The database cannot be reached. Retry shortly." } })
    })
    await go("/panel/order")
    await fillOrder(page, "unpriced.example.com")
    await page.locator(".notice.bad").filter({ hasText: "The database cannot be reached." }).waitFor()
    // Each change of the form requests the price once more, after a pause.
    for (let before = 0; before !== requests;) {
      before = requests
      await page.waitForTimeout(PRICE_PAUSE)
    }
    assert.isTrue(await page.getByRole("button", { name: "Order and pay" }).isDisabled())
    await page.unroute("**/v1/instances?dry_run=true")
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("Charged now").waitFor()
    await page.getByRole("button", { name: "Order and pay", disabled: false }).waitFor()
    assert.strictEqual(await page.locator(".notice.bad").count(), 0)
  })

  it("what stops an instance is confirmed, with the day on which data ends", async () => {
    const page = await go("/panel/instances/3")
    for (const name of ["Stop", "Restart", "Switch off auto-renew"]) {
      await page.getByRole("button", { name, exact: true }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }
    assert.strictEqual((await panel.read("/instances/3")).status, "running")
    const { expires_at: end } = await panel.read("/instances/3") as { readonly expires_at: string }
    const week = new Date(Date.parse(end) + 7 * 24 * 3_600_000)
    const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" }).format(week)
    await page.getByRole("button", { name: "Switch off auto-renew" }).click()
    await page.getByRole("dialog").getByText(`are deleted on ${day}`).waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click()
    await page.getByText("Runs until").waitFor()
    await page.getByRole("button", { name: "Switch on auto-renew" }).click()
    await page.getByRole("term").filter({ hasText: "Next charge" }).waitFor()
    await go("/panel/instances/3/rescue")
    await page.getByRole("button", { name: "Enter rescue mode" }).click()
    await page.getByRole("dialog").getByText("Its programs end").waitFor()
    await page.keyboard.press("Escape")
    assert.deepStrictEqual(customer.problems, [])
  })

  it("31 instances are at most 3,500 pixels on a phone", async () => {
    await panel.buy(31 - (await panel.read("/instances")).length)
    const { page } = customer
    await page.setViewportSize({ width: 390, height: 844 })
    await go("/panel/instances")
    await page.getByText("31 of 31").waitFor()
    const height = await page.evaluate<number>("document.documentElement.scrollHeight")
    assert.isAtMost(height, 3_500)
    assert.isAbove(height, 31 * 44, "each row can be touched")
  })
})
