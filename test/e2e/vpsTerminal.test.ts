/** `vps` in a terminal: colors, prompts, a spinner, charts. Needs `script` of util-linux. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { hasTerminal, type Keys, runInTerminal } from "../support/terminal.ts"
import { control, credentials, VPS, vpsOf } from "../support/vps.ts"
import { assertLike, listWith } from "../support/like.ts"

const ESCAPE = "\u001b["
const PLAIN = new RegExp(`${"\u001b"}\\[[0-9;]*[A-Za-z]`, "g")

describe.skipIf(!hasTerminal)("in a terminal (needs script of util-linux)", () => {
  let service: ServiceProcess
  const { json, run } = vpsOf(() => service)
  beforeAll(async () => {
    service = await startService("--emulator")
    await control(service, "PUT", "/deploy", { mode: "after_polls", value: 2 })
    await run("instance create --plan vps-s --wait")
  })
  afterAll(() => service.end())

  const see = (line: string, keys: Keys = [], env: Record<string, string> = {}) =>
    runInTerminal([VPS, ...line.split(" ")], { ...credentials(service), TZ: "UTC", ...env }, keys)

  it("tables are colored and fit 80 columns", async () => {
    const { code, stdout } = await see("plan list")
    assert.strictEqual(code, 0)
    assert.include(stdout, `${ESCAPE}36mvps-s`)
    const lines = stdout.replaceAll(PLAIN, "").split("\n")
    assert.deepStrictEqual(lines.filter((line) => [...line].length > 80), [])
    assert.include(stdout, "Too narrow for: traffic.")
  })
  it.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("%j disables colors", async (env) => {
    assert.notInclude((await see("instance list", [], env)).stdout, ESCAPE)
    assert.notInclude((await see("instance get 99", [], env)).stdout, ESCAPE)
  })
  it("metrics are drawn as charts", async () => {
    await control(service, "POST", "/clock", { advance_ms: 600_000 })
    const { stdout } = await see("instance metrics 1 --range 1h", [], { NO_COLOR: "1" })
    assert.match(stdout, /^CPU {2}[\d.]+ % {2}average [\d.]+ %, highest [\d.]+ %\n {2}[▁▂▃▄▅▆▇█ ]+\n/)
    assert.deepStrictEqual(stdout.split("\n").filter((line) => line.length > 80), [])
  })
  it("a purchase shows its charge and prompts: only yes buys", async () => {
    const question = "Buy VPS M for 9.99 EUR now, monthly?"
    const no = await see("instance create --plan vps-m", [[question, "n\n"]])
    assert.strictEqual(no.code, 2)
    assert.include(no.stdout, "Nothing was changed.")
    assert.lengthOf(await json("instance list"), 1)
    const yes = await see("instance create --plan vps-m --wait", [[question, "y\n"]])
    assert.strictEqual(yes.code, 0)
    assert.include(yes.stdout, "⠋ Instance 2 is provisioning, 0 s")
    assert.include(yes.stdout.replaceAll(PLAIN, ""), "VPS M (vps-m, ID 2)")
  })
  it("--yes skips the prompt", async () => {
    const { code, stdout } = await see("instance create --plan 1 --yes -o id")
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: "3\n" })
  })
  it("a destructive command prompts, and Ctrl-C does not confirm: exit code 130", async () => {
    const question = "Install alma-9 on instance 1? All data on its disk is lost."
    const stopped = await see("instance reinstall 1 --os alma-9", [[question, "\u0003"]])
    assert.strictEqual(stopped.code, 130)
    const tasks: ReadonlyArray<{ readonly type: string }> = (await json("instance tasks 1")).items
    assert.deepStrictEqual(tasks.filter(({ type }) => type === "reinstall"), [])
    assert.strictEqual((await see("instance reinstall 1 --os alma-9 --wait", [[question, "yes\n"]])).code, 0)
    assertLike((await json("instance tasks 1")).items, listWith({ type: "reinstall", status: "succeeded" }))
  })
  it("resize shows the charge and prompts", async () => {
    const { code, stdout } = await see("instance resize 1 --plan vps-m", [["Upgrade to VPS M for ", "no\n"]])
    assert.strictEqual(code, 2)
    assert.match(stdout, /Upgrade to VPS M for \d+\.\d\d EUR now\?/)
  })
  it("login prompts for the base URL, and for the key without echo", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-login-"))
    const file = join(folder, "vps.json")
    const { code, stdout } = await see("login", [
      ["Base URL of the service", `${service.url}\n`],
      ["API key (hidden): ", `${service.apiKey}\n`]
    ], { VPS_CONFIG: file, VPS_API_KEY: "", VPS_BASE_URL: "" })
    assert.strictEqual(code, 0)
    assert.notInclude(stdout, service.apiKey)
    assert.include(readFileSync(file, "utf8"), service.apiKey)
    rmSync(folder, { recursive: true })
  })
})
