/** nginx, with a config file of a test. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { ROOT } from "../../.config/build/workspace.ts"

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

/** The settings of the guide for these replicas, with a port of ours. */
export const guided = (ports: ReadonlyArray<number>, port: number): string => {
  const [, block = ""] = /```nginx\n(upstream vps \{.*?)```/s.exec(
    readFileSync(join(ROOT, "docs/operating.md"), "utf8")
  )!
  const servers = ports.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=5s;`)
  const text = block.replace(/( *server 10\..*\n)+/, `${servers.join("\n")}\n`).replace("443 ssl", `127.0.0.1:${port}`)
  return `worker_processes 1;\nevents {}\nhttp {\naccess_log off;\n${text}}\n`
}

/** Milliseconds after which nginx tries a replica again: `fail_timeout` of the guide. */
export const FAIL_TIMEOUT = 5_000
