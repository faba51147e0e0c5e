/** `vps account`, and the candidates of the shell's completion, as processes. */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { paymentFlag, payPage } from "../support/payment.ts"
import { control, credentials, runVps, vpsOf } from "../support/vps.ts"

let service: ServiceProcess
const { run } = vpsOf(() => service)
const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-test-"))
beforeAll(async () => {
  service = await startService("--emulator", paymentFlag(folder))
})
afterAll(async () => {
  await service.end()
  rmSync(folder, { recursive: true })
})

const WHO = { account_id: 1, email: "a@b.c", key: { effective_scopes: [], created_at: "", expires_at: null } }

/** A service that answers `whoami` only. */
const hostOf = async (who: object, headers: Readonly<Record<string, string>> = {}) => {
  const host = createServer((request, response) => {
    response.setHeaders(new Map(Object.entries({ "content-type": "application/json", ...headers })))
    if (request.url?.endsWith("/whoami") === true) return response.end(JSON.stringify(who))
    return response.writeHead(403).end("{}")
  })
  host.listen(0, "127.0.0.1")
  await once(host, "listening")
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/api/v1`
  return { env: credentials({ apiKey: "k", url }), close: () => host.close() }
}

describe("vps account", () => {
  it("shows the wallet, and that there are no limits", async () => {
    const { stdout } = await run("account")
    assert.match(stdout, /^Account +1\n[^]*\nWallet +1000\.00 EUR\n[^]*\nLimits +none reported by the service\n$/)
  })
  it("shows what is missing, until when, and how to pay it", async () => {
    await run("instance create --plan vps-s --hostname web --yes --root-password -", { input: "a-long-password" })
    await control(service, "PUT", "/wallet", { balance: 1 })
    assert.notInclude((await run("account")).stdout, "Missing")
    await control(service, "POST", "/clock", { advance_ms: 28 * 86_400_000 })
    const { stdout } = await run("account")
    assert.match(stdout, /\nMissing +3\.99 EUR until \d{4}-\d\d-\d\d \d\d:\d\d[^\n]*\n +for instance 1\n/)
    assert.include(stdout, `\nPay at       ${payPage("3.99")}\n`)
    assert.match(stdout, /\nPay to +Nordwind GmbH\n +IBAN DE02 1203 0000 0000 2020 51\n +reference VPS-1\n/)
    await control(service, "POST", "/reset")
  })
  it("with a key that must not create says what is missing", async () => {
    const { api_key } = await control(service, "POST", "/keys", { scopes: ["vps:read"] }) as {
      readonly api_key: string
    }
    const env = { VPS_API_KEY: api_key }
    assert.include((await run("account", { env })).stdout, "Wallet       - (needs a key with the vps:create scope)\n")
    assert.match((await run("plan list", { env })).stdout, /vps-s +VPS S +4\.99 +monthly/)
  })
  it("shows what the host has announced, with the instances that it concerns", async () => {
    const announced = { id: 1, starts_at: "2027-01-31T22:00:00.000Z", ends_at: "2027-01-31T23:00:00.000Z" }
    const announcements = [
      { ...announced, kind: "maintenance", title: "A \u001b[31mswitch", text: "Wait.\n\nThanks.", instances: [1, 2] },
      { ...announced, kind: "announcement", title: "A new office", text: "Come.", instances: null }
    ]
    const host = await hostOf({ ...WHO, announcements })
    const { stdout } = await runVps(["account"], { env: host.env })
    const time = "2027-01-31 22:00 UTC to 2027-01-31 23:00 UTC"
    assert.match(stdout, /^Maintenance +A .{0,10}switch$/m)
    assert.notInclude(stdout, "\u001b[31m", "a terminal would obey it")
    const rows = stdout.split("\n").map((line) => line.slice(13))
    const start = rows.findIndex((row) => row.endsWith("switch"))
    assert.deepStrictEqual(rows.slice(start + 1, start + 7), [
      time,
      "of instances 1, 2",
      "Wait.",
      "Thanks.",
      "A new office",
      time
    ])
    host.close()
  })
  it("shows the limits of the service", async () => {
    const policy = "\"account\";q=600;w=60;burst=120, \"key\";q=300;w=60;burst=60"
    const limits = { "ratelimit-policy": policy, "ratelimit": "\"account\";r=119;t=1, \"key\";r=59;t=1" }
    const host = await hostOf(WHO, limits)
    const { stdout } = await runVps(["account"], { env: host.env })
    host.close()
    assert.match(
      stdout,
      /\nLimit \(account\) +600 requests per 1 min, 119 left now\nLimit \(key\) +300 requests per 1 min, 59/
    )
  })
})

describe("vps completions", () => {
  it.each(["bash", "zsh", "fish"])("prints a %s script, which gets its candidates from vps", async (shell) => {
    const { code, stderr, stdout } = await runVps(["completions", shell])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.include(stdout, `vps __complete ${shell} `)
    const candidates = await run(`__complete ${shell} instance create --plan vps-m-`)
    assert.deepStrictEqual(candidates, {
      code: 0,
      stdout: "vps-m-hel\tVPS M Helsinki, 2 vCPU, 4 GB memory, 80 GB NVMe disk, 20 TB traffic\n",
      stderr: ""
    })
  })
  it("offers nothing that a shell could execute, and no error without a service", async () => {
    const env = { VPS_BASE_URL: "http://127.0.0.1:1/api/v1" }
    assert.deepStrictEqual(await run("__complete bash instance create --plan v", { env }), {
      code: 0,
      stdout: "",
      stderr: ""
    })
    const hostile = ["a$(reboot)", "b;c", "ok"].map((slug, id) => ({ id, slug, name: "\u001b[2J" }))
    const host = createServer((_, response) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(hostile))
    )
    host.listen(0, "127.0.0.1")
    await once(host, "listening")
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/api/v1`
    const args = ["__complete", "fish", "instance", "create", "--plan", ""]
    assert.match((await runVps(args, { env: credentials({ apiKey: "k", url }) })).stdout, /^ok\t\?\[2J\n$/)
    host.close()
  })
})
