/** Operators' commands for instances and tasks, over the socket of a running service. */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminOf } from "../support/command.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"

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

/** Polls until it has the status; the test's timeout is the bound. */
const reaches = async (id: number, status: string): Promise<void> => {
  while ((await api(`/instances/${id}`)).body.status !== status) await setTimeout(20)
}

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
    expect(document.plans).toHaveLength(7)
    const again = await run(["catalogue", "import", "-", "-o", "json"], { input: JSON.stringify(document) })
    expect(JSON.parse(again.stdout).filter(({ change }: { change: string }) => change !== "unchanged")).toEqual([])
    expect(await json("coupons", "list")).toHaveLength(4)
  })

  it("lets a held deployment begin", async () => {
    const document = { plans: [{ ...(await json("catalogue", "export")).plans[0], auto_deploy: false }] }
    const { code } = await run(["catalogue", "import", "-"], { input: JSON.stringify(document) })
    expect(code).toBe(0)
    const { id, status } = (await api("/instances", { service_id: 1 })).body
    expect(status).toBe("pending")
    const [held] = await json("tasks", "list", "--status", "queued", "--instance", String(id))
    expect(held).toMatchObject({ type: "provision", held: true })
    expect((await run(["tasks", "retry", String(held.id)])).stderr).toContain(`tasks approve ${held.id}`)
    await json("tasks", "approve", String(held.id))
    await reaches(id, "running")
    expect((await run(["tasks", "approve", String(held.id)])).stderr).toContain("needs no approval")
  })

  it("speaks through a socket that only the owner may open", () => {
    expect(statSync(`${database}.sock`).mode & 0o777).toBe(0o600)
  })

  it("works through a restart: the socket goes with the service and comes back with the next", async () => {
    await service.end()
    expect(() => statSync(`${database}.sock`)).toThrow("ENOENT")
    expect(await json("accounts", "list", "--emulator")).toHaveLength(1)
    service = await startService("--emulator", "--database", database)
    await service.end("SIGKILL")
    expect(await json("accounts", "list", "--emulator")).toHaveLength(1)
    service = await startService("--emulator", "--database", database)
    expect(await json("accounts", "list")).toHaveLength(1)
  })
})
