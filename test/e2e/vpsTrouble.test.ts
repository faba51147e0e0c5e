/** What `vps` says and the shell hears when something goes wrong, as a process against the real service. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate } from "node:timers/promises"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials, runVps, startVps, vpsOf } from "../support/vps.ts"

let service: ServiceProcess
const { json, run } = vpsOf(() => service)
beforeAll(async () => {
  service = await startService("--emulator")
})
beforeEach(async () => {
  await control(service, "POST", "/reset")
  await control(service, "PUT", "/deploy", { mode: "instant" })
})
afterAll(() => service.end())

/** A key of the seeded account that may only look. */
const reader = async (): Promise<string> =>
  (await control(service, "POST", "/keys", { scopes: ["vps:read"] }) as { readonly api_key: string }).api_key

/** How often the only fault has struck. */
const struck = async (): Promise<number> =>
  (await control(service, "GET", "/faults") as [{ readonly hits: number }])[0].hits

describe("exit codes and what is said", () => {
  it("2: wrong usage, on standard error alone", async () => {
    expect(await runVps(["instance", "creat"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "vps: Unknown subcommand \"creat\" for \"vps instance\"\nvps:   Did you mean this?\nvps:     create\n"
        + "How it is used: vps instance --help\n"
    })
    expect(await run("instance wait 1 --timeout 0"))
      .toMatchObject({ code: 2, stderr: expect.stringContaining("--timeout is a number of seconds from 1") })
  })
  it.each(["instance get", "instance get one", "instance create", "whoami -o xml", "whoami --loud"])(
    "2: %s",
    async (line) => expect(await run(line)).toMatchObject({ code: 2, stdout: "" })
  )
  it("3: what is not there, with the request's id", async () => {
    const { code, stderr, stdout } = await run("instance get 99")
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" })
    expect(stderr).toMatch(/^vps: Instance not found\.\nvps: Request id \S+\n$/)
  })
  it("4: a key that is wrong, or may not", async () => {
    const wrong = await run("whoami", { env: { VPS_API_KEY: "vps_live_wrong" } })
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining("Log in with a valid key: vps login") })
    expect(wrong.stderr).not.toContain("vps_live_wrong")
    expect(await run("instance create --plan 1", { env: { VPS_API_KEY: await reader() } }))
      .toMatchObject({ code: 4, stderr: expect.stringContaining("a key that has the scope vps:create: vps login") })
  })
  it("5: a wallet that does not cover it, and nothing is bought", async () => {
    const { api_key } = await control(service, "POST", "/accounts", { email: "a@b.example", wallet: 1 }) as {
      readonly api_key: string
    }
    const env = { VPS_API_KEY: api_key }
    expect(await run("instance create --plan 1", { env }))
      .toMatchObject({ code: 5, stdout: "", stderr: expect.stringContaining("Fill the wallet in the panel") })
    expect((await run("instance create --plan 1 --dry-run", { env })).stdout).toMatch(/Covers it +no\nWould create +no/)
    expect((await run("instance list -o id", { env })).stdout).toBe("")
  })
  it("1: a host that is not there, and one that has trouble", async () => {
    const env = { ...credentials(service), VPS_BASE_URL: "http://127.0.0.1:1/api/v1" }
    expect(await runVps(["instance", "create", "--plan", "x"], { env }))
      .toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("\"vps context list\" shows the address.")
      })
    await control(service, "POST", "/faults", { operation: "power.stop", status: 500, count: 1 })
    const id = (await run("instance create --plan 1 --wait -o id")).stdout.trim()
    expect(await run(`instance stop ${id}`))
      .toMatchObject({ code: 1, stderr: expect.stringContaining("The host has trouble; try again in a moment.") })
  })
  it("1: each problem of a request in a line of its own", async () => {
    const { code, stderr } = await run("instance create --plan 1 --hostname _ --coupon NONE")
    expect(code).toBe(1)
    expect(stderr).toMatch(/^vps: hostname: .+\nvps: Request id \S+\n$/)
  })
  it("with -o json a program reads the same as one document, on standard error", async () => {
    const { code, stderr, stdout } = await run("instance get 99 -o json")
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" })
    expect(JSON.parse(stderr)).toEqual({
      error: {
        name: "NotFoundError",
        message: "Instance not found.",
        detail: "Instance not found.",
        exit_code: 3,
        status: 404,
        method: "GET",
        path: "/instances/99",
        attempts: 1,
        request_id: expect.any(String)
      }
    })
    expect(JSON.parse((await run("os list --plan nix -o json")).stderr).error)
      .toMatchObject({ name: "Refusal", exit_code: 3, hint: expect.stringContaining("vps-s") })
  })
})

