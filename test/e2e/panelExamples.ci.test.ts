/** The code that screens of the panel show, for curl, the SDK, and vps: each text is executed as it is shown. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import type { Browser, Page } from "playwright-core"
import { hasChromium, launch, settled, type Visitor } from "../support/browser.ts"
import { ROOT } from "../support/consumer.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"
import { VPS } from "../support/vps.ts"

const run = promisify(execFile)

/** Screens that show code, with the number of their buttons. */
const SCREENS = [
  ["/panel/order", 1],
  ["/panel/instances/1/overview", 1],
  ["/panel/instances/1/graphs", 1],
  ["/panel/instances/1/rescue", 2],
  ["/panel/instances/1/snapshots", 1],
  ["/panel/instances/1/backups", 1],
  ["/panel/instances/1/network", 2],
  ["/panel/instances/1/resize", 1],
  ["/panel/instances/1/settings", 3],
  ["/panel/instances/1/activity", 1]
] as const

const WAYS = ["curl", "SDK", "vps"] as const
type Way = typeof WAYS[number]

/** The command and the arguments that execute a text. The SDK's imports its own package, from its folder. */
const commandOf = (way: Way, text: string): readonly [string, ReadonlyArray<string>] =>
  way === "SDK" ? [process.execPath, ["--input-type=module", "-e", text]] : ["bash", ["-ec", text]]

describe.skipIf(!hasChromium)("the code of the panel's screens (needs Chromium)", () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-examples-"))
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  const control = (path: string) => Effect.runPromise(panel.app.control("POST", path))
  beforeAll(async () => {
    // Responses with a status of 400 or higher are failures of curl.
    writeFileSync(join(folder, ".curlrc"), "silent\nfail-with-body\n")
    mkdirSync(join(folder, "bin"))
    writeFileSync(join(folder, "bin/vps"), `#!/bin/sh\nexec ${process.execPath} ${VPS} "$@"\n`)
    chmodSync(join(folder, "bin/vps"), 0o755)
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(1)
    // Returns when the deployments are done.
    await Effect.runPromise(panel.app.control("POST", "/clock", { advance_ms: 1_000 }))
    customer = await enter(browser, panel, "customer")
    await control("/states/examples")
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
    rmSync(folder, { recursive: true })
  })

  const execute = async (way: Way, text: string): Promise<void> => {
    const [command, args] = commandOf(way, text)
    const env = {
      ...process.env,
      PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`,
      CURL_HOME: folder,
      VPS_API_KEY: panel.app.key,
      VPS_BASE_URL: `${panel.origin}/api/v1`
    }
    // Each text meets the same state.
    await control("/states/examples/restore")
    const failed = await run(command, args, { cwd: ROOT, env }).then(() => undefined, (error: Error) => error.message)
    assert.isUndefined(failed, `${way}: ${text}`)
  }

  /** The texts of the dialog that a button opens. */
  const textsOf = async (page: Page, index: number): Promise<ReadonlyArray<readonly [Way, string]>> => {
    await page.getByRole("button", { name: "Code" }).nth(index).click()
    const dialog = page.getByRole("dialog")
    const texts: Array<readonly [Way, string]> = []
    for (const way of WAYS) {
      await dialog.getByRole("button", { name: way, exact: true }).click()
      texts.push([way, await dialog.locator("pre").innerText()])
    }
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    return texts
  }

  it.each(SCREENS)("works on %s", async (path, count) => {
    const { page } = customer
    await control("/states/examples/restore")
    await page.goto(`${panel.origin}${path}`)
    await settled(page)
    if (path === "/panel/order") await page.getByLabel("Name", { exact: true }).fill("web.example.com")
    assert.isAtLeast(await page.getByRole("button", { name: "Code" }).count(), count)
    for (let index = 0; index < count; index++) {
      for (const [way, text] of await textsOf(page, index)) await execute(way, text)
    }
  })

  it("names the address that its section is about", async () => {
    const { page } = customer
    await page.goto(`${panel.origin}/panel/instances/1/network`)
    await settled(page)
    for (const [, text] of await textsOf(page, 1)) assert.include(text, "2001:db8:")
  })
})
