/** The console of a machine on libvirt in Chromium: its screen arrives, and keys reach the guest. */
import * as Effect from "effect/Effect"
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launch, newVisitor, signIn } from "../support/browser.ts"
import { handshake } from "../support/consoleSocket.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"

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

describe.skipIf(noHosts !== undefined || !hasChromium)(`the console in Chromium${reason}`, () => {
  let host: Host
  let service: RealService
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
    service = new RealService()
    await service.open()
    await service.addHost(host, { folder: join(host.folder, "images") })
  })
  afterAll(async () => {
    await service.close()
    host.stop()
    for (const link of links) rmSync(link)
  })

  it("shows a machine's screen and types into it; its ticket opens nothing else", { timeout: TIMEOUT }, async () => {
    const id = await service.buy()
    const { ipv4 } = await service.settled(id)
    showScreens()
    await service.reaches(
      host,
      ipv4,
      "(head -n 1 /dev/tty1 > /tmp/typed &) < /dev/null > /dev/null 2>&1; echo on",
      "on"
    )
    const invitation = { email: "ada@example.test", role: "customer", account_id: 1 } as const
    const { link } = await service.admin("people.invite", invitation)
    const origin = service.process.origin.replace("127.0.0.1", "localhost")
    const browser = await launch()
    const { context, page, problems } = await newVisitor(browser, origin)
    await signIn({ context, page, problems }, `${origin}/panel/sign-in#${link.split("#")[1]}`)
    const connected = page.waitForEvent("websocket")
    await page.goto(`${origin}/panel/instances/${id}/console`)
    const ticket = (await connected).url().slice(origin.replace("http", "ws").length)
    await page.getByText("Connected. Click the screen to type.").waitFor()
    await until(() => page.evaluate<number>(COLORS), (colors) => colors > 1, SCREEN_MILLIS)
    await page.locator(".console canvas").click()
    await page.keyboard.type("hello")
    await page.keyboard.press("Enter")
    await service.reaches(host, ipv4, "cat /tmp/typed", "hello")
    const [cookie] = await context.cookies()
    const person = { origin: service.process.origin, cookie: cookie!.value }
    const again = await Effect.runPromise(handshake(person, ticket))
    expect(again).toMatchObject({
      status: 403,
      detail: expect.stringContaining("This ticket is not valid: it was used")
    })
    const foreign = await Effect.runPromise(handshake(person, ticket, "https://evil.example"))
    expect(foreign).toMatchObject({ status: 403, detail: expect.stringContaining("Only the panel's own pages") })
    expect(problems).toEqual([])
    await browser.close()
  })
})
