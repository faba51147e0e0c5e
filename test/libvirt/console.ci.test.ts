/** The console of a machine on another computer: VNC with a password that is valid for a short time. */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Host, noHosts, reason, startHost } from "./Host.ts"

const PROGRAM = fileURLToPath(new URL("remoteConsole.ts", import.meta.url))
const CERTIFICATES = fileURLToPath(new URL("tls.sh", import.meta.url))
const ADDRESS = "10.90.0.1"

describe.skipIf(noHosts !== undefined)(`the console of a machine on another computer${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-tls-"))
  let host: Host
  beforeAll(() => {
    const { status, stderr } = spawnSync(CERTIFICATES, [folder, `alpha=${ADDRESS}`], { encoding: "utf8" })
    if (status !== 0) throw new Error(stderr)
    for (const [from, to] of [["ca-cert", "cacert"], ["service-cert", "clientcert"], ["service-key", "clientkey"]]) {
      copyFileSync(join(folder, `${from}.pem`), join(folder, `${to}.pem`))
    }
    host = startHost("alpha", 1, { certificates: folder })
  })
  afterAll(() => {
    host.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("admits its latest password only, until that expires; a machine that is off has none", { timeout: 60_000 }, () => {
    const uri = `tls:${ADDRESS}:16514`
    const printed = host.exec(process.execPath, "--conditions=pulumi-vps-source", PROGRAM, uri, folder)
    assert.deepStrictEqual(JSON.parse(printed), {
      address: ADDRESS,
      off: "PoweredOff",
      host: ADDRESS,
      right: true,
      wrong: false,
      replaced: false,
      expired: false
    })
  })
})
