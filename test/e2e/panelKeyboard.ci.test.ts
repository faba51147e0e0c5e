/** Customers and operators at work in the panel, in Chromium, by keyboard alone. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { text } from "node:stream/consumers"
import type { Browser, Page } from "playwright-core"
import { hasChromium, launch, settled, type Visitor } from "../support/browser.ts"
import { assertTrap, open, press, tabTo, type } from "../support/keyboard.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

describe.skipIf(!hasChromium)("by keyboard alone in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  let operator: Visitor
  const go = async (page: Page, path: string) => {
    await page.goto(`${panel.origin}${path}`)
    await settled(page)
  }
  const closed = (page: Page) => page.getByRole("dialog").waitFor({ state: "detached" })
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(2)
    customer = await enter(browser, panel, "customer")
    operator = await enter(browser, panel, "operator")
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  describe("a customer", () => {
    it("stops and starts an instance", async () => {
      const { page } = customer
      await go(page, "/panel/instances/1")
      await open(page, "Stop")
      await press(page, "Stop")
      await page.locator(".beside .status", { hasText: "Stopped" }).waitFor()
      await press(page, "Start")
      await page.locator(".beside .status", { hasText: "Running" }).waitFor()
      assert.deepStrictEqual(customer.problems, [])
    })

    it("takes a snapshot, and restores it by typing the name of the instance", async () => {
      const { page } = customer
      await go(page, "/panel/instances/1/snapshots")
      await type(page, "Name", "before-upgrade")
      await page.keyboard.press("Enter")
      const row = page.getByRole("row", { name: "before-upgrade" })
      await row.getByText("Available").waitFor()
      await row.getByRole("button", { name: "Restore", disabled: false }).waitFor()
      await assertTrap(page, "Restore")
      await open(page, "Restore")
      await page.keyboard.type("web-1.example.com")
      await page.keyboard.press("Enter")
      await closed(page)
      await go(page, "/panel/instances/1/activity")
      await page.getByRole("row", { name: "Restore a snapshot" }).getByText("Succeeded").waitFor()
      assert.deepStrictEqual(customer.problems, [])
    })

    it("names an address, and sees the name afterwards", async () => {
      const { page } = customer
      await go(page, "/panel/instances/1/network")
      await page.getByText("It has no name yet.").first().waitFor()
      await type(page, "Reverse DNS (PTR)", "web-1.example.com")
      await page.keyboard.press("Enter")
      await page.getByText("Its name is web-1.example.com").waitFor()
      await go(page, "/panel/instances/1/network")
      await page.getByText("Its name is web-1.example.com").waitFor()
      await page.getByText("It has no name yet.").waitFor()
      assert.deepStrictEqual(customer.problems, [])
    })

    it("makes an API key, and revokes it", async () => {
      const { page } = customer
      await go(page, "/panel/keys")
      await open(page, "Make a key")
      await page.keyboard.type("deploy")
      await press(page, "Make the key")
      await page.getByRole("heading", { name: "The key deploy" }).waitFor()
      await press(page, "Done")
      await closed(page)
      const row = page.getByRole("row", { name: "deploy" })
      await row.waitFor()
      await open(page, "Revoke")
      await page.getByRole("heading", { name: "Revoke the key deploy?" }).waitFor()
      await press(page, "Revoke")
      await row.getByText("Revoked").waitFor()
      assert.deepStrictEqual(customer.problems, [])
    })

    it("invites a person, and withdraws the invitation", async () => {
      const { page } = customer
      await go(page, "/panel/people")
      await assertTrap(page, "Invite a person")
      await open(page, "Invite a person")
      await page.keyboard.type("ada@example.test")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "ada@example.test is invited" }).waitFor()
      await press(page, "Done")
      const row = page.getByRole("row", { name: "ada@example.test" })
      await row.waitFor()
      await press(page, "Withdraw")
      await row.waitFor({ state: "detached" })
      assert.deepStrictEqual(customer.problems, [])
    })

    it("finds an instance and a page by / on any screen", async () => {
      const { page } = customer
      await go(page, "/panel/wallet")
      await page.keyboard.press("/")
      await page.keyboard.type("db-2")
      await page.getByRole("dialog").getByRole("link", { name: /^db-2/ }).waitFor()
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "db-2.example.com" }).waitFor()
      await page.keyboard.press("Control+k")
      await page.keyboard.type("people")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "People" }).waitFor()
      assert.deepStrictEqual(customer.problems, [])
    })
  })

  describe("an operator", () => {
    it("tops up, debits, and refunds, each with a reason", async () => {
      const { page } = operator
      await go(page, "/panel/operator/accounts/1/money")
      await open(page, "Top up")
      await page.keyboard.type("25")
      await type(page, "Reference of the payment", "bank-1")
      await page.keyboard.press("Enter")
      await closed(page)
      await page.getByRole("row", { name: "+€25.00" }).waitFor()
      await open(page, "Debit")
      await page.keyboard.type("7")
      await type(page, "Reason", "support")
      await page.keyboard.press("Enter")
      await closed(page)
      await page.getByRole("row", { name: "-€7.00" }).waitFor()
      await open(page, "Refund")
      await type(page, "Reason", "a mistake")
      await page.keyboard.press("Enter")
      await closed(page)
      await page.getByRole("row", { name: "+€7.00" }).waitFor()
      assert.deepStrictEqual(operator.problems, [])
    })

    it("finds an instance by its address, and terminates it with a reason", async () => {
      const { page } = operator
      const { ipv4 } = await panel.read("/instances/2") as { readonly ipv4: string }
      await go(page, "/panel/operator")
      await page.keyboard.press("/")
      await page.keyboard.type(ipv4)
      await page.getByText("1 found").waitFor()
      await press(page, /^db-2\.example\.com/)
      await page.getByRole("heading", { level: 1, name: "db-2.example.com" }).waitFor()
      await open(page, "Terminate")
      await type(page, /^Type db-2/, "db-2.example.com")
      await page.keyboard.press("Enter")
      assert.isTrue(await page.getByLabel("Reason").evaluate((field) => field.matches(":invalid")))
      await page.keyboard.type("the customer asked for it")
      await page.keyboard.press("Enter")
      await closed(page)
      await page.getByText("db-2.example.com is being deleted.").waitFor()
      await go(page, "/panel/operator/audit")
      const row = page.getByRole("row", { name: "instances.terminate" })
      await row.getByText("the customer asked for it").waitFor()
      assert.deepStrictEqual(operator.problems, [])
    })

    it("adds an ISO image by its form, and another by an import", async () => {
      const { page } = operator
      await go(page, "/panel/operator/catalogue")
      await open(page, "Add an ISO image")
      await page.keyboard.type("tool")
      await type(page, "File", "tool.iso")
      await type(page, "Size in bytes", "1000000")
      await page.keyboard.press("Enter")
      await page.getByRole("cell", { name: "tool.iso" }).waitFor()
      await open(page, "Import…")
      await page.keyboard.insertText("isos: [{ id: 99, name: other, file_name: other.iso, size_bytes: 2000000 }]")
      await press(page, "Show the changes")
      await page.getByText("1 of 1 entries are new or different.").waitFor()
      await press(page, "Import")
      await page.getByRole("cell", { name: "other.iso" }).waitFor()
      const downloading = page.waitForEvent("download")
      await press(page, "Export")
      const exported = await text(await (await downloading).createReadStream())
      assert.include(exported, "file_name: other.iso")
      assert.deepStrictEqual(operator.problems, [])
    })

    it("makes another image the default of a data center", async () => {
      const { page } = operator
      await go(page, "/panel/operator/catalogue")
      const row = page.getByRole("row", { name: "Debian 13" })
      await row.getByRole("button", { name: "Edit" }).focus()
      await page.keyboard.press("Enter")
      await tabTo(page, "In Frankfurt")
      await page.keyboard.type("Offered, and")
      await press(page, "Save")
      await closed(page)
      const cells = () => page.getByRole("row", { name: /^Debian 1[23]/ }).locator("td:nth-child(n+3):nth-child(-n+4)")
      await row.getByRole("cell", { name: "Frankfurt", exact: true }).waitFor()
      const both = "Frankfurt, Helsinki"
      assert.deepStrictEqual(await cells().allInnerTexts(), [both, "Helsinki", both, "Frankfurt"])
      assert.deepStrictEqual(operator.problems, [])
    })
  })
})
