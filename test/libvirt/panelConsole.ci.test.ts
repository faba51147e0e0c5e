/**
 * The whole way of a person in Chromium, with a machine on libvirt and a real mail server: invited by mail, they order,
 * type into the console, and lose it when they are removed.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasChromium, launch, newVisitor, settled, signIn } from "../support/browser.ts"
import { handshake } from "../support/consoleSocket.ts"
import { linkIn, nextMail } from "../support/mailedLink.ts"
import { mailServer } from "../support/mailServer.ts"
import { tokenIn } from "../support/panel.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"
import { assertLike, containing } from "../support/like.ts"

const QEMU = "/var/lib/libvirt/qemu"
const TIMEOUT = 300_000
const SCREEN_MILLIS = 60_000

/** The number of colors on the screen; 0 before it has one. */
const COLORS = `(() => {
  const canvas = document.querySelector(".console canvas")
  if (canvas === null || canvas.width === 0) return 0
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
  return new Set(new Uint32Array(data.buffer)).size
})()`

const OWNER = "owner@example.test"
const ADA = "ada@example.test"

describe.skipIf(noHosts !== undefined || !hasChromium)(`a person of an account in Chromium${reason}`, () => {
  const scope = Scope.makeUnsafe()
  let host: Host
  let service: RealService
  let browser: Browser
  let mails: Effect.Success<ReturnType<typeof mailServer>>["mails"]
  const links: Array<string> = []
  /** Sockets of screens are in the host's mount namespace: they appear where the service, which is outside, looks. */
  const showScreens = () => {
    const folder = join(host.folder, "lib/qemu")
    mkdirSync(QEMU, { recursive: true })
    for (const name of readdirSync(folder).filter((one) => one.startsWith("domain-"))) {
      rmSync(join(QEMU, name), { force: true })
      symlinkSync(join(folder, name), join(QEMU, name))
      links.push(join(QEMU, name))
    }
  }
  beforeAll(async () => {
    host = startHost("alpha")
    const server = await Effect.runPromise(Effect.provideService(mailServer(), Scope.Scope, scope))
    mails = server.mails
    service = new RealService({ VPS_SERVICE_SMTP_URL: server.url, VPS_SERVICE_CONSOLE_CHECK_MILLIS: "500" })
    await service.open()
    await service.addHost(host, { folder: join(host.folder, "images") })
    browser = await launch()
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
    host.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    for (const link of links) rmSync(link)
  })

  it("is invited by mail, orders, uses the console, and loses it with the account", { timeout: TIMEOUT }, async () => {
    const origin = service.process.origin.replace("127.0.0.1", "localhost")
    /** The service does not know its port before it starts, so only the token is the mail's. */
    const mailed = async (to: string) =>
      `${origin}/panel/invitation#${tokenIn(linkIn(await nextMail(mails, to, "invites you to work with the account")))}`
    const owner = await newVisitor(browser, origin)
    await service.admin("people.invite", { email: OWNER, role: "customer", account_id: 1 })
    await signIn(owner, await mailed(OWNER))
    await owner.page.goto(`${origin}/panel/people`)
    await owner.page.getByRole("button", { name: "Invite a person" }).click()
    await owner.page.getByLabel("Email").fill(ADA)
    await owner.page.getByRole("button", { name: "Invite", exact: true }).click()
    await owner.page.getByText("It was mailed.").waitFor()

    const { context, page, problems } = await newVisitor(browser, origin)
    await signIn({ context, page, problems }, await mailed(ADA))
    await page.goto(`${origin}/panel/order`)
    await settled(page)
    await page.getByLabel("Name", { exact: true }).fill("one")
    await page.getByLabel("Public SSH key").fill(service.key.publicKey)
    await page.getByText("Charged now").waitFor()
    await page.getByRole("button", { name: "Order and pay" }).click()
    await page.getByRole("heading", { level: 1, name: "one" }).waitFor()
    const id = Number(/\/instances\/(\d+)/.exec(page.url())![1])
    const { ipv4 } = await service.settled(id)
    showScreens()
    await service.reaches(
      host,
      ipv4,
      "(head -n 1 /dev/tty1 > /tmp/typed &) < /dev/null > /dev/null 2>&1; echo on",
      "on"
    )

    const connected = page.waitForEvent("websocket")
    await page.goto(`${origin}/panel/instances/${id}/console`)
    const socket = await connected
    const ticket = socket.url().slice(origin.replace("http", "ws").length)
    await page.getByText("Connected. Click the screen to type.").waitFor()
    await until(() => page.evaluate<number>(COLORS), (colors) => colors > 1, SCREEN_MILLIS)
    await page.locator(".console canvas").click()
    await page.keyboard.type("hello")
    await page.keyboard.press("Enter")
    await service.reaches(host, ipv4, "cat /tmp/typed", "hello")
    const [cookie] = await context.cookies()
    const person = { origin: service.process.origin, cookie: cookie!.value }
    const again = await Effect.runPromise(handshake(person, ticket))
    assertLike(again, {
      status: 403,
      detail: containing("This ticket is not valid: it was used")
    })
    const foreign = await Effect.runPromise(handshake(person, ticket, "https://evil.example"))
    assertLike(foreign, { status: 403, detail: containing("Only the panel's own pages") })

    const ended = socket.waitForEvent("close")
    await owner.page.goto(`${origin}/panel/people`)
    await owner.page.getByRole("row", { name: ADA }).getByRole("button", { name: "Remove" }).click()
    await owner.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await owner.page.getByText("Ada is removed.").waitFor()
    await ended
    assert.deepStrictEqual([...problems, ...owner.problems], [])
  })
})
