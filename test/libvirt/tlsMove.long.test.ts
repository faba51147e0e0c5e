/** A live move between hosts whose daemons connect to each other by TLS. */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeGuest } from "./Guest.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { assertLike } from "../support/like.ts"

const PROGRAM = fileURLToPath(new URL("remoteMove.ts", import.meta.url))
const CERTIFICATES = fileURLToPath(new URL("tls.sh", import.meta.url))
const ADDRESSES = ["10.90.0.1", "10.90.0.250"] as const
const TIMEOUT = 200_000
/** A machine that runs because it was migrated, not booted: `VIR_DOMAIN_RUNNING_MIGRATED`. */
const MIGRATED = [1, 2]

describe.skipIf(noHosts !== undefined)(`a move by TLS${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-tls-"))
  const pool = join(folder, "pool")
  let hosts: ReadonlyArray<Host> = []
  beforeAll(() => {
    const { status, stderr } = spawnSync(CERTIFICATES, [folder, `host-a=${ADDRESSES[0]}`, `host-b=${ADDRESSES[1]}`], {
      encoding: "utf8"
    })
    if (status !== 0) throw new Error(stderr)
    for (const [from, to] of [["ca-cert", "cacert"], ["service-cert", "clientcert"], ["service-key", "clientkey"]]) {
      copyFileSync(join(folder, `${from}.pem`), join(folder, `${to}.pem`))
    }
    mkdirSync(pool)
    hosts = [startHost("host-a", 1, { certificates: folder }), startHost("host-b", 250, { certificates: folder })]
    hosts[0]!.link(hosts[1]!)
  }, TIMEOUT)
  afterAll(() => {
    for (const host of hosts) host.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("takes a running machine along, whose console listens at its new host's address", { timeout: TIMEOUT }, () => {
    const uris = ADDRESSES.map((address) => `tls:${address}:16514`)
    const node = [process.execPath, "--conditions=pulumi-vps-source"]
    const output = hosts[0]!.exec(...node, PROGRAM, folder, pool, makeGuest().disk, ...uris)
    const printed = output.split("\n").at(-1)!
    assertLike(JSON.parse(printed), {
      ran: true,
      source: "missing",
      target: MIGRATED,
      listens: ADDRESSES[1]
    })
    assert.notInclude(output, "cannot move while it runs")
  })
})
