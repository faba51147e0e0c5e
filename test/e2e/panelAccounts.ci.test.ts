/** The account of a customer in Chromium: members who only read, names, activity, labels, and leaving. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Browser, Page } from "playwright-core"
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
import { startConsoleApp } from "../support/consoleApp.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

const READER = "reader@example.test"

describe.skipIf(!hasChromium)("an account in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let owner: Visitor
  let reader: Visitor
  const open = async ({ page }: Visitor, path: string): Promise<Page> => {
    await page.goto(`${panel.origin}/panel${path}`)
    await settled(page)
    return page
  }
  const sound = async ({ page, problems }: Visitor) => {
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    for (const size of [NARROW, WIDE]) {
      await page.setViewportSize(size)
      assert.deepStrictEqual(await widthProblems(page), [])
    }
    assert.deepStrictEqual(problems, [])
  }
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(3)
    owner = await enter(browser, panel, "customer")
    reader = await newVisitor(browser, panel.origin)
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  it("a person who is invited to read sees everything, and nothing that changes it works", async () => {
    const page = await open(owner, "/people")
    await page.getByRole("button", { name: "Invite a person" }).click()
    await page.getByLabel("Email").fill(READER)
    await page.getByLabel("Access").selectOption({ label: "Read only" })
    await page.getByRole("button", { name: "Invite", exact: true }).click()
    const link = await page.getByRole("dialog").locator("code").textContent()
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("row", { name: READER }).getByText("Read only").waitFor()
    await sound(owner)
    await signIn(reader, link!)
    const list = await open(reader, "/instances")
    await list.getByText("Read only. You can see this account, but not change it.").waitFor()
    await list.getByRole("row", { name: "web-1.example.com" }).waitFor()
    assert.strictEqual(await list.getByRole("link", { name: /^Order/ }).count(), 0)
    assert.strictEqual(await list.getByRole("checkbox").count(), 0)
    await sound(reader)
    for (
      const [path, name] of [
        ["/instances/1", "Stop"],
        ["/instances/1/settings", "Save"],
        ["/keys", "Make a key"],
        ["/people", "Invite a person"],
        ["/order", "Order and pay"]
      ] as const
    ) {
      const button = (await open(reader, path)).getByRole("button", { name, exact: true })
      await button.waitFor()
      assert.isTrue(await button.isDisabled(), path)
      assert.match((await button.getAttribute("title"))!, /You can see this account, but not change it/)
    }
    assert.isTrue(await (await open(reader, "/profile")).getByRole("button", { name: "End all others" }).isEnabled())
  })

  it("the owner gives full access", async () => {
    const page = await open(owner, "/people")
    await page.getByRole("row", { name: READER }).getByRole("button", { name: "Change access" }).click()
    await page.getByRole("dialog").getByLabel("Access").selectOption({ label: "Full access" })
    await sound(owner)
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("The access of Ada is changed.").waitFor()
    const list = await open(reader, "/instances")
    await list.getByRole("link", { name: "Order an instance" }).waitFor()
    assert.strictEqual(await list.getByText("Read only.").count(), 0)
  })

  it("a page that is open while full access ends learns it from the first refusal", async () => {
    const stale = await open(reader, "/instances/1")
    const { page } = owner
    const give = async (label: string) => {
      await open(owner, "/people")
      await page.getByRole("row", { name: READER }).getByRole("button", { name: "Change access" }).click()
      await page.getByRole("dialog").getByLabel("Access").selectOption({ label })
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("The access of Ada is changed.").first().waitFor()
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }
    await give("Read only")
    await stale.getByRole("button", { name: "Stop" }).click()
    await stale.getByRole("dialog").getByRole("button", { name: "Stop" }).click()
    await stale.getByText("Read only. You can see this account").waitFor()
    assert.isTrue(await stale.getByRole("button", { name: "Stop" }).last().isDisabled())
    await give("Full access")
  })

  it("labels of instances are edited, shown in the list at once, and filter it", async () => {
    const list = await open(owner, "/instances")
    const tab = await owner.context.newPage()
    for (const [id, labels] of [[1, "web, production"], [2, "production"]] as const) {
      await tab.goto(`${panel.origin}/panel/instances/${id}/settings`)
      await settled(tab)
      await tab.getByLabel("Labels").fill("not/valid")
      await tab.getByRole("button", { name: "Save the labels" }).click()
      await tab.getByText("Use the format that is described below.").waitFor()
      await tab.getByLabel("Labels").fill(labels)
      await tab.getByRole("button", { name: "Save the labels" }).click()
      await tab.getByText("The labels are saved.").waitFor()
    }
    await tab.close()
    await list.getByRole("row", { name: "web-1.example.com" }).getByText("production").waitFor()
    await list.getByRole("button", { name: "production 2" }).click()
    await list.getByText("2 of 2").waitFor()
    await list.getByRole("button", { name: "web 1" }).click()
    await list.getByText("1 of 1").waitFor()
    await sound(owner)
    await list.getByRole("button", { name: "web 1" }).click()
    await list.getByRole("button", { name: "production 2" }).click()
    await list.getByText("3 of 3").waitFor()
    assert.deepStrictEqual(owner.problems, [])
  })

  it("a new root password is mailed only if the person chooses so", async () => {
    const page = await open(owner, "/instances/1/settings")
    for (const mails of [false, true]) {
      await page.getByRole("button", { name: "Reset the root password" }).click()
      const dialog = page.getByRole("dialog")
      const box = dialog.getByLabel("Also mail it to the owner of the account")
      assert.isFalse(await box.isChecked())
      if (mails) await box.check()
      await dialog.getByRole("button", { name: "Reset the root password" }).click()
      await page.getByText(mails ? "A copy is mailed to the owner of the account." : "It was not mailed.").waitFor()
      await page.getByRole("button", { name: "Done" }).click()
    }
    await sound(owner)
  })

  it("the console opens beside the steps of the rescue mode", async () => {
    const scope = Scope.makeUnsafe()
    const nowhere = Effect.succeed({ kind: "unix", path: "/nonexistent/vnc.sock" } as const)
    const app = await Effect.runPromise(Effect.provideService(startConsoleApp(nowhere), Scope.Scope, scope))
    const origin = app.origin.replace("127.0.0.1", "localhost")
    const link = await Effect.runPromise(app.newLink("owner@example.test"))
    const visitor = await newVisitor(browser, origin)
    await signIn(visitor, link.replace("127.0.0.1", "localhost"))
    const { page } = visitor
    await page.goto(`${origin}/panel/instances/${app.instance}/rescue`)
    await settled(page)
    await page.getByRole("button", { name: "Open the console" }).click()
    await page.getByRole("heading", { level: 2, name: "Console" }).waitFor()
    await page.getByText("The console ended").waitFor()
    assert.isTrue(await page.getByRole("button", { name: "Enter rescue mode" }).isVisible())
    await sound(visitor)
    await page.getByRole("button", { name: "Close the console" }).click()
    await page.getByRole("heading", { level: 2, name: "Console" }).waitFor({ state: "detached" })
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("the account gets a name, and a member leaves it with the key that they made", async () => {
    const page = await open(owner, "/account")
    await page.getByLabel("Name of the account").fill("Example Ltd")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("navigation", { name: "Main" }).getByText("Example Ltd").waitFor()
    await sound(owner)
    const keys = await open(reader, "/keys")
    await keys.getByRole("button", { name: "Make a key" }).click()
    await keys.getByLabel("Name").fill("deploy")
    await keys.getByRole("button", { name: "Make the key" }).click()
    await keys.getByRole("button", { name: "Done" }).click()
    const settings = await open(reader, "/account")
    await settings.getByRole("button", { name: "Leave…" }).click()
    await settings.getByLabel("Revoke the API keys that you made: deploy").waitFor()
    await sound(reader)
    await settings.getByRole("button", { name: "Leave the account" }).click()
    await settings.getByText("You have left Example Ltd. Revoked keys: deploy.").waitFor()
    const activity = await open(owner, "/activity")
    await activity.getByRole("row", { name: "Left the account" }).getByText(READER).waitFor()
    await activity.getByLabel("Show").selectOption({ label: "Instances" })
    await activity.getByRole("row", { name: "Bought an instance" }).first().waitFor()
    await activity.getByRole("row", { name: "Left the account" }).waitFor({ state: "detached" })
    await sound(owner)
    await settings.getByText("You are not a member of an account").waitFor()
    assert.strictEqual((await open(reader, "/account")).url(), `${panel.origin}/panel/account`)
  })
})
