/** The panel of two replicas: people are connected to different ones, and see each other's changes. */
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { hasChromium, launch, newVisitor, settled, signIn, type Visitor } from "../support/browser.ts"
import { openLink, PanelBrowser, tokenIn } from "../support/panel.ts"
import { openEvents } from "../support/panelEvents.ts"
import { noPostgres } from "../support/postgresProject.ts"
import { ask, operate, seededDatabase, startReplicas } from "../support/replicas.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"

/** By a name: browsers send a session's cookie to it without encryption. */
const localOrigin = ({ origin }: ServiceProcess): string => origin.replace("127.0.0.1", "localhost")

const invite = async (database: string, email: string): Promise<string> => {
  const { link } = await operate(database, "people", "invite", email, "--account", "1") as { readonly link: string }
  return link
}

const signedIn = async (replica: ServiceProcess, link: string): Promise<PanelBrowser> => {
  const browser = new PanelBrowser(replica.origin)
  const { status } = await Effect.runPromise(openLink(browser, link))
  assert.strictEqual(status, 200)
  return browser
}

/** The same session at another replica. */
const at = (replica: ServiceProcess, { cookie }: PanelBrowser): PanelBrowser => {
  const browser = new PanelBrowser(replica.origin)
  browser.cookie = cookie
  return browser
}

const started = async () => {
  const database = await seededDatabase()
  const [first, second] = await startReplicas(2, database)
  return { database, first: first!, second: second! }
}

describe.skipIf(noPostgres)("the panel of two replicas (needs PostgreSQL)", () => {
  it("sends a change that came through one to pages at the other, until the person signs out at either", async () => {
    const { database, first, second } = await started()
    const browser = await signedIn(first, await invite(database, "ada@example.test"))
    await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const page = yield* openEvents(at(second, browser))
      const bought = yield* Effect.promise(() => ask(first, "POST", "/instances", { body: { service_id: 1 } }))
      assert.strictEqual(bought.status, 201)
      yield* page.until(String(bought.body.id), "wallet")
      yield* browser.call({ method: "POST", path: "/sign-out" })
      yield* Effect.promise(() => ask(first, "POST", "/instances", { body: { service_id: 1 } }))
      yield* page.ended
    })))
  })

  it.skipIf(!hasChromium)("shows two people in Chromium what the other one does to an instance", async () => {
    const { database, first, second } = await started()
    const { body } = await ask(first, "POST", "/instances", { body: { service_id: 1, hostname: "web.example.com" } })
    const browser = await launch()
    const visit = async (replica: ServiceProcess, email: string): Promise<Visitor> => {
      const visitor = await newVisitor(browser, localOrigin(replica))
      await signIn(visitor, `${localOrigin(replica)}/panel/invitation#${tokenIn(await invite(database, email))}`)
      await visitor.page.goto(`${localOrigin(replica)}/panel/instances/${body.id}`)
      await settled(visitor.page)
      return visitor
    }
    const [ada, bo] = [await visit(first, "ada@example.test"), await visit(second, "bo@example.test")]
    const shows = ({ page }: Visitor, status: string) => page.locator(".beside .status", { hasText: status }).waitFor()
    await shows(bo, "Running")
    await ada.page.getByRole("button", { name: "Stop" }).click()
    await ada.page.getByRole("dialog").getByRole("button", { name: "Stop" }).click()
    await shows(bo, "Stopped")
    await bo.page.getByRole("button", { name: "Start", exact: true }).click()
    await shows(ada, "Running")
    assert.deepStrictEqual([...ada.problems, ...bo.problems], [])
    await browser.close()
  })
})
