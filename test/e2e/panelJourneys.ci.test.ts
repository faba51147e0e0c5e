/** People at work in the panel, in Chromium: by mouse, by keyboard, with a passkey, in two tabs, and after failures. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { exportCatalogue, importCatalogue } from "#service/admin/catalogue/CatalogueImport"
import type { Browser, Page } from "playwright-core"
import { addAuthenticator, hasChromium, launch, newVisitor, settled, signIn, type Visitor } from "../support/browser.ts"
import { tabTo } from "../support/keyboard.ts"
import { fillOrder, notePassword } from "../support/order.ts"
import { SSH_KEY } from "../support/sshKey.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

describe.skipIf(!hasChromium)("people in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  const count = async () => (await panel.read("/instances")).length
  const go = async (page: Page, path: string) => {
    await page.goto(`${panel.origin}${path}`)
    await settled(page)
  }
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(2)
    customer = await enter(browser, panel, "customer")
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  it("order an instance by keyboard alone, with its price before", async () => {
    const { page, problems } = customer
    const before = await count()
    await go(page, "/panel")
    await tabTo(page, "Order an instance")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Order an instance" }).waitFor()
    await settled(page)
    await tabTo(page, /VPS S/)
    await page.keyboard.press("ArrowDown")
    await tabTo(page, "Name")
    await page.keyboard.type("keys.example.com")
    await tabTo(page, /^SSH key/)
    await page.keyboard.press("ArrowDown")
    await page.getByText("Charged now").waitFor()
    // Disabled until the price is that of the form.
    await page.getByRole("button", { name: "Order and pay", disabled: false }).waitFor()
    await tabTo(page, "Order and pay")
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog", { name: "The root password of keys.example.com" })
    await dialog.waitFor()
    // Keys that are pressed once more, or by habit, do not close the only view of the password.
    for (const key of ["Enter", "Escape", "Escape", "Escape"]) await page.keyboard.press(key)
    // Chromium closes a dialog at the second Escape, and the page opens it again.
    await dialog.waitFor()
    assert.match(await dialog.locator("code").innerText(), /^\w{20}$/)
    await tabTo(page, "Done")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "keys.example.com" }).waitFor()
    assert.strictEqual(await count(), before + 1)
    assert.deepStrictEqual(problems, [])
  })

  it("restart several instances by mouse, each with its result", async () => {
    const { page } = customer
    await go(page, "/panel/instances")
    await page.getByLabel("Select web-1.example.com").check()
    await page.getByLabel("Select db-2.example.com").check()
    await page.getByRole("group", { name: "Chosen instances" }).getByRole("button", { name: "Restart" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Restart 2 instances" }).click()
    // The dialog's other button of that name exists before the results do.
    const close = dialog.locator("footer").getByRole("button", { name: "Close" })
    await close.waitFor()
    assert.strictEqual(await dialog.getByText("Accepted").count(), 2)
    await close.click()
    await page.getByRole("searchbox").fill("db-2")
    await page.getByText(/^1 of/).waitFor()
  })

  it("set up a passkey, sign out, and sign in with it", async () => {
    const visitor = await newVisitor(browser, panel.origin)
    const { page, problems } = visitor
    await addAuthenticator(page)
    await signIn(visitor, await panel.link("customer"))
    await page.getByRole("button", { name: "Add a passkey" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("cell", { name: "This device" }).waitFor()
    await page.getByRole("button", { name: /^Account menu/ }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("button", { name: "Sign in with a passkey" }).click()
    await page.getByRole("button", { name: /^Account menu/ }).click()
    await page.getByRole("link", { name: "Security" }).click()
    await page.getByRole("button", { name: "Remove" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await page.getByText("No passkey yet").waitFor()
    assert.deepStrictEqual(problems, [])
    await visitor.context.close()
  })

  it("see a change of another tab without doing anything", async () => {
    const { context, page } = customer
    const other = await context.newPage()
    await go(other, "/panel/instances/1")
    await go(page, "/panel/instances/1")
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click()
    await other.locator(".beside .status", { hasText: "Stopped" }).waitFor()
    await other.getByRole("button", { name: "Start", exact: true }).click()
    await page.locator(".beside .status", { hasText: "Running" }).waitFor()
    assert.deepStrictEqual(customer.problems, [])
    await other.close()
  })

  it("follow changes by polling when events cannot be received", async () => {
    const { context, page } = customer
    await context.route("**/events", (route) => route.abort())
    await go(page, "/panel/instances/2")
    await page.getByText("No live updates.").waitFor()
    await panel.act("/instances/2/stop")
    await page.locator(".beside .status", { hasText: "Stopped" }).waitFor()
    await context.unroute("**/events")
    await panel.act("/instances/2/start")
    await page.getByText("No live updates.").waitFor({ state: "detached" })
    assert.deepStrictEqual(customer.problems, [])
  })

  /** The service carries the first purchase out, and its response does not arrive. The function counts the attempts. */
  const loseFirst = async () => {
    let lost = 0
    await customer.context.route("**/v1/instances", async (route) => {
      if (route.request().method() !== "POST" || lost++ > 0) return route.fallback()
      await route.fetch()
      return route.abort()
    })
    return () => lost
  }

  it("read that their session has ended, and order what they filled in after a sign-in in another tab", async () => {
    const before = await count()
    const { context, page } = await enter(browser, panel, "customer")
    await go(page, "/panel/order")
    await page.getByLabel(/VPS M/).first().check()
    await fillOrder(page, "draft.example.com")
    await context.clearCookies()
    await page.getByLabel("Coupon").fill("WELCOME10")
    await page.getByText("Your session has ended.").waitFor()
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor()
    const other = await context.newPage()
    await signIn({ context, page: other, problems: [] }, await panel.link("customer"))
    await other.close()
    // A browser without windows has no tab in the front.
    await page.evaluate("document.dispatchEvent(new Event(\"visibilitychange\"))")
    await page.getByRole("heading", { level: 1, name: "Order an instance" }).waitFor()
    await settled(page)
    const typed = async (label: string) => page.getByLabel(label, { exact: true }).inputValue()
    assert.deepStrictEqual([await typed("Name"), await typed("Coupon")], ["draft.example.com", "WELCOME10"])
    assert.isTrue(await page.getByLabel(/VPS M/).first().isChecked())
    assert.isTrue(await page.getByLabel("Root password").isChecked())
    assert.notMatch(await page.evaluate<string>("JSON.stringify(sessionStorage)"), /root_password/)
    await page.getByRole("button", { name: "Order and pay", disabled: false }).click()
    await notePassword(page, "draft.example.com")
    assert.strictEqual(await count(), before + 1)
    // The next order begins empty.
    await go(page, "/panel/order")
    assert.strictEqual(await typed("Name"), "")
    await context.close()
  })

  it("order once, although the response is lost", async () => {
    const { context, page } = customer
    const before = await count()
    const attempts = await loseFirst()
    await go(page, "/panel/order")
    await fillOrder(page, "once.example.com")
    await page.getByRole("button", { name: "Order and pay" }).click()
    await page.locator(".notice.bad").filter({ hasText: "could not be reached" }).waitFor()
    await page.getByRole("button", { name: "Order and pay" }).click()
    await notePassword(page, "once.example.com")
    assert.strictEqual(attempts(), 2)
    assert.strictEqual(await count(), before + 1)
    await context.unroute("**/v1/instances")
  })

  it("order at a price that has changed once the form shows it", async () => {
    const { page } = customer
    const before = await count()
    await go(page, "/panel/order")
    await fillOrder(page, "dearer.example.com")
    const order = page.getByRole("button", { name: "Order and pay", disabled: false })
    await order.waitFor()
    const price = (change: number) =>
      Effect.runPromise(panel.app.inside(Effect.gen(function*() {
        const { plans } = yield* exportCatalogue
        const dearer = (plans ?? []).map((plan) => ({ ...plan, price: Math.round((plan.price + change) * 100) / 100 }))
        yield* importCatalogue({ document: { plans: dearer }, dry_run: false })
      })))
    await price(1)
    await order.click()
    await page.locator(".notice.bad").filter({ hasText: /^The price has changed: [\d.]+ EUR would be charged now/ })
      .waitFor()
    assert.strictEqual(await count(), before)
    await order.click()
    await notePassword(page, "dearer.example.com")
    assert.strictEqual(await count(), before + 1)
    await price(-1)
  })

  it("keep the password of an order whose response was lost, although they have chosen a key since", async () => {
    const { context, page } = customer
    await loseFirst()
    await go(page, "/panel/order")
    await fillOrder(page, "kept.example.com")
    await page.getByRole("button", { name: "Order and pay", disabled: false }).click()
    await page.locator(".notice.bad").filter({ hasText: "could not be reached" }).waitFor()
    await page.getByLabel("SSH key", { exact: true }).check()
    await page.getByLabel("Public SSH key").fill(SSH_KEY)
    await page.getByRole("button", { name: "Order and pay", disabled: false }).click()
    assert.match(await notePassword(page, "kept.example.com"), /^\w{20}$/)
    await context.unroute("**/v1/instances")
  })

  it("read that a lost response was of an order with other values", async () => {
    const { context, page } = customer
    const before = await count()
    await loseFirst()
    await go(page, "/panel/order")
    await fillOrder(page, "lost.example.com")
    await page.getByRole("button", { name: "Order and pay" }).click()
    await page.locator(".notice.bad").filter({ hasText: "could not be reached" }).waitFor()
    await page.getByLabel("Name", { exact: true }).fill("edited.example.com")
    await page.getByRole("button", { name: "Order and pay", disabled: false }).click()
    await notePassword(page, "lost.example.com")
    await page.getByText("with another hostname. Nothing more was charged").waitFor()
    await page.getByRole("button", { name: "Close this message" }).click()
    assert.strictEqual(await count(), before + 1)
    await context.unroute("**/v1/instances")
  })

  describe("never run a text that a person typed", () => {
    const SCRIPT = "<img src=x onerror=document.title='run'>\"'><script>document.title='run'</script>"
    /** Everything on the page that the text became instead of a text. */
    const madeOf = async ({ page, problems }: Visitor, text: string) => {
      await page.getByText(text).first().waitFor()
      const elements = await page.locator("main img, main script, dialog img, dialog script").count()
      return [...problems, ...(elements > 0 ? ["elements"] : []), ...(await page.title() === "run" ? ["ran"] : [])]
    }
    it("as the name of a snapshot", async () => {
      await panel.act("/instances/1/snapshots", { name: SCRIPT.slice(0, 64) })
      await go(customer.page, "/panel/instances/1/snapshots")
      assert.deepStrictEqual(await madeOf(customer, SCRIPT.slice(0, 64)), [])
    })
    it("as the name of an API key, and in the question before it is revoked", async () => {
      const { page } = customer
      await go(page, "/panel/keys")
      await page.getByRole("button", { name: "Make a key" }).click()
      const name = SCRIPT.slice(0, 64)
      await page.getByRole("dialog").getByLabel("Name").fill(name)
      await page.getByRole("button", { name: "Make the key" }).click()
      await page.getByRole("button", { name: "Done" }).click()
      await page.getByRole("row", { name }).getByRole("button", { name: "Revoke" }).click()
      assert.deepStrictEqual(await madeOf(customer, `Revoke the key ${name}?`), [])
    })
    it("as the reason of a suspension, which an operator writes", async () => {
      await panel.suspend(2, SCRIPT)
      await go(customer.page, "/panel/instances/2")
      assert.deepStrictEqual(await madeOf(customer, SCRIPT), [])
    })
  })
})

describe.skipIf(!hasChromium)("an open page in Chromium", () => {
  it("recovers when the service restarts", async () => {
    const browser = await launch()
    const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-panel-"))
    const database = join(folder, "emulator.db")
    const first = await startPanel(["--database", database])
    await first.buy(1)
    const visitor = await newVisitor(browser, first.origin)
    await signIn(visitor, await first.link("customer"))
    const { page } = visitor
    await page.goto(`${first.origin}/panel/instances/1`)
    await settled(page)
    await first.stop()
    await page.getByText("No live updates.").waitFor()
    const second = await startPanel(["--database", database, "--port", new URL(first.origin).port])
    await page.getByText("No live updates.").waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click()
    await page.locator(".beside .status", { hasText: "Stopped" }).waitFor()
    assert.deepStrictEqual(visitor.problems, [])
    await browser.close()
    await second.stop()
    rmSync(folder, { recursive: true })
  })
})
