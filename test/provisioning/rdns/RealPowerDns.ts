/** PowerDNS itself, set up by the documented commands in a folder of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { freePort } from "../../support/port.ts"
import { blocksWith, PAGE, settingsOf } from "../../libvirt/Script.ts"
import type { NameServer } from "./FakePowerDns.ts"

const SCHEMA = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql"
const PROGRAMS = ["/usr/sbin/pdns_server", "/usr/bin/pdnsutil", "/usr/bin/sqlite3", "/usr/bin/openssl"]

/** The documented commands change the owner of files. */
const MISSING = process.getuid?.() === 0 ? [...PROGRAMS, SCHEMA].find((path) => !existsSync(path)) : "root"

/** Ends the name of a suite with the reason why it is skipped. */
export const noPowerDns = MISSING === undefined ? "" : ` (needs ${MISSING})`

export interface RealPowerDns extends NameServer {
  /** The documented settings of the service. */
  readonly settings: Readonly<Record<string, string>>
  readonly key: string
  /** Executes `pdnsutil`. */
  readonly util: (...command: ReadonlyArray<string>) => string
  /** The targets that resolvers receive for an address. */
  readonly resolved: (ip: string) => Promise<ReadonlyArray<string>>
}

const answers = async (url: string, key: string): Promise<boolean> =>
  fetch(`${url}/api/v1/servers/localhost`, { headers: { "x-api-key": key } }).then(({ ok }) => ok, () => false)

const started = async (child: ChildProcess, ready: () => Promise<boolean>, log: () => string): Promise<void> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(log())
    if (await ready()) return
    await setTimeout(50)
  }
  throw new Error(`PowerDNS does not answer: ${log()}`)
}

/** Executes the documented commands with other folders; a service manager is not started. */
const setUp = (folder: string): void => {
  const [block] = blocksWith(PAGE, "gsqlite3-database")
  const script = block!.replaceAll("/etc/powerdns/pdns.d", folder).replaceAll("/var/lib/powerdns", folder)
  const functions = `systemctl() { :; }\npdnsutil() { command pdnsutil --config-dir=${folder} "$@"; }\n`
  const { status, stderr } = spawnSync("bash", ["-euc", functions + script], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

export const startReal = async (zones: ReadonlyArray<string>): Promise<RealPowerDns> => {
  const folder = mkdtempSync(join(tmpdir(), "vps-pdns-"))
  const [port, webPort] = [await freePort(), await freePort()]
  const own = { "local-address": "127.0.0.1", "local-port": port, "webserver-port": webPort, "socket-dir": folder }
  const lines = Object.entries({ ...own, "include-dir": folder }).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(folder, "pdns.conf"), lines.join(""))
  setUp(folder)
  const key = /^api-key=(.+)$/m.exec(readFileSync(join(folder, "vps.conf"), "utf8"))![1]!
  const flags = [`--config-dir=${folder}`]
  const util = (...command: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = spawnSync("pdnsutil", [...flags, ...command], { encoding: "utf8" })
    if (status !== 0) throw new Error(stdout + stderr)
    return stdout
  }
  const existing = util("list-all-zones").split("\n")
  for (const zone of zones.filter((each) => !existing.includes(each))) util("create-zone", zone, "ns1.example.net")
  const child = spawn("pdns_server", [...flags, "--daemon=no", "--guardian=no"], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  let log = ""
  child.stderr.on("data", (part) => {
    log += String(part)
  })
  const url = `http://127.0.0.1:${webPort}`
  await started(child, () => answers(url, key), () => log)
  const [block] = blocksWith(PAGE, "VPS_SERVICE_RDNS=powerdns")
  const { env } = settingsOf(block!.replace("/etc/powerdns/pdns.d", folder))
  return {
    url,
    key,
    settings: { ...env, VPS_SERVICE_POWERDNS_URL: url },
    util,
    resolved: async (ip) => {
      const { Resolver } = await import("node:dns/promises")
      const resolver = new Resolver()
      resolver.setServers([`127.0.0.1:${port}`])
      return await resolver.reverse(ip).catch(() => [])
    },
    close: async () => {
      child.kill("SIGKILL")
      if (child.exitCode === null) await once(child, "exit")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
