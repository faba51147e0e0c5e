/** PTR records in a real PowerDNS: by the client, and in the whole life of an instance. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { command, openShop, request } from "../support/operator.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { blocksWith, PAGE, runShell } from "../libvirt/Script.ts"
import { noPowerDns, type RealPowerDns, startReal } from "../provisioning/rdns/RealPowerDns.ts"
import { nameServerSuite, ZONES } from "../provisioning/rdns/suite.ts"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"
import { until } from "../support/until.ts"

const POLL = { millis: 20_000, pause: 100 }

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
    await until(async () => (await call("GET", `/instances/${id}`)).body.status === "running", Boolean, POLL)
    const { ipv4, provider_data: data } = (await call("GET", `/instances/${id}`)).body
    const { ipv6 } = JSON.parse(data) as { readonly ipv6: string }
    assert.deepStrictEqual(await server.resolved(ipv4), [`${ipv4.replaceAll(".", "-")}.static.example.net`])
    assertExactlyLike(await server.resolved(ipv6), [/^2001-0db8-.*\.static\.example\.net$/])

    for (const ip of [ipv4, ipv6]) {
      const set = await call("POST", `/instances/${id}/rdns`, { ip, ptr: "web.example.test" })
      assertLike(set, { status: 200, body: { ip, ptr: "web.example.test" } })
      assert.deepStrictEqual(await server.resolved(ip), ["web.example.test"])
    }

    server.util("delete-rrset", "18.198.in-addr.arpa", ipv4.split(".").slice(2).toReversed().join("."), "PTR")
    assertLike(await command(database, "rdns.check", { repair: false }), [
      { check: "server", ok: true },
      { check: "records", ok: false, detail: containing(ipv4) }
    ])
    assertLike(await command(database, "rdns.check", { repair: true }), [{ ok: true }, { ok: true }])
    assert.lengthOf(await server.resolved(ipv4), 1)
    const [check] = blocksWith(PAGE, "rdns check")
    assert.match(runShell(check!, folder, { VPS_SERVICE_DATABASE: database }), /^records +yes/m)

    const commandLine = readFileSync(`/proc/${service!.pid}/cmdline`, "utf8")
    await end()
    const connection = new DatabaseSync(database)
    connection.exec("UPDATE instances SET auto_renew = 0, expires_at = 1")
    connection.close()
    await start()
    call = request(service!, key)
    for (const ip of [ipv4, ipv6]) {
      await until(() => server.resolved(ip), (names) => names.length === 0, POLL)
    }
    await end()
    assert.include(log, "Starting")
    assert.notInclude(`${commandLine}${log}`, server.key)
  })
})
