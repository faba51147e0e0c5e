/** The packed service, installed by npm in an empty folder: `npx vps-service --emulator`, as the first page says. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { FAILURE, type Installed, testInstalled } from "../support/installed.ts"
import { packed } from "../support/packed.ts"

interface Ready {
  readonly url: string
  readonly api_key: string
  readonly sign_in: Installed["links"]
}

describe("the npm package in an empty folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-npm-test-"))
  let service: ChildProcess
  let installed: Installed
  let errors = ""
  beforeAll(async () => {
    const install = ["install", "--offline", "--no-audit", "--no-fund", packed("service").path]
    const { status, stderr } = spawnSync("npm", install, { cwd: folder, encoding: "utf8" })
    if (status !== 0) throw new Error(stderr)
    // A group of its own: npx does not pass every signal on.
    service = spawn("npx", ["--offline", "@pulumi-vps/service", "--emulator", "--port", "0"], {
      cwd: folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    service.stderr!.on("data", (chunk) => {
      errors += String(chunk)
    })
    const ended = once(service, "exit").then(() => Promise.reject(new Error(`It ended before it was ready: ${errors}`)))
    const [line] = await Promise.race([once(createInterface({ input: service.stdout! }), "line"), ended])
    const { api_key: apiKey, sign_in: links, url } = JSON.parse(line as string) as Ready
    installed = { origin: new URL(url).origin.replace("127.0.0.1", "localhost"), apiKey, links }
  })
  afterAll(async () => {
    const ended = once(service, "exit")
    process.kill(-service.pid!)
    await ended
    rmSync(folder, { recursive: true })
  })

  testInstalled(() => installed)

  it("logs no failure", () => assert.notMatch(errors, FAILURE))
})