describe("another host", () => {
  it("that answers what vps has no table for is shown whole, and said", async () => {
    const host = createServer((_, answer) => answer.setHeader("content-type", "application/json").end("{\"up\":true}"))
    host.listen(0, "127.0.0.1")
    await once(host, "listening")
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/api/v1`
    const env = credentials({ apiKey: "k", url })
    expect(await runVps(["instance", "status", "1"], { env })).toEqual({
      code: 0,
      stdout: "{\n  \"up\": true\n}\n",
      stderr: "vps: this host answers in a way that vps has no table for; here is all of it.\n"
    })
    expect((await runVps(["instance", "stop", "1", "--wait"], { env })).code).toBe(0)
    host.close()
  })
})

describe("waits", () => {
  const endless = () => control(service, "PUT", "/deploy", { mode: "after_ms", value: 3_600_000 })

  it("124: one that takes too long says how to go on", async () => {
    await endless()
    const { code, stderr, stdout } = await run("instance create --plan 1 --idempotency-key k-1 --wait --timeout 1")
    expect({ code, stdout }).toEqual({ code: 124, stdout: "" })
    expect(stderr).toBe(
      "Instance 1 is provisioning\n"
        + "vps: Instance 1 took longer than 1 s (status provisioning).\n"
        + "vps: It goes on by itself (idempotency key k-1). Wait on: vps instance wait 1\n"
    )
    expect(await run("instance wait 1 --timeout 1")).toMatchObject({ code: 124 })
  })
  it("130: interrupted after the purchase, it tells the instance and the key", async () => {
    await endless()
    const creating = startVps(["instance", "create", "--plan", "1", "--wait"], credentials(service))
    await creating.wrote("Instance 1 is provisioning")
    const { code, stderr, stdout } = await creating.end("SIGINT")
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" })
    const key = /instance 1 is bought \(idempotency key (vps-\S+)\) and goes on deploying/.exec(stderr)?.[1]
    expect(stderr).toContain("vps: Wait on: vps instance wait 1\n")
    expect(await json(`instance create --plan 1 --idempotency-key ${key}`)).toMatchObject({ id: 1 })
  })
  it("130: interrupted before the answer, it tells the key, which buys no second one", async () => {
    await control(service, "POST", "/faults", { operation: "instances.create", latency_ms: 3_600_000 })
    const creating = startVps(["instance", "create", "--plan", "1"], credentials(service))
    while (await struck() === 0) await setImmediate()
    const { code, stderr } = await creating.end("SIGINT")
    expect(code).toBe(130)
    expect(stderr).toMatch(/^vps: interrupted; it may be bought\. The same command with --idempotency-key vps-\S+ goes/)
  })
  it("a lost answer is asked for again with the same key: it buys once", async () => {
    await control(service, "POST", "/faults", { operation: "instances.create", drop_connection: "after", count: 1 })
    expect(await run("instance create --plan 1 -o id")).toMatchObject({ code: 0, stdout: "1\n" })
    expect((await run("instance list -o id")).stdout).toBe("1\n")
  })
  it("1: a task that fails fails the command that waited for it", async () => {
    await run("instance create --plan 1 --wait")
    await control(service, "POST", "/faults", { operation: "driver.reinstall", driver: "rejected" })
    const { code, stderr, stdout } = await run("instance reinstall 1 --os alma-9 --yes --wait")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("vps: The reinstall of instance 1 failed")
    expect(stderr).toContain("vps: What happened there: vps instance tasks 1\n")
  })
})
