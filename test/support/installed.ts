/**
 * The first use of an installed service: a person opens the panel, calls the API, buys an instance, and finds it in
 * the panel. The test of each artefact starts its service, and runs these tests.
 */
import { assert, it } from "@effect/vitest"
import { Vps } from "#sdk/index"
import { VERSION } from "#contract/Version"
import { addAuthenticator, hasChromium, launch, newVisitor, settled, signIn } from "./browser.ts"

export interface Installed {
  /** Without a path, by the name `localhost`, which passkeys need. */
  readonly origin: string
  readonly apiKey: string
  /** Links that sign a person in once, or accept an invitation. */
  readonly links: { readonly customer: string; readonly operator: string }
}

const CUSTOMER = "customer@example.com"
const OPERATOR = "operator@example.com"

/** The operator's commands for the first account, with the names of their results. The first reads the example. */
export const FIRST_COMMANDS: ReadonlyArray<readonly [result: string, ...args: ReadonlyArray<string>]> = [
  ["catalogue", "catalogue", "import", "-"],
  ["account", "accounts", "create", "--email", CUSTOMER],
  ["key", "keys", "create", "--account", "1", "--scope", "vps:create"],
  ["wallet", "wallet", "top-up", "1", "100"],
  ["customer", "people", "invite", CUSTOMER, "1"],
  ["operator", "people", "invite", OPERATOR, "--role", "operator"]
]

/** An installed service with its first account, from the results of the commands. */
export const installedFrom = (origin: string, result: (name: string) => string): Installed => {
  const { api_key: apiKey } = JSON.parse(result("key")) as { readonly api_key: string }
  const link = (name: string) => {
    const invitation = JSON.parse(result(name)) as { readonly link: string; readonly mailed: boolean }
    assert.isTrue(invitation.mailed, `the invitation of the ${name} was not mailed`)
    return invitation.link
  }
  return { origin, apiKey, links: { customer: link("customer"), operator: link("operator") } }
}

/** A line of the service's log that no test of these causes. */
export const FAILURE = /"level":"(?:ERROR|FATAL)"/

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml"
}

const read = async (url: string, type: string | undefined): Promise<string> => {
  const response = await fetch(url)
  const text = await response.text()
  assert.deepStrictEqual([response.status, response.headers.get("content-type")], [200, type], `${url}: ${text}`)
  assert.isAbove(text.length, 0, url)
  return text
}

const IN_PAGE = /<(?:link|script)\b[^>]* (?:src|href)="((?!data:)[^"]+)"/g
/** Static and dynamic imports between the files of the panel. */
const IN_SCRIPT = /["'](\.\/[\w.-]+\.(?:js|css))["']/g

/** Reads a page, all that it loads, and all that its scripts can load later. Returns the addresses of the files. */
const readWholePage = async (origin: string, path: string): Promise<ReadonlySet<string>> => {
  const page = await read(`${origin}${path}`, "text/html; charset=utf-8")
  const found = new Set([...page.matchAll(IN_PAGE)].map(([, address]) => new URL(address!, `${origin}${path}`).href))
  // The set grows while it is read.
  for (const file of found) {
    const text = await read(file, TYPES[/\w+$/.exec(new URL(file).pathname)![0]])
    if (path === "/panel") {
      for (const [, address] of text.matchAll(IN_SCRIPT)) found.add(new URL(address!, file).href)
    }
  }
  return found
}

/** Screens, and what they share: each is a file that is loaded when a person first goes there. */
const FILES_MIN = 40

const HOSTNAME = "first.example.com"

/** A customer's first visit: sets up a passkey, signs in with it, and sees the instance that was bought. */
const visitAsCustomer = async (visitor: Awaited<ReturnType<typeof newVisitor>>, link: string) => {
  const { page } = visitor
  await addAuthenticator(page)
  await signIn(visitor, link)
  await page.getByRole("button", { name: "Add a passkey" }).click()
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("cell", { name: "This device" }).waitFor()
  await page.getByRole("button", { name: /^Account menu/ }).click()
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByRole("button", { name: "Sign in with a passkey" }).click()
  await page.getByRole("link", { name: "Instances" }).click()
  await page.getByRole("link", { name: HOSTNAME }).click()
  await page.getByRole("heading", { level: 1, name: HOSTNAME }).waitFor()
  await page.locator(".beside .status", { hasText: "Running" }).waitFor()
}

/** Declares the tests of a service that runs already. */
export const testInstalled = (installed: () => Installed): void => {
  it("serves the panel with all files of all its screens, and the API's documents", async () => {
    const { origin } = installed()
    const files = await readWholePage(origin, "/panel")
    assert.isAbove(files.size, FILES_MIN)
    assert.lengthOf([...await readWholePage(origin, "/docs")], 1)
    const response = await fetch(`${origin}/openapi.json`)
    assert.strictEqual((await response.json() as { readonly openapi: string }).openapi, "3.0.3")
  })

  it("accepts a call with a key, and sells an instance once", async () => {
    const { apiKey, origin } = installed()
    const vps = new Vps({ baseUrl: `${origin}/api/v1`, apiKey })
    assert.include((await vps.account.whoami()).key.scopes, "vps:create")
    const before = await vps.account.balance()
    const order = { service_id: 1, hostname: HOSTNAME }
    const bought = await vps.instances.createAndWait(order, { idempotencyKey: "first" })
    assert.strictEqual(bought.status, "running")
    assert.strictEqual((await vps.instances.create(order, { idempotencyKey: "first" })).id, bought.id)
    assert.closeTo(before.wallet_balance - (await vps.account.balance()).wallet_balance, 4.99, 0.001)
  })

  it.skipIf(!hasChromium)(
    "signs people in to the panel, which shows the purchase, and operators the version",
    async () => {
      const { links, origin } = installed()
      const browser = await launch()
      try {
        const [customer, operator] = [await newVisitor(browser, origin), await newVisitor(browser, origin)]
        await visitAsCustomer(customer, links.customer)
        await signIn(operator, links.operator)
        await operator.page.getByText(`vps-service ${VERSION}`, { exact: true }).waitFor()
        await operator.page.goto(`${origin}/panel/operator`)
        await settled(operator.page)
        assert.deepStrictEqual([...customer.problems, ...operator.problems], [])
      } finally {
        await browser.close()
      }
    }
  )
}
