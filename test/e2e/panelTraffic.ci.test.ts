/** The bytes that a page of 1,000 instances loads in Chromium: at first, and to follow changes elsewhere. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import { hasChromium, launch, settled, type Visitor } from "../support/browser.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

const INSTANCES = 1_000
const FIRST_SCREEN_MAX = 150_000
const TEN_CHANGES_MAX = 100_000

/** Time without a response, after which a page has loaded what it needs. */
const QUIET_MILLIS = 1_500

/** Counts what a page receives, with headers, as it comes from the network. */
const countBytes = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page)
  let [bytes, last] = [0, Date.now()]
  const add = (count: number) => {
    bytes += count
    last = Date.now()
  }
  await devtools.send("Network.enable")
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true })
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => add(encodedDataLength))
  devtools.on("Network.eventSourceMessageReceived", ({ data }) => add(data.length + "data: \n\n".length))
  return {
    /** The bytes since the last call, once the page is quiet. */
    take: async () => {
      last = Date.now()
      while (Date.now() - last < QUIET_MILLIS) await page.waitForTimeout(100)
      const taken = bytes
      bytes = 0
      return taken
    }
  }
}

describe.skipIf(!hasChromium)(`a list of ${INSTANCES} instances in Chromium`, () => {
  let browser: Browser
  let panel: StartedPanel
  let customer: Visitor
  let counted: Awaited<ReturnType<typeof countBytes>>
  const statusOf = (name: string) => customer.page.getByRole("row").filter({ hasText: name }).locator(".status")
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(INSTANCES)
    customer = await enter(browser, panel, "customer")
    counted = await countBytes(customer.page)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  it("loads at most 150 kB at first, with the scripts", async () => {
    const { page } = customer
    await page.goto(`${panel.origin}/panel/instances`)
    await settled(page)
    await page.getByText(`${INSTANCES} of ${INSTANCES}`).waitFor()
    const bytes = await counted.take()
    console.info(`first screen: ${bytes} bytes`)
    assert.isAtMost(bytes, FIRST_SCREEN_MAX)
  })

  it("loads at most 100 kB to follow ten restarts on it elsewhere", async () => {
    for (let id = 1; id <= 10; id++) {
      await panel.act(`/instances/${id}/restart`)
      // Apart, so that no two of them share an event.
      await customer.page.waitForTimeout(700)
    }
    const bytes = await counted.take()
    console.info(`ten restarts: ${bytes} bytes`)
    assert.isAtMost(bytes, TEN_CHANGES_MAX)
    assert.isAbove(bytes, 1_000)
  })

  it("follows each change: of a status, of a new instance, and of one that is gone", async () => {
    const { page, problems } = customer
    await panel.act("/instances/3/stop")
    await statusOf("cache-3.example.com").filter({ hasText: "Stopped" }).waitFor()
    await panel.act("/instances/3/start")
    await statusOf("cache-3.example.com").filter({ hasText: "Running" }).waitFor()
    await panel.buy(1)
    await page.getByText(`${INSTANCES + 1} of ${INSTANCES + 1}`).waitFor()
    await panel.terminate(2)
    await page.getByText(`${INSTANCES} of ${INSTANCES}`).waitFor()
    const named = (table: string) =>
      page.getByRole("region", { name: table, exact: true }).getByRole("row").filter({ hasText: "db-2.example.com" })
    await named("Deleted instances").waitFor()
    assert.strictEqual(await named("Instances").count(), 0)
    assert.isAtMost(await counted.take(), TEN_CHANGES_MAX)
    assert.deepStrictEqual(problems, [])
  })
})
