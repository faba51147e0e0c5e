/** PTR records in a real PowerDNS: by the client, and in the whole life of an instance. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { command, openShop, request } from "../support/operator.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { blocksWith, PAGE, runShell } from "../libvirt/Script.ts"
import { noPowerDns, type RealPowerDns, startReal } from "../provisioning/rdns/RealPowerDns.ts"
import { nameServerSuite, ZONES } from "../provisioning/rdns/suite.ts"

const POLL = { timeout: 20_000, interval: 100 }

describe.skipIf(noPowerDns !== "")(`a real PowerDNS${noPowerDns}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-rdns-"))
  const database = join(folder, "vps.db")
  let server: RealPowerDns
  let service: ServiceProcess | undefined
  let log = ""
  beforeAll(async () => {
    server = await startReal([...ZONES.map((zone) => zone.slice(0, -1)), "18.198.in-addr.arpa"])
  })
  afterAll(async () => {
    await service?.end("SIGKILL")
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  nameServerSuite(() => server)

  const start = async () => {
    service = await startServiceWith({
      env: { ...server.settings, VPS_SERVICE_DATABASE: database, VPS_SERVICE_EXPIRY_GRACE_MILLIS: "0" }
    }, [])
    return service
  }

  const end = async () => {
    await service!.end()
    log += service!.log()
  }

  it("has the records of an instance from its deployment to its termination", { timeout: 60_000 }, async () => {
    await start()
    const key = await openShop(database, 100)
    let call = request(service!, key)
    const { body: { id } } = await call("POST", "/instances", { service_id: 1 })
    await expect.poll(async () => (await call("GET", `/instances/${id}`)).body.status, POLL).toBe("running")
    const { ipv4, provider_data: data } = (await call("GET", `/instances/${id}`)).body
    const { ipv6 } = JSON.parse(data) as { readonly ipv6: string }
    expect(await server.resolved(ipv4)).toStrictEqual([`${ipv4.replaceAll(".", "-")}.static.example.net`])
    expect(await server.resolved(ipv6)).toStrictEqual([expect.stringMatching(/^2001-0db8-.*\.static\.example\.net$/)])

    for (const ip of [ipv4, ipv6]) {
      const set = await call("POST", `/instances/${id}/rdns`, { ip, ptr: "web.example.test" })
      expect(set).toMatchObject({ status: 200, body: { ip, ptr: "web.example.test" } })
      expect(await server.resolved(ip)).toStrictEqual(["web.example.test"])
    }

    server.util("delete-rrset", "18.198.in-addr.arpa", ipv4.split(".").slice(2).toReversed().join("."), "PTR")
    expect(await command(database, "rdns.check", { repair: false })).toMatchObject([
      { check: "server", ok: true },
      { check: "records", ok: false, detail: expect.stringContaining(ipv4) }
    ])
    expect(await command(database, "rdns.check", { repair: true })).toMatchObject([{ ok: true }, { ok: true }])
    expect(await server.resolved(ipv4)).toHaveLength(1)
    const [check] = blocksWith(PAGE, "rdns check")
    expect(runShell(check!, folder, { VPS_SERVICE_DATABASE: database })).toMatch(/^records +yes/m)

    const commandLine = readFileSync(`/proc/${service!.pid}/cmdline`, "utf8")
    await end()
    const connection = new DatabaseSync(database)
    connection.exec("UPDATE instances SET auto_renew = 0, expires_at = 1")
    connection.close()
    await start()
    call = request(service!, key)
    for (const ip of [ipv4, ipv6]) await expect.poll(() => server.resolved(ip), POLL).toStrictEqual([])
    await end()
    expect(log).toContain("Starting")
    expect(`${commandLine}${log}`).not.toContain(server.key)
  })
})
