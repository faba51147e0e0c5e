/** `vps` in a terminal: colors, prompts, a spinner, charts. Needs `script` of util-linux. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { hasTerminal, type Keys, runInTerminal } from "../support/terminal.ts"
import { control, credentials, VPS, vpsOf } from "../support/vps.ts"

const ESCAPE = "\u001b["
const PLAIN = new RegExp(`${"\u001b"}\\[[0-9;]*[A-Za-z]`, "g")

describe.skipIf(!hasTerminal)("in a terminal", () => {
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
    expect(code).toBe(0)
    expect(stdout).toContain(`${ESCAPE}36mvps-s`)
    const lines = stdout.replaceAll(PLAIN, "").split("\n")
    expect(lines.filter((line) => [...line].length > 80)).toEqual([])
    expect(stdout).toContain("Too narrow for: traffic.")
  })
  it.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("%j disables colors", async (env) => {
    expect((await see("instance list", [], env)).stdout).not.toContain(ESCAPE)
    expect((await see("instance get 99", [], env)).stdout).not.toContain(ESCAPE)
  })
  it("metrics are drawn as charts", async () => {
    await control(service, "POST", "/clock", { advance_ms: 600_000 })
    const { stdout } = await see("instance metrics 1 --range 1h", [], { NO_COLOR: "1" })
    expect(stdout).toMatch(/^CPU {2}[\d.]+ % {2}average [\d.]+ %, highest [\d.]+ %\n {2}[▁▂▃▄▅▆▇█ ]+\n/)
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
  })
  it("a purchase shows its charge and prompts: only yes buys", async () => {
    const question = "Buy VPS M for 9.99 EUR now, monthly?"
    const no = await see("instance create --plan vps-m", [[question, "n\n"]])
    expect(no.code).toBe(2)
    expect(no.stdout).toContain("Nothing was changed.")
    expect(await json("instance list")).toHaveLength(1)
    const yes = await see("instance create --plan vps-m --wait", [[question, "y\n"]])
    expect(yes.code).toBe(0)
    expect(yes.stdout).toContain("⠋ Instance 2 is provisioning, 0 s")
    expect(yes.stdout.replaceAll(PLAIN, "")).toContain("VPS M (vps-m, ID 2)")
  })
  it("--yes skips the prompt", async () => {
    const { code, stdout } = await see("instance create --plan 1 --yes -o id")
    expect({ code, stdout }).toEqual({ code: 0, stdout: "3\n" })
  })
  it("a destructive command prompts, and Ctrl-C does not confirm: exit code 130", async () => {
    const question = "Install alma-9 on instance 1? All data on its disk is lost."
    const stopped = await see("instance reinstall 1 --os alma-9", [[question, "\u0003"]])
    expect(stopped.code).toBe(130)
    const tasks: ReadonlyArray<{ readonly type: string }> = (await json("instance tasks 1")).items
    expect(tasks.filter(({ type }) => type === "reinstall")).toEqual([])
    expect((await see("instance reinstall 1 --os alma-9 --wait", [[question, "yes\n"]])).code).toBe(0)
    expect((await json("instance tasks 1")).items).toContainEqual(
      expect.objectContaining({ type: "reinstall", status: "succeeded" })
    )
  })
  it("resize shows the charge and prompts", async () => {
    const { code, stdout } = await see("instance resize 1 --plan vps-m", [["Upgrade to VPS M for ", "no\n"]])
    expect(code).toBe(2)
    expect(stdout).toMatch(/Upgrade to VPS M for \d+\.\d\d EUR now\?/)
  })
  it("login prompts for the base URL, and for the key without echo", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-login-"))
    const file = join(folder, "vps.json")
    const { code, stdout } = await see("login", [
      ["Base URL of the service", `${service.url}\n`],
      ["API key (hidden): ", `${service.apiKey}\n`]
    ], { VPS_CONFIG: file, VPS_API_KEY: "", VPS_BASE_URL: "" })
    expect(code).toBe(0)
    expect(stdout).not.toContain(service.apiKey)
    expect(readFileSync(file, "utf8")).toContain(service.apiKey)
    rmSync(folder, { recursive: true })
  })
})
