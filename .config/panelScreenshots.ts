/**
 * `npm run panel:screenshots`: draws the pictures of the panel in docs/images, with the built service as an emulator
 * and Debian's Chromium. `npm run panel:screenshots -- <folder>` draws every screen into that folder: on a wide screen,
 * on a phone, and in the dark; each with data, empty, while it loads, and when the service fails. A second argument is
 * a part of the addresses to draw, such as `operator/accounts`, with data only.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { CUSTOMER_PATHS, OPERATOR_PATHS } from "./panelPaths.ts"
import { STATES } from "./panelStates.ts"

const [target, only] = process.argv.slice(2)
const root = fileURLToPath(new URL("..", import.meta.url))

const PROGRAM = `${root}service/dist/bin.js`

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

/** As operators do in a shell. */
const admin = async (command: ReadonlyArray<string>): Promise<string> => {
  const child = spawn(process.execPath, [PROGRAM, "admin", ...command], { stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  child.stdout.on("data", (chunk) => output += chunk)
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`admin ${command.join(" ")} ended with ${code}`)
  return output
}

/** Maintenance and news, which the pages of the customer and of the operator show. */
const announce = async (page: Page): Promise<void> => {
  const command = (body: object) =>
    page.evaluate(async (input) => {
      const response = await fetch("/panel/api/operator/commands/announcements.add", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(input)
      })
      if (!response.ok) throw new Error(await response.text())
    }, body)
  const start = Date.now() + 2 * 24 * HOUR_MILLIS
  const at = (hours: number) => new Date(start + hours * HOUR_MILLIS).toISOString()
  await command({
    kind: "maintenance",
    title: "A network switch is replaced",
    text: "Instances keep running, and cannot be reached for some minutes.",
    starts_at: at(0),
    ends_at: at(2)
  })
  await command({
    kind: "announcement",
    title: "Debian 13 is available",
    text: "Choose it when you order, or reinstall an instance with it.",
    starts_at: at(-50),
    ends_at: at(200)
  })
}

/** A service that was just installed, with its operator: a database, and nothing in it. */
const startNew = async () => {
  const folder = mkdtempSync(join(tmpdir(), "panel-screenshots-"))
  const database = join(folder, "vps.db")
  const flags = ["--database", database, "--driver", "simulated", "--port", "0", "--request-log=false"]
  const child = spawn(process.execPath, [PROGRAM, ...flags], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, VPS_SERVICE_SMTP_URL: "smtp://127.0.0.1:9" }
  })
  const [line] = await once(createInterface({ input: child.stdout }), "line") as [string]
  const { panel } = JSON.parse(line) as Pick<Ready, "panel">
  const made = await admin(
    ["people", "invite", "ada@example.com", "--role", "operator", "--database", database, "-o", "json"]
  )
  const stop = () => {
    child.kill()
    rmSync(folder, { recursive: true })
  }
  // The command does not know which free port the service took.
  const { hash, pathname } = new URL((JSON.parse(made) as { readonly link: string }).link)
  return { link: `${new URL(panel).origin}${pathname}${hash}`, panel, stop }
}

const signedIn = async (browser: Browser, link: string, options: BrowserContextOptions): Promise<Page> => {
  const page = await browser.newPage(options)
  await page.goto(link)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1, name: "Security" }).waitFor()
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
  const states = only === undefined ? Object.entries(STATES) : [["data", STATES.data] as const]
  for (const [state, prepare] of states) {
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await prepare(page)
    for (const path of paths.filter((one) => one.includes(only ?? ""))) {
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

/** The first page of a new installation, at first and with some steps done; and a form of it. */
const drawSetup = async (browser: Browser, folder: string): Promise<void> => {
  const { link, panel, stop } = await startNew()
  try {
    const first = await browser.newPage()
    await first.goto(link)
    await first.getByLabel("Your name").fill("Ada")
    await first.getByRole("button", { name: "Accept" }).click()
    await first.getByRole("navigation", { name: "Main" }).waitFor()
    const storageState = await first.context().storageState()
    for (const [size, options] of Object.entries(SIZES)) {
      const page = await browser.newPage({ ...options, storageState })
      await open(page, `${panel}/operator`)
      await page.screenshot({ path: `${folder}/${size}-data-setup.png`, fullPage: true, animations: "disabled" })
      if (size === "desktop") {
        await page.getByRole("button", { name: "Add a data center" }).click()
        await page.screenshot({ path: `${folder}/${size}-data-setup-form.png`, animations: "disabled" })
        await page.getByRole("textbox", { name: "Name" }).fill("Helsinki")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("button", { name: /^Send a test mail/ }).click()
        await page.getByText("cannot be used").first().waitFor({ timeout: 60_000 })
      }
      await page.close()
    }
  } finally {
    stop()
  }
}

const drawScreens = async (browser: Browser, { sign_in: links }: Ready, folder: string): Promise<string> => {
  if (only === undefined || only === "setup") await drawSetup(browser, folder)
  for (const role of ["operator", "customer"] as const) {
    const first = await signedIn(browser, links[role], {})
    if (role === "operator") await announce(first)
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

mkdirSync(target ?? `${root}docs/images`, { recursive: true })
const args = [PROGRAM, "--emulator", "--port", "0", "--request-log=false"]
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
