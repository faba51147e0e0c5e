/**
 * `npm run panel:screenshots`: draws the pictures of the panel in docs/images, with the built service as an emulator
 * and Debian's Chromium.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Browser, chromium } from "playwright-core"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = `${root}docs/images`

/** The first line of the emulator's output. */
interface Ready {
  readonly url: string
  readonly panel: string
  readonly api_key: string
  readonly sign_in: { readonly customer: string; readonly operator: string }
}

const INSTANCES = [
  ["web-1.example.com", 2],
  ["web-2.example.com", 2],
  ["db-1.example.com", 3],
  ["cache.example.com", 1],
  ["mail.example.com", 1],
  ["ci.example.com", 2]
] as const

/** The emulator's time between the purchases and the pictures, so that graphs have measurements. */
const HOUR_MILLIS = 3_600_000

/** Sends JSON to the emulator, which is on this computer. */
const send = async (method: string, url: string, body: object, key?: string): Promise<void> => {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...authorization },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
}

const fill = async ({ api_key: key, url }: Ready): Promise<void> => {
  const controls = url.replace("/api/v1", "/_emulator")
  await send("PUT", `${controls}/deploy`, { mode: "instant" })
  await send("PUT", `${controls}/wallet`, { balance: 250 })
  for (const [hostname, service_id] of INSTANCES) {
    await send("POST", `${url}/instances`, { hostname, service_id, os: "debian-13" }, key)
  }
  // Returns when the deployments are done, too.
  await send("POST", `${controls}/clock`, { advance_ms: HOUR_MILLIS })
  await send("POST", `${url}/instances/5/stop`, {}, key)
}

const signedIn = async (browser: Browser, link: string) => {
  const page = await browser.newPage({ viewport: { width: 1120, height: 700 } })
  await page.goto(link)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1, name: "Sign-in" }).waitFor()
  return async (name: string, path: string) => {
    await page.goto(`${new URL(link).origin}${path}`)
    await page.waitForLoadState("networkidle").catch(() => undefined)
    await page.locator(".skeleton").first().waitFor({ state: "detached" })
    await page.screenshot({ path: `${folder}/${name}.png`, animations: "disabled" })
  }
}

const draw = async (ready: Ready): Promise<void> => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })
  try {
    const customer = await signedIn(browser, ready.sign_in.customer)
    await customer("panel-instances", "/panel/instances")
    await customer("panel-order", "/panel/order")
    await customer("panel-graphs", "/panel/instances/1/graphs")
    const operator = await signedIn(browser, ready.sign_in.operator)
    await operator("panel-operator", "/panel/operator")
  } finally {
    await browser.close()
  }
}

mkdirSync(folder, { recursive: true })
const args = [`${root}dist/service/bin.js`, "--emulator", "--port", "0", "--request-log=false"]
const service = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
try {
  const [line] = await once(createInterface({ input: service.stdout }), "line") as [string]
  const ready = JSON.parse(line) as Ready
  await fill(ready)
  await draw(ready)
  console.log(`Drew the pictures in ${folder}.`)
} finally {
  service.kill()
}
