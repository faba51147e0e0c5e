/** The service's secret is changed, as an operator does it: keys, pending passwords and repeats come through. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "vitest"
import { idsOf } from "#service/config/Secret"
import { adminOf } from "../support/command.ts"
import { command, openShop, request, SHOP } from "../support/operator.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { until } from "../support/until.ts"

const OLD = "old-secret-of-the-rotation-0123456789"
const NEW = "new-secret-of-the-rotation-0123456789"

const disposals: Array<() => unknown> = []
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose()
})

const databaseOf = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "vps-rotation-"))
  disposals.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "vps.db")
}

const start = async (database: string, secret?: string): Promise<ServiceProcess> => {
  const env = secret === undefined ? {} : { VPS_SERVICE_SECRET: secret }
  const flags = ["--database", database, "--rate-limits=false", "--strict-idempotency"]
  const service = await startServiceWith({ env }, flags)
  disposals.push(() => service.end("SIGKILL"))
  return service
}

/** Not deployed until an operator approves it: its password is pending, encrypted. */
const HELD = { ...SHOP.plans[0], id: 4, slug: "vps-held", auto_deploy: false }

const order = { service_id: 4, root_password: "Correct-Horse-7", hostname: "held.example.test" }

const buy = async (service: ServiceProcess, key: string, body: object) =>
  request(service, key)("POST", "/instances", body, { "idempotency-key": "held" })

const uses = async (database: string) =>
  (await command(database, "secret.list", {})).map(({ keys, state, tasks }) => [state, keys, tasks])

describe("rotating the secret in the environment: old, then new,old, then new", () => {
  it("keys made under the old one work and move, a sealed password opens, a repeat is recognised", async () => {
    const database = databaseOf()
    const first = await start(database, OLD)
    const used = await openShop(database, 100)
    await command(database, "catalogue.import", { document: { plans: [HELD] }, dry_run: false })
    const idle = (await command(database, "keys.create", { account_id: 1, name: "idle", scopes: ["vps:read"] })).api_key
    const bought = await buy(first, used, order)
    assert.strictEqual(bought.status, 201)
    assert.deepStrictEqual(await uses(database), [["current", 2, 1]])
    await first.end()

    const second = await start(database, `${NEW},${OLD}`)
    const again = await buy(second, used, order)
    assert.deepStrictEqual(
      [again.status, again.body.id, again.headers.get("idempotent-mismatch")],
      [201, bought.body.id, null]
    )
    const other = await buy(second, used, { ...order, hostname: "other.example.test" })
    assert.deepStrictEqual([other.status, other.body.detail[0].msg.includes("(hostname)")], [422, true])
    const moved = await until(() => uses(database), ([current]) => current?.[1] === 1)
    assert.deepStrictEqual(moved, [["current", 1, 0], ["older", 1, 1]])
    const keys = await command(database, "keys.list", { limit: 10 })
    const [current = null, older = null] = idsOf([NEW, OLD])
    assert.sameDeepMembers(keys.map(({ name, secret }) => [name, secret]), [["test", current], ["idle", older]])
    const [task] = await command(database, "tasks.list", { status: "held", limit: 1 })
    await command(database, "tasks.approve", { id: task!.id })
    const deployed = await until(
      async () => (await request(second, used)("GET", `/instances/${bought.body.id}`)).body.status,
      (status) => status === "running"
    )
    assert.strictEqual(deployed, "running")
    assert.strictEqual((await request(second, idle)("GET", "/whoami")).status, 200)
    assert.deepStrictEqual(await until(() => uses(database), ([current]) => current?.[1] === 2), [
      ["current", 2, 0],
      ["older", 0, 0]
    ])
    await second.end()

    const third = await start(database, NEW)
    for (const key of [used, idle]) assert.strictEqual((await request(third, key)("GET", "/whoami")).status, 200)
    // The original cannot be compared any more: it is answered, and nothing is said to differ.
    assert.strictEqual((await buy(third, used, order)).status, 201)
    const refused = await adminOf(database).run(["secret", "rotate"], { env: { VPS_SERVICE_SECRET: NEW } })
    assert.include(refused.stderr, "VPS_SERVICE_SECRET=new,old")
  })
})

