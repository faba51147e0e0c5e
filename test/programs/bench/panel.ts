/**
 * `npm run bench -- panel`: the panel in Debian's Chromium, with an emulator of the built service. Measures the time
 * until the first screen is usable on a processor that is six times slower, from an empty cache, and the time of a
 * keystroke in the filter of 1,000 instances at full speed. Then it measures the cost of open pages while nothing
 * happens.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type Page } from "playwright-core"
import { measureStreams } from "./panelStreams.ts"
import { median } from "./report.ts"

const BIN = fileURLToPath(new URL("../../../service/dist/bin.js", import.meta.url))

const ROUNDS = 7
const THROTTLING = 6
const INSTANCES = 1_000

const signedIn = async (browser: Browser, link: string) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1, name: "Security" }).waitFor()
  return { context, page }
}

/** From the navigation until the list's search can be used, by the page's own clock. */
const usable = async (page: Page, origin: string): Promise<number> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("Network.clearBrowserCache")
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: THROTTLING })
  await page.goto(`${origin}/panel/instances`, { waitUntil: "commit" })
  await page.getByRole("searchbox").waitFor()
  const millis = await page.evaluate<number>("performance.now()")
  await devtools.detach()
  return millis
}

/** Replaces the list of instances by copies of the one that exists. */
const multiply = (page: Page) =>
  page.route("**/v1/instances", async (route) => {
    const response = await route.fetch()
    const [one] = await response.json() as Array<Record<string, unknown>>
    const copies = Array.from({ length: INSTANCES }, (_, index) => ({
      ...one,
      id: index + 1,
      status: "stopped",
      provider_data: JSON.stringify({ hostname: `web-${index + 1}.example.com` })
    }))
    await route.fulfill({ response, json: copies })
  })

/** A keystroke in the filter until the next frame is drawn, by the page's own clock. */
const KEYSTROKE = `(async () => {
  const input = document.querySelector("input[type=search]")
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const times = []
  for (const text of ["w", "we", "web", "web-1", "web-12", "web-1", "web", ""]) {
    await frame()
    const start = performance.now()
    input.value = text
    input.dispatchEvent(new InputEvent("input", { bubbles: true }))
    await frame()
    times.push(performance.now() - start)
  }
  return times
})()`

const measure = async (browser: Browser, link: string): Promise<void> => {
  const { origin } = new URL(link)
  const { page } = await signedIn(browser, link)
  const times: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) times.push(await usable(page, origin))
  console.log(
    `usable at ${THROTTLING}x throttling, cold cache: median ${median(times).toFixed(0)} ms of ${ROUNDS} rounds`
  )
  await multiply(page)
  await page.goto(`${origin}/panel/instances`)
  await page.getByText(`${INSTANCES} of ${INSTANCES}`).waitFor()
  const strokes = await page.evaluate<ReadonlyArray<number>>(KEYSTROKE)
  console.log(
    `keystroke in the filter of ${INSTANCES} instances: median ${median(strokes).toFixed(1)} ms, slowest `
      + `${Math.max(...strokes).toFixed(1)} ms`
  )
}

const service = spawn(process.execPath, [BIN, "--emulator", "--port", "0", "--request-log=false"], {
  stdio: ["ignore", "pipe", "ignore"]
})
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })
try {
  const [line] = await once(createInterface({ input: service.stdout }), "line") as [string]
  const ready = JSON.parse(line) as {
    readonly url: string
    readonly api_key: string
    readonly sign_in: { readonly customer: string }
  }
  await fetch(`${ready.url}/instances`, {
    method: "POST",
    headers: { authorization: `Bearer ${ready.api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ service_id: 1 })
  })
  await measure(browser, ready.sign_in.customer)
} finally {
  await browser.close()
  service.kill()
}
await measureStreams()
