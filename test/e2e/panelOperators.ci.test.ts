/** The work of operators in Chromium: from a number to its list, and from a row to what is behind it. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Browser, Page } from "playwright-core"
import {
  accessibilityProblems,
  hasChromium,
  launch,
  NARROW,
  settled,
  type Visitor,
  WIDE,
  widthProblems
} from "../support/browser.ts"
import { addHostRow } from "../support/hostRows.ts"
import { signInAs } from "../support/panel.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

describe.skipIf(!hasChromium)("operators in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let operator: Visitor
  const open = async (path: string): Promise<Page> => {
    const { page } = operator
    await page.goto(`${panel.origin}/panel/operator${path}`)
    await settled(page)
    return page
  }
  const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text }).first()
  const says = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()
  const at = (page: Page, path: string) => page.waitForURL(`${panel.origin}/panel/operator${path}`)
  const command = (name: string, body: object) =>
    Effect.runPromise(Effect.gen(function*() {
      const person = yield* signInAs(panel.app, "operator")
      return (yield* person.call({ method: "POST", path: `/operator/commands/${name}`, body })).body
    }))
  const problemsOf = async (page: Page) => [...await accessibilityProblems(page), ...await widthProblems(page)]

  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(2)
    operator = await enter(browser, panel, "operator")
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  it("see the name of a task's instance, its account and its whole error in its row, and search them all", async () => {
    const fault = { operation: "driver.restart", driver: "rejected", count: 1 }
    await Effect.runPromise(panel.app.control("POST", "/faults", fault))
    await panel.act("/instances/1/restart")
    const page = await open("/tasks?status=failed")
    const { items } = await panel.read("/instances/1/tasks?limit=1")
    await page.getByRole("cell", { name: items[0].error, exact: true }).waitFor()
    const failed = row(page, "Restart")
    await failed.getByRole("link", { name: "web-1.example.com" }).waitFor()
    await failed.getByRole("link", { name: "owner@example.test" }).waitFor()
    await page.getByRole("searchbox").fill("WEB-1.example")
    await at(page, "/tasks?status=failed&search=WEB-1.example")
    await failed.waitFor()
    await page.reload()
    await failed.waitFor()
    assert.strictEqual(await page.getByLabel("Show").inputValue(), "failed")
    await page.getByLabel("Show").selectOption("held")
    await says(page, "Nothing found")
    const linked = await open("/tasks?account=2")
    await says(linked, "No tasks match")
    await linked.getByRole("button", { name: "Only account 2" }).click()
    await at(linked, "/tasks")
    await row(linked, "web-1.example.com").waitFor()
    assert.deepStrictEqual(operator.problems, [])
  })

  it("see of an instance its facts, what its customer sees, its tasks, charges and graphs", async () => {
    const tasks = await open("/tasks?status=failed")
    await row(tasks, "Restart").getByRole("link", { name: "web-1.example.com" }).click()
    const { page } = operator
    await at(page, "/instances/1")
    await page.getByRole("heading", { level: 1, name: "web-1.example.com" }).waitFor()
    await says(page, "Restart failed")
    await page.getByText("The record of the API").click()
    await page.getByText("\"user_id\": 1").waitFor()
    await page.getByRole("region", { name: "Tasks" }).waitFor()
    assert.strictEqual(await page.getByRole("region", { name: "Statement" }).getByRole("row").count(), 2)
    await page.getByRole("button", { name: "Table", exact: true }).click()
    await settled(page)
    assert.deepStrictEqual(await problemsOf(page), [])
    await page.getByRole("button", { name: "Switch off auto-renew" }).click()
    await page.getByRole("dialog").getByText("its data is deleted after the grace period").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click()
    await page.getByRole("button", { name: "Switch on auto-renew" }).click()
    await page.getByRole("button", { name: "Switch off auto-renew" }).waitFor()
    await page.getByRole("button", { name: "Suspend" }).click()
    await page.getByLabel("Reason").fill("Abuse report 4711")
    await page.getByLabel("Private note").fill("second time")
    await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click()
    await says(page, "This instance is suspended")
    await says(page, "Note: second time")
    await page.getByRole("button", { name: "Unsuspend" }).click()
    await page.getByText("is open to its owner again").waitFor()
    const missing = await open("/instances/99")
    await missing.getByRole("heading", { name: /^Instance \d+ not found$/ }).waitFor()
    assert.deepStrictEqual(operator.problems, [])
  })

  it("see the plan and price of a held order on the first page, and on the page of its instance", async () => {
    const { plans } = await command("catalogue.export", {})
    const held = { ...plans[0], auto_deploy: false }
    await command("catalogue.import", { document: { plans: [held] }, dry_run: false })
    for (const hostname of ["first.example.com", "second.example.com"]) {
      await Effect.runPromise(panel.app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname } }))
    }
    const page = await open("")
    const order = row(page, "first.example.com")
    await order.getByText(`${held.name} for €4.99`).waitFor()
    await order.getByRole("link", { name: "owner@example.test" }).waitFor()
    await order.getByRole("button", { name: "Approve" }).click()
    await page.getByText("The task starts.").waitFor()
    await row(page, "second.example.com").getByRole("link", { name: "second.example.com" }).click()
    await says(page, "This order waits for your approval")
    assert.deepStrictEqual(await problemsOf(page), [])
    await page.locator(".notice").getByRole("button", { name: "Reject" }).click()
    await page.getByLabel("Reason").fill("no such address")
    await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    await page.getByText("The order is rejected and refunded.").waitFor()
    await says(page, "The order was rejected: no such address")
  })

  it("are led by each number of the first page to what it counts, and to accounts by need", async () => {
    const lead = async (name: string, path: string) => {
      const page = await open("")
      const figure = page.locator(".figure").filter({ hasText: name })
      const count = await figure.locator("dd").innerText()
      await figure.getByRole("link").click()
      await page.waitForURL((url) => `${url.pathname}${url.search}`.startsWith(`/panel/operator${path}`))
      await settled(page)
      await page.locator("main").getByRole("status").getByText(`${count} found`, { exact: true }).waitFor()
      assert.match(count, /^\d+$/, name)
    }
    await lead("Failed today", "/tasks?status=failed&since=")
    await lead("Wait for approval", "/tasks?status=held")
    await lead("Running", "/tasks?status=running")
    await lead("Tasks failed in 7 days", "/accounts?need=failures")
    await lead("Wallet too low", "/accounts?need=low_balance")
    const page = await open("")
    await page.locator(".facts").getByRole("link", { name: /^\d+$/ }).first().click()
    await at(page, "/instances?status=active")
    await row(page, "web-1.example.com").waitFor()
    await (await open("")).locator(".figure").filter({ hasText: "Charged" }).getByRole("link").click()
    await page.waitForURL(/\/bookings\?kind=charge&from=/)
    await row(page, "Instance create").getByRole("link", { name: "owner@example.test" }).waitFor()
    assert.strictEqual(await row(page, "Top up").count(), 0)
    const accounts = await open("/accounts?need=failures")
    await row(accounts, "owner@example.test").getByRole("link", { name: /^\d+$/ }).click()
    await at(accounts, "/tasks?status=failed&account=1")
    await row(accounts, "Restart").waitFor()
    assert.deepStrictEqual(operator.problems, [])
  })

  it("search the audit log by person, action, time and text together, all in the address", async () => {
    const page = await open("/audit")
    await page.getByLabel("Action", { exact: true }).fill("instances")
    await at(page, "/audit?action=instances")
    await row(page, "instances.unsuspend").waitFor()
    await row(page, "sign_in.link").waitFor({ state: "detached" })
    await page.getByLabel("Person", { exact: true }).fill("operator@")
    await page.getByRole("searchbox").fill("abuse report")
    await page.waitForURL((url) => url.searchParams.get("search") === "abuse report")
    await page.locator("main").getByRole("status").getByText("1 found", { exact: true }).waitFor()
    await page.getByLabel("Until").fill("2020-01-31T12:00")
    await says(page, "Nothing found")
    const { searchParams } = new URL(page.url())
    assert.deepStrictEqual([...searchParams.keys()].toSorted(), ["action", "person", "search", "until"])
    assert.match(searchParams.get("until")!, /^2020-01-31T\d\d:00:00\.000Z$/)
    await page.reload()
    await says(page, "Nothing found")
    assert.strictEqual(await page.getByLabel("Until").inputValue(), "2020-01-31T12:00")
    await page.getByLabel("Until").fill("")
    await row(page, "4711").getByRole("link", { name: "instance 1" }).waitFor()
    await row(page, "4711").getByRole("link", { name: "instances.suspend" }).click()
    await at(page, "/audit?action=instances.suspend")
    assert.strictEqual(await page.getByRole("searchbox").inputValue(), "")
    assert.strictEqual(await page.getByLabel("Action", { exact: true }).inputValue(), "instances.suspend")
    const instance = await open("/instances/1")
    await instance.locator("main").getByRole("link", { name: "Audit", exact: true }).click()
    await at(instance, "/audit?instance=1")
    await row(instance, "instances.suspend").waitFor()
    assert.deepStrictEqual(operator.problems, [])
  })

  it("see the use of hosts, evacuate and fence one after a plan, and see free addresses", async () => {
    await Effect.runPromise(panel.app.control("POST", "/clock", { advance_ms: 60_000 }))
    await Effect.runPromise(addHostRow(panel.app, "alpha", { instances: [1] }))
    await Effect.runPromise(addHostRow(panel.app, "beta", { instances: [2], lost: true }))
    const network = { network: "203.0.113.0/30", gateway: "203.0.113.1", data_center: "Frankfurt" }
    await command("addresses.add", network)
    const page = await open("/hosts")
    await row(page, "alpha").getByText("1 of 1 instances measured").waitFor()
    await row(page, "203.0.113.0/30").getByText("1 (100 %)").waitFor()
    await row(page, "alpha").getByRole("button", { name: "Evacuate" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("region", { name: "Plan" }).getByText("stays", { exact: true }).waitFor()
    assert.deepStrictEqual(await problemsOf(page), [])
    await dialog.getByRole("button", { name: "Evacuate" }).click()
    await page.getByText("0 of 1 instances go to other hosts.").waitFor()
    await page.getByRole("heading", { name: "Instances of alpha" }).waitFor()
    await row(page, "alpha").getByText("Draining").waitFor()
    await row(page, "beta").getByRole("button", { name: "Fence" }).click()
    await dialog.getByText("no other host sees a backup of it").waitFor()
    const fence = dialog.getByRole("button", { name: "Fence" })
    assert.isTrue(await fence.isDisabled())
    await dialog.getByLabel("Type beta to confirm").fill("beta")
    await fence.click()
    // The browser demands the box.
    await dialog.waitFor()
    await dialog.getByLabel("beta is off, and stays off").check()
    await fence.click()
    await page.getByRole("heading", { name: "Instances of beta" }).waitFor()
    const hosts = page.getByRole("region", { name: "Hosts" })
    await hosts.getByRole("row").filter({ hasText: "beta" }).getByText("not reachable since").waitFor()
    assert.deepStrictEqual(operator.problems, [])
  })

  it("send an invitation to an account, send it again with another link, and withdraw it", async () => {
    const page = await open("/accounts/1/people")
    const dialog = page.getByRole("dialog")
    const shownLink = async () => {
      const link = await dialog.locator(".secret code").innerText()
      await dialog.getByRole("button", { name: "Done" }).click()
      return link
    }
    await page.getByRole("button", { name: "Invite a person" }).click()
    await dialog.getByLabel("Email").fill("new@example.test")
    await dialog.getByRole("button", { name: "Invite" }).click()
    await dialog.getByRole("heading", { name: "new@example.test is invited" }).waitFor()
    const first = await shownLink()
    const invitation = page.getByRole("region", { name: "Invitations" }).getByRole("row").filter({ hasText: "new@" })
    await invitation.getByRole("button", { name: "Send again" }).click()
    await dialog.waitFor()
    assert.notStrictEqual(await shownLink(), first)
    await invitation.getByRole("button", { name: "Withdraw" }).click()
    await page.getByText("The invitation of new@example.test is withdrawn.").waitFor()
    await says(page, "No open invitations")
  })

  it("write notes on an instance, and read and delete them on the page of its account, too", async () => {
    const page = await open("/instances/2")
    await page.getByRole("button", { name: "Add a note" }).click()
    await page.getByLabel("Note", { exact: true }).fill("Migrates on Monday.\nCall before.")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await page.getByRole("listitem").filter({ hasText: "operator@example.test" }).getByText("Call before.").waitFor()
    const account = await open("/accounts/1")
    const note = account.getByRole("listitem").filter({ hasText: "Migrates on Monday." })
    await note.getByRole("link", { name: "instance 2" }).waitFor()
    assert.deepStrictEqual(await problemsOf(account), [])
    await note.getByRole("button", { name: "Delete" }).click()
    await account.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await says(account, "No notes")
  })

  it.each([WIDE, NARROW])("all screens are accessible, and fit a screen of $width pixels", async (size) => {
    await operator.page.setViewportSize(size)
    for (
      const path of [
        "",
        "/accounts?need=failures",
        "/tasks?status=failed&account=1&since=2026-01-01",
        "/instances/1",
        "/accounts/1",
        "/accounts/1/money",
        "/accounts/1/keys",
        "/announcements",
        "/audit?person=o&action=sign_in",
        "/hosts",
        "/bookings?kind=charge"
      ]
    ) {
      assert.deepStrictEqual(await problemsOf(await open(path)), [], path)
    }
    assert.deepStrictEqual(operator.problems, [])
  })

  it("add a data center by its form, which refuses the name of another one at its field", async () => {
    const page = await open("/catalogue")
    await page.getByRole("button", { name: "Add a data center" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Helsinki")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Another data center has this name. Choose another one.").waitFor()
    await dialog.getByLabel("Name").fill("Oslo")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByRole("region", { name: "Data centers" }).getByRole("row").filter({ hasText: "Oslo" }).waitFor()
    assert.deepStrictEqual(await problemsOf(page), [])
  })

  it("announce maintenance, change it, and call it off, which the customer's open page follows", async () => {
    const customer = await enter(browser, panel, "customer")
    await customer.page.goto(`${panel.origin}/panel/wallet`)
    const banner = customer.page.locator(".notice").filter({ hasText: "Maintenance: A switch" })
    const page = await open("/announcements")
    await page.getByRole("button", { name: "Announce" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Title").fill("A switch is replaced")
    await dialog.getByLabel("Text").fill("Some minutes.")
    await dialog.getByRole("button", { name: "Announce and mail" }).click()
    await page.getByText(/^A mail goes to 1 account, about \d+ instances\.$/).waitFor()
    await banner.getByText("It concerns all of your instances.").waitFor()
    assert.deepStrictEqual(await problemsOf(customer.page), [])
    await banner.getByRole("button", { name: "Hide" }).click()
    await banner.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Change" }).click()
    await dialog.getByLabel("Text").fill("Half an hour.")
    await dialog.getByRole("button", { name: "Change and mail" }).click()
    await banner.getByText("Half an hour.").waitFor()
    await page.getByRole("button", { name: "Call off" }).click()
    await dialog.getByRole("button", { name: "Call it off and mail" }).click()
    await says(page, "Nothing is planned")
    await banner.waitFor({ state: "detached" })
    assert.deepStrictEqual(customer.problems, [])
    await customer.context.close()
  })

  it("find each part of an account under a tab with an address, and a button that is off says why", async () => {
    const page = await open("/accounts/1")
    for (
      const [tab, path] of [["Instances", "instances"], ["Money", "money"], ["People", "people"], ["Keys", "keys"]]
    ) {
      await page.getByRole("navigation", { name: "Account" }).getByRole("link", { name: tab! }).click()
      await page.waitForURL(`**/panel/operator/accounts/1/${path}`)
    }
    await page.goBack()
    await page.getByRole("heading", { name: "Invitations" }).waitFor()
    await open("/catalogue")
    await page.getByRole("button", { name: "Import…" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("YAML").fill("data_centers: []")
    await dialog.getByRole("button", { name: "Show the changes" }).click()
    const button = dialog.getByRole("button", { name: "Import" })
    assert.isTrue(await button.isDisabled())
    assert.strictEqual(await button.getAttribute("title"), "Nothing would change.")
    await button.focus()
    await page.keyboard.press("Enter")
    await dialog.locator(".notice").getByText("Nothing would change.").waitFor()
  })

  it("the first page names the instances that end soon, with their account, the moment, and the amount", async () => {
    await Effect.runPromise(panel.app.control("PUT", "/wallet", { balance: 1 }))
    await Effect.runPromise(panel.app.control("POST", "/clock", { advance_ms: 26 * 86_400_000 }))
    // The session has ended meanwhile.
    const { context, page } = await enter(browser, panel, "operator")
    await page.goto(`${panel.origin}/panel/operator`)
    const rows = page.getByRole("region", { name: "Ending within 7 days" }).getByRole("row")
    await rows.nth(2).waitFor()
    const texts = (await rows.allInnerTexts()).slice(1)
    for (const text of texts) assert.match(text, /owner@example\.test[^]*the wallet is too low[^]*€\d+\.\d\d/)
    const links = await rows.locator(".row-link").allInnerTexts()
    assert.strictEqual(new Set(links).size, links.length, "each link says which instance it leads to")
    await context.close()
  })
})
