/** A change of money or access prompts for a confirmation in Chromium, and continues with all that was typed. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Browser, Page } from "playwright-core"
import { addAuthenticator, hasChromium, launch, settled, signIn, type Visitor } from "../support/browser.ts"
import { ageSignIn } from "../support/panel.ts"
import { fillOrder, notePassword } from "../support/order.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

const DIALOG = "Confirm that it is you"

describe.skipIf(!hasChromium)("an old sign-in in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  let operator: Visitor
  const grow = async ({ context }: Visitor) => {
    const cookies = await context.cookies()
    const cookie = cookies.find(({ name }) => name === "__Host-session")!.value
    await Effect.runPromise(ageSignIn(panel.app, { cookie }))
  }
  /** Opens a page of a person who signed in an hour ago. */
  const open = async (visitor: Visitor, path: string) => {
    await grow(visitor)
    await visitor.page.goto(`${panel.origin}${path}`)
    await settled(visitor.page)
    return visitor.page
  }
  const question = (page: Page) => page.getByRole("dialog", { name: DIALOG })
  const confirm = async (page: Page) => {
    await question(page).getByRole("button", { name: "It is me" }).click()
    await question(page).waitFor({ state: "detached" })
  }
  const count = async () => (await panel.read("/instances")).length
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(1)
    customer = await enter(browser, panel, "customer")
    operator = await enter(browser, panel, "operator")
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  it("orders once, after the confirmation", async () => {
    const before = await count()
    const page = await open(customer, "/panel/order")
    await fillOrder(page, "typed.example.com")
    await page.getByText("Charged now").waitFor()
    assert.strictEqual(await question(page).count(), 0)
    await page.getByRole("button", { name: "Order and pay" }).click()
    await confirm(page)
    await notePassword(page, "typed.example.com")
    assert.strictEqual(await count(), before + 1)
  })

  it("keeps what was typed when the person cancels", async () => {
    const before = await count()
    const page = await open(customer, "/panel/order")
    await fillOrder(page, "kept.example.com")
    await page.getByRole("button", { name: "Order and pay" }).click()
    await question(page).getByRole("button", { name: "Cancel" }).click()
    await page.locator(".notice.bad").filter({ hasText: "This needs a sign-in of the last minutes." }).waitFor()
    assert.strictEqual(await page.getByLabel("Name", { exact: true }).inputValue(), "kept.example.com")
    await page.getByRole("button", { name: "Order and pay" }).click()
    await confirm(page)
    await notePassword(page, "kept.example.com")
    assert.strictEqual(await count(), before + 1)
  })

  it("resizes", async () => {
    const page = await open(customer, "/panel/instances/1/resize")
    await page.getByRole("button", { name: "Change to VPS L" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Change to VPS L" }).click()
    await confirm(page)
    await page.getByText("It is VPS L now.").waitFor()
    assert.strictEqual((await panel.read("/instances/1")).order.service.name, "VPS L")
  })

  it("shows a new root password", async () => {
    const page = await open(customer, "/panel/instances/1/settings")
    await page.getByRole("button", { name: "Reset the root password" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Reset the root password" }).click()
    await confirm(page)
    const secret = page.getByRole("dialog", { name: "The new root password" }).locator("code")
    assert.isAbove((await secret.innerText()).length, 10)
    await page.getByRole("button", { name: "Done" }).click()
  })

  it("tops up a wallet as an operator, with the amount that was typed before", async () => {
    const page = await open(operator, "/panel/operator/accounts/1/money")
    await page.getByRole("button", { name: "Top up" }).click()
    const form = page.getByRole("dialog", { name: "Book a payment" })
    await form.getByLabel("Amount").fill("12.34")
    await form.getByLabel("Reference").fill("bank 7")
    await form.getByRole("button", { name: "Book the payment" }).click()
    await question(page).getByRole("button", { name: "Cancel" }).click()
    assert.strictEqual(await form.getByLabel("Amount").inputValue(), "12.34")
    await form.getByRole("button", { name: "Book the payment" }).click()
    await confirm(page)
    await form.waitFor({ state: "detached" })
    await page.getByText("bank 7").first().waitFor()
  })

  it("is confirmed by a passkey, or by a new link without one", async () => {
    const visitor = await enter(browser, panel, "customer")
    const { context, page } = visitor
    // As a service that is not an emulator, and has mail.
    await context.route("**/panel/api/session", async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...await response.json(), emulator: false } })
    })
    await context.route("**/panel/api/sign-in/mail", (route) => route.fulfill({ json: { ok: true } }))
    await open(visitor, "/panel/keys")
    await page.getByRole("button", { name: "Make a key" }).click()
    await page.getByRole("dialog").getByLabel("Name").fill("by a link")
    await page.getByRole("button", { name: "Make the key" }).click()
    await question(page).getByRole("button", { name: "Mail me a link" }).click()
    await question(page).getByRole("button", { name: "Continue" }).click()
    await question(page).getByText("was not opened in this browser yet").waitFor()
    const other = await context.newPage()
    await signIn({ ...visitor, page: other }, await panel.link("customer"))
    await addAuthenticator(other)
    await other.getByRole("button", { name: "Add a passkey" }).click()
    await other.getByRole("button", { name: "Save" }).click()
    await other.getByRole("cell", { name: "This device" }).waitFor()
    await question(page).getByRole("button", { name: "Continue" }).click()
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("cell", { name: "by a link" }).waitFor()
    await grow(visitor)
    await other.getByRole("button", { name: "Remove" }).click()
    await other.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await question(other).getByRole("button", { name: "Use a passkey" }).click()
    await other.getByText("No passkey yet").waitFor()
    assert.deepStrictEqual(visitor.problems, [])
    await context.close()
  })

  it("causes no errors on the pages", () => {
    assert.deepStrictEqual([...customer.problems, ...operator.problems], [])
  })
})
