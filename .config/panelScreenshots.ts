/**
 * `npm run panel:screenshots`: draws the pictures of the panel in docs/images, with the built service as an emulator
 * and Debian's Chromium. `npm run panel:screenshots -- <folder>` draws every screen into that folder: on a wide screen,
 * on a phone, and in the dark; each with data, empty, while it loads, and when the service fails.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { CUSTOMER_PATHS, OPERATOR_PATHS } from "./panelPaths.ts"
import { STATES } from "./panelStates.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

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

/** Instances that run, one that is off, one whose reinstallation failed, and an order that failed. */
const fill = async ({ api_key: key, url }: Ready): Promise<void> => {
  const controls = url.replace("/api/v1", "/_emulator")
  const settle = (advance_ms: number) => send("POST", `${controls}/clock`, { advance_ms })
  await send("PUT", `${controls}/deploy`, { mode: "instant" })
  await send("PUT", `${controls}/wallet`, { balance: 250 })
  for (const [hostname, service_id] of INSTANCES) {
    await send("POST", `${url}/instances`, { hostname, service_id, os: "debian-13" }, key)
  }
  // Returns when the deployments are done, too.
  await settle(HOUR_MILLIS)
  await send("POST", `${url}/instances/5/stop`, {}, key)
  await send("POST", `${url}/instances/1/snapshots`, { name: "before-upgrade" }, key)
  for (const operation of ["driver.reinstall", "driver.provision"]) {
    await send("POST", `${controls}/faults`, { operation, driver: "rejected", count: 1 })
  }
  await send("POST", `${url}/instances/6/reinstall`, { os: "debian-13" }, key)
  await send("POST", `${url}/instances`, { hostname: "stage.example.com", service_id: 1, os: "debian-13" }, key)
  await settle(1_000)
}

const signedIn = async (browser: Browser, link: string, options: BrowserContextOptions): Promise<Page> => {
  const page = await browser.newPage(options)
  await page.goto(link)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1, name: "Sign-in" }).waitFor()
  return page
}

const open = async (page: Page, address: string): Promise<void> => {
  await page.goto(address)
  await page.waitForLoadState("networkidle").catch(() => undefined)
}

/** The four pictures in the guide. */
const PICTURES = [
  ["customer", "panel-instances", "/panel/instances"],
  ["customer", "panel-order", "/panel/order"],
  ["customer", "panel-graphs", "/panel/instances/1/graphs"],
  ["operator", "panel-operator", "/panel/operator"]
] as const

const drawGuide = async (browser: Browser, { sign_in: links }: Ready): Promise<string> => {
  const folder = `${root}docs/images`
  const options = { viewport: { width: 1120, height: 700 } }
  const pages = {
    customer: await signedIn(browser, links.customer, options),
    operator: await signedIn(browser, links.operator, options)
  }
  for (const [role, name, path] of PICTURES) {
    const page = pages[role]
    await open(page, `${new URL(links[role]).origin}${path}`)
    await page.locator(".skeleton").first().waitFor({ state: "detached" })
    await page.screenshot({ path: `${folder}/${name}.png`, animations: "disabled" })
  }
  return folder
}

const SIZES: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1280, height: 860 } },
  phone: { viewport: { width: 390, height: 844 } },
  dark: { viewport: { width: 1280, height: 860 }, colorScheme: "dark" }
}

/** Until the page has drawn the state that it is in; one that loads for ever has no end to wait for. */
const SETTLE_MILLIS = 250

const nameOf = (path: string): string => path.replace("/panel", "").replaceAll(/[/?=]+/g, "-").slice(1) || "home"

/** A failed order, beside the paths of the tests. */
const PATHS = {
  customer: ["/panel/sign-in", ...CUSTOMER_PATHS, "/panel/instances/6", "/panel/instances/7"],
  operator: OPERATOR_PATHS
} as const

const drawPaths = async (page: Page, paths: ReadonlyArray<string>, origin: string, prefix: string) => {
  for (const [state, prepare] of Object.entries(STATES)) {
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await prepare(page)
    for (const path of paths) {
      if (state === "loading") await page.goto(`${origin}${path}`)
      else await open(page, `${origin}${path}`)
      await page.waitForTimeout(SETTLE_MILLIS)
      await page.screenshot({
        path: `${prefix}-${state}-${nameOf(path)}.png`,
        fullPage: true,
        animations: "disabled"
      })
    }
  }
}

const drawScreens = async (browser: Browser, { sign_in: links }: Ready, folder: string): Promise<string> => {
  for (const role of ["customer", "operator"] as const) {
    const first = await signedIn(browser, links[role], {})
    // A link works once.
    const storageState = await first.context().storageState()
    for (const [size, options] of Object.entries(SIZES)) {
      const page = await browser.newPage({ ...options, storageState })
      await drawPaths(page, PATHS[role], new URL(links[role]).origin, `${folder}/${size}`)
      await page.close()
    }
  }
  return folder
}

const [target] = process.argv.slice(2)
mkdirSync(target ?? `${root}docs/images`, { recursive: true })
const args = [`${root}service/dist/bin.js`, "--emulator", "--port", "0", "--request-log=false"]
const service = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })
try {
  const [line] = await once(createInterface({ input: service.stdout }), "line") as [string]
  const ready = JSON.parse(line) as Ready
  await fill(ready)
  const folder = await (target === undefined ? drawGuide(browser, ready) : drawScreens(browser, ready, target))
  console.log(`Drew the pictures in ${folder}.`)
} finally {
  await browser.close()
  service.kill()
}