describe("a service that is started with another secret", () => {
  it("does not start while no key in use would work; starts with both, or once a key of its own is made", async () => {
    const database = databaseOf()
    const first = await start(database)
    const key = await openShop(database, 10)
    await first.end()
    const file = `${database}.secret`
    const lost = readFileSync(file, "utf8")
    rmSync(file)

    const refused = await start(database).then(() => "it started", String)
    const [id] = idsOf([lost.trim()])
    assert.include(
      refused,
      `vps-service: The database depends on secrets that are not configured: ${id} (1 API`
    )
    assert.include(refused, `Add the missing secret to ${file}, on its own line below the current one.`)
    assert.notInclude(refused, lost.trim())
    writeFileSync(file, `${readFileSync(file, "utf8")}${lost}`)
    const both = await start(database)
    assert.strictEqual((await request(both, key)("GET", "/whoami")).status, 200)
    assert.notInclude(both.log(), "depends on secrets that are not configured")
    await both.end()

    assert.include(await start(database, NEW).then(() => "it started", String), "No API key in use would work")
    const made = await adminOf(database).run(
      ["keys", "create", "--account", "1", "--scope", "vps:read", "-o", "json"],
      { env: { VPS_SERVICE_SECRET: NEW } }
    )
    const third = await start(database, NEW)
    assert.include(third.log(), "(1 API key, 0 pending passwords)")
    assert.strictEqual((await request(third, JSON.parse(made.stdout).api_key)("GET", "/whoami")).status, 200)
    assert.strictEqual((await request(third, key)("GET", "/whoami")).status, 401)
    const metrics = await fetch(`${third.origin}/metrics`).then((answer) => answer.text())
    assert.include(metrics, "\nvps_secret_missing{of=\"api_keys\"} 1\n")
    // Revoked keys are no longer reported.
    await command(database, "keys.revoke", { id: 1 })
    await third.end()
    assert.notInclude((await start(database, NEW)).log(), "depends on secrets that are not configured")
  })
})

describe("rotating the secret in the file beside the database", () => {
  it("is refused to forget what is still needed, and ends with one secret", async () => {
    const database = databaseOf()
    const { json, run } = adminOf(database)
    const first = await start(database)
    const key = await openShop(database, 10)
    const { current, older } = await json("secret", "rotate")
    assert.include((await run(["secret", "forget"])).stderr, "Restart it first")
    await first.end()

    const second = await start(database)
    assert.include((await run(["secret", "forget"])).stderr, "1 API keys and 0 pending passwords depend")
    assert.strictEqual((await request(second, key)("GET", "/whoami")).status, 200)
    await until(() => uses(database), ([{ 1: keys } = []]) => keys === 1)
    assert.deepInclude<object>(await json("secret", "forget"), { current, forgotten: older, lost_keys: 0 })
    await second.end()

    const third = await start(database)
    assert.strictEqual((await request(third, key)("GET", "/whoami")).status, 200)
    assert.deepStrictEqual(await uses(database), [["current", 1, 0]])
    const recorded = await json("audit", "list", "--action", "secret")
    assert.deepStrictEqual(
      recorded.map(({ action, details }: { action: string; details: object }) => [action, details]),
      [
        ["secret.forget", { forgotten: older, lost_keys: 0, lost_tasks: 0 }],
        ["secret.rotate", { current }]
      ]
    )
  })

  it("warns when no working key is left, without which the service does not start", async () => {
    const database = databaseOf()
    const { json, run } = adminOf(database)
    const first = await start(database)
    await openShop(database, 10)
    await first.end()
    await json("secret", "rotate")
    const { stderr, stdout } = await run(["secret", "forget", "--force", "-o", "json"])
    assert.strictEqual(JSON.parse(stdout).lost_keys, 1)
    assert.include(stderr, "No working API key is left. Create one (\"keys create\")")
    assert.include(await start(database).then(() => "it started", String), "No API key in use would work")
  })
})
