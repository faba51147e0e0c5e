/** People come and go in the built panel, in Chromium, with a real mail server whose mails have the links. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import {
  accessibilityProblems,
  hasChromium,
  launch,
  newVisitor,
  settled,
  signIn,
  type Visitor,
  widthProblems
} from "../support/browser.ts"
import { linkIn, nextMail } from "../support/mailedLink.ts"
import { mailServer } from "../support/mailServer.ts"
import { command, openShop } from "../support/operator.ts"
import { fillOrder, notePassword } from "../support/order.ts"
import { freePort } from "../support/port.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"

const OWNER = "owner@example.test"
const ADA = "ada@example.test"

describe.skipIf(!hasChromium)("the people of an account, in Chromium", () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-people-"))
  const database = join(folder, "vps.db")
  const scope = Scope.makeUnsafe()
  let origin = ""
  let browser: Browser
  let service: ServiceProcess
  let mails: Effect.Success<ReturnType<typeof mailServer>>["mails"]
  let owner: Visitor
  let ada: Visitor
  const mailed = async (to: string, text: string) => linkIn(await nextMail(mails, to, text))
  const go = async (page: Page, path: string) => {
    await page.goto(`${origin}${path}`)
    await settled(page)
  }
  const sound = async (page: Page) => {
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    assert.deepStrictEqual(await widthProblems(page), [])
  }
  beforeAll(async () => {
    const server = await Effect.runPromise(Effect.provideService(mailServer(), Scope.Scope, scope))
    mails = server.mails
    const port = await freePort()
    origin = `http://localhost:${port}`
    const env = {
      VPS_SERVICE_SECRET: "s".repeat(40),
      VPS_SERVICE_SMTP_URL: server.url,
      VPS_SERVICE_PANEL_URL: origin
    }
    service = await startServiceWith({ env }, ["--database", database, "--port", String(port)])
    browser = await launch()
    await openShop(database, 100)
    await command(database, "addresses.add", {
      network: "2001:db8::/64",
      gateway: "2001:db8::1",
      data_center: "Frankfurt"
    })
    owner = await newVisitor(browser, origin)
    ada = await newVisitor(browser, origin)
  })
  afterAll(async () => {
    await browser?.close()
    await service?.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  it("an invited owner accepts by the mailed link, and invites another person", async () => {
    await command(database, "people.invite", { email: OWNER, role: "customer", account_id: 1 })
    const { page, problems } = owner
    await page.goto(await mailed(OWNER, "Your host invites you to work with the account a@example.test"))
    await page.getByText("Your host invites you to the account a@example.test.").waitFor()
    await sound(page)
    await page.getByLabel("Your name").fill("Olga")
    await page.getByRole("button", { name: "Accept" }).click()
    await page.getByRole("heading", { level: 1, name: "Security" }).waitFor()
    await go(page, "/panel/people")
    await page.getByRole("button", { name: "Invite a person" }).click()
    await page.getByLabel("Email").fill(ADA)
    await page.getByRole("button", { name: "Invite", exact: true }).click()
    await page.getByText("It was mailed.").waitFor()
    await page.getByRole("button", { name: "Done" }).click()
    const row = page.getByRole("row", { name: ADA })
    await row.getByText("Pending").waitFor()
    assert.strictEqual(await row.count(), 1, "an invitation, and no member")
    await sound(page)
    assert.deepStrictEqual(problems, [])
  })

  it("the invited person accepts, orders an instance, and makes a key", async () => {
    const { page, problems } = ada
    await signIn(ada, await mailed(ADA, `${OWNER} invites you to work with the account a@example.test`))
    await go(page, "/panel/order")
    await fillOrder(page, "ada.example.com")
    await page.getByText("Charged now").waitFor()
    await page.getByRole("button", { name: "Order and pay" }).click()
    await notePassword(page, "ada.example.com")
    await go(page, "/panel/keys")
    await page.getByRole("button", { name: "Make a key" }).click()
    await page.getByLabel("Name").fill("deploy")
    await page.getByRole("button", { name: "Make the key" }).click()
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("row", { name: "deploy" }).getByText(ADA).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("the owner removes that person with their key, and reads which remain", async () => {
    const { page, problems } = owner
    await go(page, "/panel/people")
    await page.getByRole("row", { name: ADA }).getByRole("button", { name: "Remove" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Revoke the API keys that they made: deploy").waitFor()
    await sound(page)
    await dialog.getByRole("button", { name: "Remove" }).click()
    await page.getByText("Ada is removed. Revoked keys: deploy. Keys that they may know: test.").waitFor()
    await page.getByRole("row", { name: ADA }).waitFor({ state: "detached" })
    const status = await ada.page.evaluate<number>(
      "fetch('/panel/api/accounts/1/v1/instances').then(({ status }) => status)"
    )
    assert.strictEqual(status, 404)
    assert.deepStrictEqual(problems, [])
  })

  it("a person who is known finds another invitation in the panel, and can decline", async () => {
    const { page } = owner
    await go(page, "/panel/people")
    await page.getByRole("button", { name: "Invite a person" }).click()
    await page.getByLabel("Email").fill(ADA)
    await page.getByRole("button", { name: "Invite", exact: true }).click()
    await page.getByRole("button", { name: "Done" }).click()
    await go(ada.page, "/panel/profile")
    await ada.page.getByText(`${OWNER} invites you to the account a@example.test.`).waitFor()
    await sound(ada.page)
    await ada.page.getByRole("button", { name: "Decline" }).click()
    await ada.page.getByText("You declined.").waitFor()
    await go(page, "/panel/people")
    await page.getByText("No open invitations").waitFor()
    const stale = await newVisitor(browser, origin)
    await stale.page.goto(await mailed(ADA, `${OWNER} invites you`))
    await stale.page.getByText("This invitation is not valid").waitFor()
    assert.deepStrictEqual([...owner.problems, ...ada.problems, ...stale.problems], [])
  })

  it("the sign-in page mails a link, and says the same for an address that is not known", async () => {
    const { page, problems } = await newVisitor(browser, origin)
    for (const email of ["nobody@example.test", OWNER]) {
      await go(page, "/panel")
      await page.getByLabel("Email").fill(email)
      await sound(page)
      await page.getByRole("button", { name: "Mail me a link" }).click()
      await page.getByText("If the address is known here, a link is on its way to it.").waitFor()
    }
    await page.goto(await mailed(OWNER, "Open this page and press its button"))
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { level: 1, name: "Security" }).waitFor()
    assert.deepStrictEqual(problems, [])
  })

  it("an operator sees the invitations, the networks, and separate facts in the audit log", async () => {
    const operator = await newVisitor(browser, origin)
    const { link } = await command(database, "people.invite", { email: "op@example.test", role: "operator" })
    await signIn(operator, link)
    const { page } = operator
    await go(page, "/panel/operator")
    const steps = page.getByRole("list").filter({ has: page.getByRole("heading", { name: "Payment details" }) })
    await steps.getByText("The setting payment (VPS_SERVICE_PAYMENT) is not set.").waitFor()
    await steps.getByRole("heading", { name: /^Data center.*done/ }).waitFor()
    await steps.getByRole("button", { name: "Send a test mail to op@example.test" }).click()
    await steps.getByRole("heading", { name: /^Mail.*done/ }).waitFor()
    assert.strictEqual(mails.filter(({ content }) => content.includes("Test of the mail server")).length, 1)
    await go(page, "/panel/operator/accounts/1/people")
    await page.getByRole("heading", { name: "Invitations" }).waitFor()
    const row = page.getByRole("row", { name: OWNER })
    await row.getByRole("button", { name: "Make a link" }).click()
    await page.getByText("It was mailed, too.").waitFor()
    await page.getByRole("button", { name: "Done" }).click()
    await go(page, "/panel/operator/hosts")
    await page.getByRole("row", { name: "2001:db8::/64" }).getByText(/^\d+$/).waitFor()
    assert.notInclude(await page.textContent("main"), "null")
    await command(database, "instances.suspend", { id: 1, reason: "spam" })
    await go(page, "/panel/operator/audit")
    await page.getByText("account 1, instance 1").first().waitFor()
    assert.deepStrictEqual(operator.problems, [])
  })
})
