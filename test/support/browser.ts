/**
 * The panel in Debian's Chromium. One browser serves all tests of a file; each person gets a context of their own,
 * which records what must not happen: violations of the policy, foreign requests, uncaught errors.
 */
import axe from "axe-core"
import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"

export const CHROMIUM = "/usr/bin/chromium"

/** False where the tests of the panel are skipped. */
export const hasChromium = existsSync(CHROMIUM)

/** The sandbox needs privileges that containers lack; the rest would call services of the browser's vendor. */
export const ARGUMENTS = ["--no-sandbox", "--disable-background-networking"]

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })

/** Milliseconds until something is on the screen, on a computer that runs other tests, too. */
const SLOW = 20_000

export const WIDE = { width: 1280, height: 860 }
export const NARROW = { width: 360, height: 740 }

export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** Everything that must not happen. */
  readonly problems: Array<string>
}

const watch = (page: Page, origin: string, problems: Array<string>) => {
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`))
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted ?Type/i.test(message.text())) problems.push(message.text())
  })
  page.on("request", (request) => {
    const { host } = new URL(request.url())
    if (host !== new URL(origin).host && !/^(blob|data):/.test(request.url())) {
      problems.push(`foreign: ${request.url()}`)
    }
  })
}

/** A browser without a cookie; `origin` has the name `localhost`, which passkeys need. */
export const newVisitor = async (browser: Browser, origin: string, options: BrowserContextOptions = {}) => {
  const context = await browser.newContext({ viewport: WIDE, ...options })
  context.setDefaultTimeout(SLOW)
  const problems: Array<string> = []
  context.on("page", (page) => watch(page, origin, problems))
  return { context, problems, page: await context.newPage() } satisfies Visitor
}

/** Signs in by a link, as its page says; accepts the invitation if it is one. */
export const signIn = async ({ page }: Visitor, link: string): Promise<void> => {
  await page.goto(link)
  const button = page.getByRole("button", { name: /^(Sign in|Accept)$/ })
  await button.waitFor()
  const name = page.getByLabel("Your name")
  if (await name.count() > 0) await name.fill("Ada")
  await button.click()
  await page.getByRole("heading", { level: 1, name: "Security" }).waitFor()
}

/** Gives the page an authenticator that always confirms. */
export const addAuthenticator = async (page: Page): Promise<void> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable")
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
}

/** Until nothing on the page is a placeholder, except where the components are shown. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator("h1").first().waitFor()
  const placeholder = page.locator(":is(.skeleton, .loading):not(.example *)").first()
  while (await placeholder.count() > 0) await placeholder.waitFor({ state: "detached" })
}

/** The findings of axe on the page, in words. */
export const accessibilityProblems = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run()")
  return violations.flatMap(({ help, id, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`))
}

/** A page must not scroll sideways. */
export const widthProblems = async (page: Page): Promise<ReadonlyArray<string>> => {
  const [content, screen] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
  )
  return content > screen ? [`${content} pixels wide on a screen of ${screen}`] : []
}
