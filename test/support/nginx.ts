/** nginx, with a config file of a test. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

export const isNginxInstalled = spawnSync("nginx", ["-v"]).status === 0

/** Runs until the test is finished. */
export const runNginx = (config: string): void => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-nginx-"))
  const path = join(folder, "nginx.conf")
  writeFileSync(path, config)
  const own = `daemon off; pid ${join(folder, "nginx.pid")}; error_log stderr;`
  const child = spawn("nginx", ["-c", path, "-g", own], { stdio: "ignore" })
  onTestFinished(async () => {
    child.kill()
    await once(child, "exit")
    rmSync(folder, { recursive: true })
  })
}
