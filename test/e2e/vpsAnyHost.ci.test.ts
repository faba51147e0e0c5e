/** `vps` with hosts that follow the specification and fill everything else otherwise, as processes. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startAnyHost } from "../anyHost/startAnyHost.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import { control, vpsOf } from "../support/vps.ts"

describe.each(["a", "b"] as const)("vps with a host of style %s", (style) => {
  let host: ServiceProcess
  const { json, run } = vpsOf(() => host)
  const printed = async (line: string): Promise<string> => {
    const { code, stderr, stdout } = await run(line)
    assert.deepStrictEqual([code, stderr.replace(/^Instance \d+ is .*\n/gm, "")], [0, ""], line)
    assert.notMatch(stdout, /undefined|NaN|\[object/)
    return stdout
  }
  const refused = async (line: string): Promise<string> => {
    const { code, stderr, stdout } = await run(line)
    assert.deepStrictEqual([code === 0, stdout], [false, ""], line)
    return stderr
  }
  const machine = async (): Promise<Readonly<Record<string, unknown>>> => {
    const { machines } = await control(host, "GET", "/machines") as { machines: ReadonlyArray<Record<string, unknown>> }
    return machines[0]!
  }
  beforeAll(async () => {
    host = await startAnyHost(style)
    await control(host, "PUT", "/deploy", { mode: "instant" })
    await run("instance create --plan vps-s --hostname web.example.com --wait")
  })
  afterAll(() => host.end())

  it("buys only below --max-charge, which a dry run checks", async () => {
    assert.include(
      await refused("instance create --plan vps-m --max-charge 9.98EUR"),
      "This costs 9.99 EUR, but at most 9.98 EUR may be charged. Nothing was bought."
    )
    assert.lengthOf(await json("instance list"), 1)
  })

  it("lists and shows what the specification shows", async () => {
    assert.match(await printed("plan list"), /vps-m +VPS M +9\.99 EUR/)
    assert.match(await printed("instance list"), /\d+\.\d+\.\d+\.\d+ +vps-s/)
    assert.include(await printed("instance get 1"), "4.99 EUR monthly")
    assert.include(await printed("account"), "Wallet  995.01 EUR\n")
  })

  it("prints what it does not know as JSON, and all of it with -o json", async () => {
    for (const line of ["whoami", "instance status 1", "instance tasks 1", "instance metrics 1"]) {
      const { code, stderr, stdout } = await run(line)
      assert.deepStrictEqual([code, stderr], [
        0,
        "vps: The service sent an unexpected response. Printing it as JSON.\n"
      ], line)
      assert.deepStrictEqual(JSON.parse(stdout), await json(line), line)
    }
  })

  it("whoami -v says what the host shows, and what the clients do without it", async () => {
    const table = await printed("whoami -v")
    assert.match(table, /\nbalance of the wallet +yes *\n/)
    assert.match(table, /\ntasks +no +waits end when the status stays the same\n/)
    assert.match(table, /\ncharge of a resize +no +an estimate from the prices of the plans; a price ceiling refuses\n/)
    const { host: rows } = await json("whoami -v")
    assert.deepInclude(rows, {
      feature: "live status",
      shown: false,
      otherwise: "the status of the instance counts"
    })
  })

  it("sets a PTR record, a hostname and a password", async () => {
    assert.match(await printed("rdns set 1 --ptr web.example.com"), /is done\. \S+ resolves to web\.example\.com\.\n$/)
    assert.include(
      await printed("instance set-hostname 1 www.example.com"),
      "is done. Its hostname is www.example.com."
    )
    assert.match(await printed("instance reset-password 1"), /^Password +pw-/)
  })

  it("refuses to resize below a limit that it cannot check, and estimates the charge", async () => {
    const said = await refused("instance resize 1 --plan vps-m --max-charge 50EUR")
    assert.include(said, "This host does not show the charge of a resize, so --max-charge cannot be checked.")
    assert.include(said, "a charge of about 5.00 EUR, by the prices of the plans")
    assert.strictEqual((await machine())["service_id"], 1)
  })

  // One wait of each: it takes 10 s of a status that stays the same.
  it("waits for the end of a change, and says by which sign it has ended", async () => {
    if (style === "b") {
      // Its answer has no record of the snapshot, and its list has the name in another field.
      return assert.match(await printed("snapshot create 1 --name first --wait"), /Snapshot ID: 2\.\n$/)
    }
    assert.match(
      await printed("instance resize 1 --plan 2 --yes --wait"),
      /^Instance 1: resize is done, status \w+ \(this host shows no tasks; its status has stayed the same\)\.\n$/
    )
    assert.strictEqual((await machine())["service_id"], 2)
    assert.match(await printed("instance stop 1"), /^Instance 1: stop was accepted; this host names no task\.\n$/)
  })
})
