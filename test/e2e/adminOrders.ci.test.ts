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

  it("suspends an instance, which is closed to its owner, and brings it back running", async () => {
    const { id } = (await api("/instances", { service_id: 1 })).body
    await reaches(id, "running")
    const suspended = await json("instances", "suspend", String(id), "--reason", "sends spam", "--note", "twice")
    expect(suspended).toMatchObject({ instance_id: id, lifecycle: "suspended" })
    await reaches(id, "suspended")
    expect((await api(`/instances/${id}/start`, {})).status).toBe(409)
    expect(await json("instances", "list", "--lifecycle", "suspended")).toMatchObject([
      { id, status: "suspended", suspended_reason: "sends spam", suspended_note: "twice", plan: "vps-s" }
    ])
    while ((await json("tasks", "list", "--instance", String(id)))[0].status !== "succeeded") await setTimeout(20)
    expect(await json("instances", "unsuspend", String(id))).toMatchObject({ lifecycle: "active" })
    await reaches(id, "running")
    const feed = (await api(`/instances/${id}/tasks`)).body.items
    expect(feed.slice(0, 2)).toMatchObject([
      { type: "unsuspend", actor: "admin", status: "succeeded" },
      { type: "suspend", actor: "admin", status: "succeeded" }
    ])
  })

  it("says whether an instance renews; its owner sees that, and who said so", async () => {
    const { id } = (await api("/instances", { service_id: 1 })).body
    await reaches(id, "running")
    const off = await json("instances", "auto-renew", String(id), "off")
    expect(off).toMatchObject({ instance_id: id, auto_renew: false, lifecycle: "active", renewed: false })
    expect((await api(`/instances/${id}`)).body.auto_renew).toBe(false)
    expect((await json("instances", "list")).find((each: { id: number }) => each.id === id).auto_renew).toBe(false)
    const [entry] = (await api(`/instances/${id}/tasks`)).body.items
    expect(entry).toMatchObject({ kind: "audit", type: "set_auto_renew", actor: "admin", status: "succeeded" })
    expect((await run(["instances", "auto-renew", String(id), "on"])).stdout).toMatch(/^auto_renew +yes$/m)
  })

  it("limits how often an account may create, on top of the service's own limits", async () => {
    const limits = await json("accounts", "limits", "1", "--creates-per-minute", "500", "--creates-per-hour", "900")
    expect(limits).toEqual({
      account_id: 1,
      creates_per_minute: 500,
      creates_per_hour: 900,
      set_for_account: ["creates_per_minute", "creates_per_hour"]
    })
    const back = ["accounts", "limits", "1", "--creates-per-minute", "default", "--creates-per-hour", "default"]
    expect((await run(back)).stdout).toMatch(/^creates_per_hour +60$/m)
  })

  it("shows what a failed deployment left, and has it taken down once the upstream is willing", async () => {
    const refuse = (operation: string) =>
      fetch(`${service.origin}/_emulator/faults`, {
        method: "POST",
        body: JSON.stringify({ operation, driver: "rejected", count: 1 })
      })
    await refuse("driver.provision")
    await refuse("driver.terminate")
    const { id } = (await api("/instances", { service_id: 2 })).body
    await reaches(id, "failed")
    while ((await json("tasks", "leftovers")).length === 0) await setTimeout(20)
    const [leftover] = await json("tasks", "leftovers")
    expect(leftover).toMatchObject({ instance_id: id, machine: `instance-${id}`, type: "terminate" })
    expect((await run(["tasks", "leftovers"])).stdout).toContain("the machine may still exist")
    const again = await json("tasks", "retry", String(leftover.id))
    expect(again).toMatchObject({ type: "terminate", actor: "admin" })
    while ((await json("tasks", "list", "--instance", String(id)))[0].status !== "succeeded") await setTimeout(20)
    expect(await json("tasks", "leftovers")).toEqual([])
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

  it("makes a key that works, and revokes it at once, although the service has looked it up", async () => {
    const { api_key, id } = await json("keys", "create", "--account", "1", "--scope", "vps:read")
    const whoami = async () =>
      (await fetch(`${service.url}/whoami`, { headers: { authorization: `Bearer ${api_key}` } })).status
    expect(await whoami()).toBe(200)
    await json("keys", "revoke", String(id))
    expect(await whoami()).toBe(401)
  })

  it("speaks through a socket that only the owner may open", () => {
    expect(statSync(`${database}.sock`).mode & 0o777).toBe(0o600)
  })

  it("works through a restart: the socket goes with the service and comes back with the next", async () => {
    await service.end()
    expect(() => statSync(`${database}.sock`)).toThrow("ENOENT")
    expect(await json("accounts", "list")).toHaveLength(1)
    service = await startService("--emulator", "--database", database)
    await service.end("SIGKILL")
    expect(await json("accounts", "list")).toHaveLength(1)
    service = await startService("--emulator", "--database", database)
    expect(await json("accounts", "list")).toHaveLength(1)
  })
})
