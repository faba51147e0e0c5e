/** Operators' commands for instances and tasks, over the socket of a running service. */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { adminOf } from "../support/command.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { assertLike } from "../support/like.ts"
import { until } from "../support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-admin-"))
const database = join(folder, "emulator.db")
const { json, run } = adminOf(database)
let service: ServiceProcess

const api = async (path: string, body?: unknown) => {
  const answer = await fetch(`${service.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

const reaches = (id: number, status: string) =>
  until(async () => (await api(`/instances/${id}`)).body.status === status)

beforeAll(async () => {
  service = await startService("--emulator", "--database", database)
  await fetch(`${service.origin}/_emulator/deploy`, { method: "PUT", body: JSON.stringify({ mode: "instant" }) })
})
afterAll(async () => {
  await service.end()
  rmSync(folder, { recursive: true, force: true })
})

describe("vps-service admin", () => {
  it("reaches an emulator, too, whose seed is a catalogue like any other", async () => {
    const document = await json("catalogue", "export")
    assert.lengthOf(document.plans, 7)
    const again = await run(["catalogue", "import", "-", "-o", "json"], { input: JSON.stringify(document) })
    assert.deepStrictEqual(
      JSON.parse(again.stdout).filter(({ change }: { change: string }) => change !== "unchanged"),
      []
    )
    assert.lengthOf(await json("coupons", "list"), 4)
  })

  it("lets a held deployment begin", async () => {
    const document = { plans: [{ ...(await json("catalogue", "export")).plans[0], auto_deploy: false }] }
    const { code } = await run(["catalogue", "import", "-"], { input: JSON.stringify(document) })
    assert.strictEqual(code, 0)
    const { id, status } = (await api("/instances", { service_id: 1 })).body
    assert.strictEqual(status, "pending")
    const [held] = await json("tasks", "list", "--status", "held", "--instance", String(id))
    assertLike(held, { type: "provision", held: true })
    assert.include((await run(["tasks", "retry", String(held.id)])).stderr, `tasks approve ${held.id}`)
    await json("tasks", "approve", String(held.id))
    await reaches(id, "running")
    assert.include((await run(["tasks", "approve", String(held.id)])).stderr, "needs no approval")
  })

  it("speaks through a socket that only the owner may open", () => {
    assert.strictEqual(statSync(`${database}.sock`).mode & 0o777, 0o600)
  })

  it("works through a restart: the socket goes with the service and comes back with the next", async () => {
    await service.end()
    assert.throws(() => statSync(`${database}.sock`), "ENOENT")
    assert.lengthOf(await json("accounts", "list", "--emulator"), 1)
    service = await startService("--emulator", "--database", database)
    await service.end("SIGKILL")
    assert.lengthOf(await json("accounts", "list", "--emulator"), 1)
    service = await startService("--emulator", "--database", database)
    assert.lengthOf(await json("accounts", "list"), 1)
  })
})
