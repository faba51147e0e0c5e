/** The service in the folder of the Debian package and the image: it finds its files without the npm package. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { placeService } from "../../.config/packageProgram.ts"

/** Modules that are imported by the manifest's names. */
const ON_DEMAND = /"#[a-z]+\/[\w/]+"/g

describe("the installed service", () => {
  const home = mkdtempSync(join(tmpdir(), "vps-installed-"))
  const files = join(home, "dist/service/panel/files")
  let child: ChildProcess
  let origin = ""
  let log = ""
  const panel = async () => {
    const response = await fetch(`${origin}/panel`)
    return { status: response.status, text: await response.text() }
  }
  const start = async () => {
    const bin = join(home, "dist/service/bin.js")
    child = spawn(process.execPath, [bin, "--emulator", "--port", "0"], { cwd: home, env: {} })
    child.stderr!.on("data", (chunk) => {
      log += String(chunk)
    })
    const [line] = await once(createInterface({ input: child.stdout! }), "line") as [string]
    origin = new URL((JSON.parse(line) as { readonly url: string }).url).origin
  }
  const stop = async () => {
    child.kill()
    await once(child, "exit")
  }
  beforeAll(async () => {
    placeService(home)
    await start()
  })
  afterAll(async () => {
    await stop()
    rmSync(home, { recursive: true })
  })

  it("loads every module that its programs load on demand", () => {
    const programs = globSync("dist/service/{*,chunks/*,admin/cli/*}.js", { cwd: home })
    const names = new Set(
      programs.flatMap((program) => readFileSync(join(home, program), "utf8").match(ON_DEMAND) ?? [])
    )
    assert.include([...names], "\"#service/mail/Smtp\"")
    writeFileSync(join(home, "probe.mjs"), [...names].map((name) => `await import(${name})\n`).join(""))
    const { status, stderr } = spawnSync(process.execPath, ["probe.mjs"], { cwd: home, env: {}, encoding: "utf8" })
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
  })
  it("says why the panel cannot be read, logs the reason, and tries again with the next request", async () => {
    const script = join(files, readdirSync(files).find((name) => name.endsWith(".js"))!)
    renameSync(script, `${home}/kept`)
    mkdirSync(script)
    const failed = await panel()
    assert.strictEqual(failed.status, 503)
    assert.include(failed.text, "The panel's files cannot be read. The operator's log has the reason.")
    assert.match(log, /"The panel's files cannot be read".*EISDIR/)
    rmSync(script, { recursive: true })
    renameSync(`${home}/kept`, script)
    const { status, text } = await panel()
    assert.strictEqual(status, 200)
    assert.include(text, "<div id=\"app\">")
  })
  it("says what to do when the panel's files are missing", async () => {
    await stop()
    renameSync(files, `${home}/files`)
    await start()
    const { status, text } = await panel()
    assert.strictEqual(status, 503)
    assert.include(text, "Install the service again")
  })
})
