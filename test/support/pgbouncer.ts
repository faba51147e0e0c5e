/** PgBouncer with its default settings, in front of a PostgreSQL server of the tests. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { freePort } from "./port.ts"
import { serverUser } from "./postgresPrograms.ts"

/** Where Debian has it: not on the path of every user. */
const PATH = `${process.env["PATH"] ?? ""}:/usr/sbin`

export const isPgBouncerInstalled = spawnSync("pgbouncer", ["--version"], { env: { PATH } }).status === 0

/** The same database behind a pooler of its own, until the test is finished; `settings` are lines of its file. */
export const behindPgBouncer = async (database: string, ...settings: ReadonlyArray<string>): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-pgbouncer-"))
  chmodSync(folder, 0o755)
  const [port, url] = [await freePort(), new URL(database)]
  const [name, users] = [url.pathname.slice(1), join(folder, "users")]
  writeFileSync(users, `"${url.username}" "${url.password}"\n`)
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    [
      `[databases]\n${name} = host=${url.hostname} port=${url.port}`,
      `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = plain\nauth_file = ${users}`,
      ...settings,
      ""
    ].join("\n")
  )
  const child = spawn("pgbouncer", [join(folder, "pgbouncer.ini")], {
    ...serverUser,
    env: { PATH },
    stdio: ["ignore", "ignore", "pipe"]
  })
  onTestFinished(async () => {
    if (child.kill("SIGKILL")) await once(child, "exit")
    rmSync(folder, { recursive: true })
  })
  await new Promise<void>((resolve, reject) => {
    let log = ""
    child.stderr.on("data", (chunk) => {
      log += String(chunk)
      if (log.includes("process up")) resolve()
    })
    child.once("exit", () => reject(new Error(`pgbouncer did not start: ${log}`)))
  })
  url.port = String(port)
  return url.href
}
