/** Operators page through long lists in Chromium, and search all of them. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Browser, Page } from "playwright-core"
import { Database } from "#service/persistence/sqlite/Database"
import {
  accessibilityProblems,
  hasChromium,
  launch,
  NARROW,
  settled,
  type Visitor,
  WIDE,
  widthProblems
} from "../support/browser.ts"
import { enter, type StartedPanel, startPanel } from "../support/panelService.ts"

const ACCOUNTS = 1_250
const TASKS = 1_100

/** Accounts 2 and on, and ended tasks of instance 1. */
const ROWS = [
  `WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ACCOUNTS})
   INSERT INTO accounts (id, email, currency, vat_treatment, vat_rate, wallet, created_at)
   SELECT n, 'owner-' || n || '@example.test', 'EUR', 'domestic', 1900, 0, 0 FROM numbers`,
  `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${TASKS})
   INSERT INTO tasks (instance_id, kind, type, status, progress, actor, params, attempts, fence, created_at,
     finished_at, error)
   SELECT 1, 'operation', CASE n WHEN 3 THEN 'move' ELSE 'restart' END, 'failed', 0, 'api_key', '{}', 1, 1, 0, 1,
     'rejected ' || n FROM numbers`,
  `INSERT INTO hosts (name, data_center_id, uri, pool, bridge, accelerator, cpus, memory_mib, disk_gib, used_cpus,
     used_memory_mib, used_disk_gib, state, created_at)
   SELECT 'alpha', min(id), 'unix:/run/libvirt/libvirt-sock', 'default', 'br0', 'kvm', 16, 65536, 500, 4, 16384, 100,
     'active', 0 FROM data_centers`
]

describe.skipIf(!hasChromium)("long lists of operators in Chromium", () => {
  let browser: Browser
  let panel: StartedPanel
  let operator: Visitor
  const open = async (path: string): Promise<Page> => {
    const { page } = operator
    await page.goto(`${panel.origin}/panel/operator${path}`)
    await settled(page)
    return page
  }
  const search = (page: Page, text: string) => page.getByRole("searchbox").fill(text)
  const has = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text }).first().waitFor()
  const says = (page: Page, text: string) =>
    page.locator("main").getByRole("status").getByText(text, { exact: true }).waitFor()
  beforeAll(async () => {
    ;[browser, panel] = await Promise.all([launch(), startPanel()])
    await panel.buy(2)
    const insert = Effect.flatMap(Database, ({ connection }) =>
      Effect.sync(() => {
        for (const row of ROWS) connection.exec(row)
      }))
    // The service has its database, although use cases do not see it.
    await Effect.runPromise(panel.app.inside(insert as Effect.Effect<void>))
    operator = await enter(browser, panel, "operator")
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  it("show the capacity of hosts, in use and in total", async () => {
    const page = await open("/hosts")
    const bars = page.getByRole("row").filter({ hasText: "alpha" }).locator(".bar .number")
    assert.deepStrictEqual(await bars.allTextContents(), ["4 of 16", "16 GB of 64 GB", "100 GB of 500 GB"])
  })

  it("have further pages of accounts, and find the last one by its address and its number", async () => {
    const page = await open("/accounts")
    await says(page, "50 on this page")
    assert.isTrue(await page.getByRole("button", { name: "Previous" }).isDisabled())
    await page.getByRole("button", { name: "Next" }).click()
    await has(page, "owner-51@")
    assert.strictEqual(await page.getByText("owner-50@").count(), 0)
    await page.getByRole("button", { name: "Previous" }).click()
    await has(page, "owner-50@")
    await search(page, `OWNER-${ACCOUNTS}`)
    await says(page, "1 found")
    await has(page, `owner-${ACCOUNTS}@`)
    await search(page, String(ACCOUNTS - 1))
    await has(page, `owner-${ACCOUNTS - 1}@`)
    await search(page, "nobody at all")
    await page.getByRole("button", { name: "Clear the search" }).click()
    await says(page, "50 on this page")
    await search(page, "owner-12")
    await says(page, "50 on this page")
  })

  it("find tasks of a type and with an error, however old, and of a status", async () => {
    const page = await open("/tasks")
    await says(page, "50 on this page")
    await page.getByRole("button", { name: "Older" }).click()
    await has(page, `rejected ${TASKS - 50}`)
    await search(page, "move")
    await says(page, "1 found")
    await search(page, "rejected 7")
    await says(page, "50 on this page")
    await search(page, "rejected 17")
    await says(page, "11 found")
    await search(page, "")
    await page.getByLabel("Show").selectOption("succeeded")
    await says(page, "2 found")
    assert.strictEqual(await page.getByRole("row").filter({ hasText: "Succeeded" }).count(), 2)
  })

  it("find instances by name and by lifecycle, and entries of the audit log by person", async () => {
    const instances = await open("/instances")
    await search(instances, "DB-2")
    await says(instances, "1 found")
    await search(instances, "")
    await instances.getByLabel("Show").selectOption("failed")
    await instances.getByText("No instances").waitFor()
    const audit = await open("/audit")
    await search(audit, "sign_in")
    await has(audit, "sign_in.link")
    await search(audit, "nobody at all")
    await audit.getByText("Nothing found").waitFor()
    assert.strictEqual(await audit.getByRole("row").count(), 0)
  })

  it("are as they were left on Back: the search and the filter", async () => {
    const page = await open("/instances")
    await search(page, "web")
    await page.getByLabel("Show").selectOption("active")
    await says(page, "1 found")
    await page.getByRole("link", { name: "web-1.example.com" }).click()
    await page.getByRole("heading", { level: 1, name: "web-1.example.com" }).waitFor()
    await page.goBack()
    await says(page, "1 found")
    assert.strictEqual(await page.getByRole("searchbox").inputValue(), "web")
    assert.strictEqual(await page.getByLabel("Show").inputValue(), "active")
  })

  it("the search of everything says when it shows only the first", async () => {
    const page = await open("")
    await page.keyboard.press("/")
    await page.keyboard.type("owner")
    await page.getByText("The first 20 of each kind.").waitFor()
    assert.isAtLeast(await page.getByRole("dialog").getByRole("listitem").count(), 20)
  })

  it.each([WIDE, NARROW])("are accessible, and fit a screen of $width pixels", async (size) => {
    await operator.page.setViewportSize(size)
    for (const path of ["accounts", "tasks", "audit"]) {
      const page = await open(`/${path}`)
      assert.deepStrictEqual([...await accessibilityProblems(page), ...await widthProblems(page)], [], path)
    }
    assert.deepStrictEqual(operator.problems, [])
  })
})
