/** `vps` as a process against the real service: account, plans, completions, and saved contexts. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { runNode } from "../support/command.ts"
import { ROOT } from "../support/consumer.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { credentials, runVps, vpsOf } from "../support/vps.ts"

const BUNDLE = join(ROOT, "dist/sdk/cli/main.js")

let service: ServiceProcess
const { json, run } = vpsOf(() => service)
beforeAll(async () => {
  service = await startService("--emulator")
})
afterAll(() => service.end())

it("the bundle contains unwrapped modules, and none that only a few commands need", () => {
  const bundle = readFileSync(BUNDLE, "utf8")
  // A dynamic import that the bundler resolves makes it wrap every module in a function. The others are slow to load.
  for (const name of ["__esm(", "HttpApiGroup", "YAMLParseError", "MockAgent"]) expect(bundle).not.toContain(name)
  expect(bundle.length).toBeLessThan(1_200_000)
})

describe("vps whoami", () => {
  it("shows the account and the scopes of the key", async () => {
    const { code, stderr, stdout } = await run("whoami")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^Account {6}1\nEmail {8}owner@example\.test\n/)
    expect(stdout).toContain("Scopes       vps:create, vps:write, vps:read\n")
    expect(stdout).not.toContain(service.apiKey)
  })
  it("prints the whole response as JSON and YAML, or the ID", async () => {
    expect(await json("whoami")).toMatchObject({ account_id: 1, key: { scopes: ["vps:create"] } })
    expect((await run("whoami -o yaml")).stdout).toContain("account_id: 1\nemail: owner@example.test\n")
    expect((await run("whoami -o id")).stdout).toBe("1\n")
  })
})

describe("vps plan list and os list", () => {
  it("lists the plans in columns, money with its cents", async () => {
    const { code, stdout } = await run("plan list")
    const lines = stdout.split("\n")
    expect(code).toBe(0)
    expect(lines[0]).toMatch(/^ID {2}SLUG +NAME +PRICE +CYCLE +VCPU +RAM +DISK +TRAFFIC$/)
    expect(lines[1]).toMatch(/^ 1 {2}vps-s +VPS S +4\.99 EUR +monthly +1 +2 GB +40 GB NVMe +20 TB$/)
    expect((await run("plan list -o id")).stdout).toBe("1\n2\n3\n4\n5\n")
  })
  it("lists the images of all plans, or of one", async () => {
    const all = await run("os list")
    expect(all.stdout).toMatch(/windows-2022 +Windows Server +2022 +6 +vps-s, vps-m, vps-l, ded-1\n/)
    expect((await run("os list --plan vps-m-hel -o id")).stdout)
      .toBe("debian-12\ndebian-13\nubuntu-24.04\nalma-9\nfreebsd-14\n")
    expect((await json("os list --plan 1"))[0]).toMatchObject({ slug: "debian-12", os_id: 1, plans: ["vps-s"] })
  })
  it("an unknown plan is exit code 3, and suggests similar names", async () => {
    const { code, stderr, stdout } = await run("os list --plan vps-xl")
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" })
    expect(stderr).toBe("vps: Plan \"vps-xl\" not found.\nvps: Did you mean vps-l, vps-m or vps-s?\n")
  })
})

describe("vps login and context", () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pulumi-vps-contexts-"))
    file = join(folder, "settings/vps.json")
    return () => rmSync(folder, { recursive: true, force: true })
  })
  const at = (args: ReadonlyArray<string>, input = "", env: Record<string, string> = {}) =>
    runVps(args, { input, env: { VPS_CONFIG: file, ...env } })
  const login = (name: string) => at(["login", "--context", name, "--base-url", service.url], `${service.apiKey}\n`)

  it("saves a valid key in a file that only its owner can read, and uses it from then on", async () => {
    const { code, stderr, stdout } = await at(["login", "--base-url", service.url], `${service.apiKey}\n`)
    expect(code).toBe(0)
    expect(stdout).toContain("owner@example.test")
    expect(stdout + stderr).not.toContain(service.apiKey)
    expect(stderr).toBe(`Saved as context "default" in ${file} and selected.\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await at(["whoami", "-o", "id"])).stdout).toBe("1\n")
  })
  it("does not save an invalid key", async () => {
    const { code, stderr, stdout } = await at(["login", "--base-url", service.url], "vps_live_wrong")
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" })
    expect(stderr).toContain("vps: Nothing was saved. Check the key and the base URL.\n")
    expect(() => statSync(file)).toThrow("ENOENT")
  })
  it("does not prompt without a terminal: base URL and key are required", async () => {
    expect(await at(["login"])).toMatchObject({ code: 2, stderr: expect.stringContaining("Missing base URL") })
    expect(await at(["login", "--base-url", service.url]))
      .toMatchObject({ code: 2, stderr: expect.stringContaining("Missing API key.") })
  })
  it("saves, lists, selects, and removes contexts", async () => {
    await login("one")
    await login("two")
    expect((await at(["context"])).stdout).toMatch(/^CURRENT {2}NAME {2}BASE URL +KEY\n {9}one .*\n\* {8}two /)
    expect((await at(["context", "use", "one", "-o", "json"])).stdout).not.toContain(service.apiKey)
    expect(JSON.parse((await at(["context", "list", "-o", "json"])).stdout))
      .toMatchObject([{ name: "one", current: true, base_url: service.url }, { name: "two", current: false }])
    expect(await at(["whoami", "--context", "two", "-o", "id"])).toMatchObject({ code: 0, stdout: "1\n" })
    expect((await at(["context", "remove", "one", "-o", "id"])).stdout).toBe("two\n")
    expect(await at(["whoami"])).toMatchObject({ code: 4, stderr: expect.stringContaining("vps context use <name>") })
    expect(await at(["context", "use", "twoo"]))
      .toMatchObject({ code: 3, stderr: expect.stringContaining("Did you mean two?") })
  })
  it("logout removes the current context, or the one that is named", async () => {
    await login("one")
    await login("two")
    await login("three")
    expect(await at(["logout", "-o", "id"])).toEqual({
      code: 0,
      stdout: "one\ntwo\n",
      stderr: "Removed context \"three\" and its key. The key itself stays valid.\n"
    })
    const again = await at(["logout", "-o", "json"])
    expect({ ...again, stderr: JSON.parse(again.stderr).error.message })
      .toEqual({ code: 4, stdout: "", stderr: "No context is selected." })
    const named = await at(["logout", "--context", "one", "-o", "id"], "", { VPS_API_KEY: service.apiKey })
    expect(named).toMatchObject({ code: 0, stdout: "two\n" })
    expect(named.stderr).toContain("VPS_API_KEY is set and still used. Unset it, too.")
    expect(readFileSync(file, "utf8")).not.toContain("\"one\"")
  })
  it("the environment overrides the current context, and --context overrides the environment", async () => {
    await login("saved")
    const env = { VPS_API_KEY: "vps_live_wrong", VPS_BASE_URL: service.url }
    expect((await at(["whoami"], "", env)).code).toBe(4)
    expect((await at(["whoami", "-c", "saved"], "", env)).code).toBe(0)
    expect((await at(["context"], "", env)).stderr).toContain("VPS_API_KEY is set and overrides the current context.")
  })
  it("a saved key is never sent to another service", async () => {
    await login("saved")
    const { code, stderr } = await at(["whoami"], "", { VPS_BASE_URL: "http://127.0.0.1:1/api/v1" })
    expect(code).toBe(4)
    expect(stderr).toContain(`VPS_BASE_URL is http://127.0.0.1:1/api/v1, but the key of context "saved" belongs to`)
  })
  it("a file that others can read is restricted, with a warning", async () => {
    await login("saved")
    chmodSync(file, 0o644)
    const { code, stderr } = await at(["whoami"])
    expect(code).toBe(0)
    expect(stderr).toContain(
      `vps: ${file} contains API keys and was readable by others (mode 644). Its mode is 600 now.`
    )
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await at(["whoami"])).stderr).toBe("")
  })
  it("a file that is not a context file is never changed", async () => {
    await login("saved")
    writeFileSync(file, "{\"contexts\": 1}")
    expect(await at(["whoami"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not a context file")
    })
    expect((await login("saved")).code).toBe(1)
    expect(readFileSync(file, "utf8")).toBe("{\"contexts\": 1}")
  })
  it("concurrent logins leave a complete file and no other, even through a symbolic link", async () => {
    await login("first")
    const link = join(folder, "link.json")
    symlinkSync(file, link)
    const env = { VPS_CONFIG: link }
    const names = ["a", "b", "c", "d"]
    await Promise.all(names.map((name) => at(["login", "-c", name, "--base-url", service.url], service.apiKey, env)))
    const { contexts } = JSON.parse(readFileSync(file, "utf8"))
    expect(names.some((name) => name in contexts)).toBe(true)
    expect(contexts).toHaveProperty("first")
    expect(readdirSync(join(folder, "settings"))).toEqual(["vps.json"])
    expect((await runVps(["whoami"], { env })).code).toBe(0)
  })
  it("an invalid name is rejected", async () => {
    expect(await at(["login", "-c", "__proto__", "--base-url", service.url], service.apiKey))
      .toMatchObject({ code: 2, stderr: expect.stringContaining("is not a valid context name") })
  })
})

describe("without a login", () => {
  it("4: explains how to log in", async () => {
    expect(await runVps(["instance", "list"])).toEqual({
      code: 4,
      stdout: "",
      stderr: "vps: No API key. You are not logged in.\n"
        + "vps: Log in with \"vps login\", or set VPS_API_KEY and VPS_BASE_URL.\n"
    })
  })
  it("finds its file in the configuration folder", async () => {
    const home = mkdtempSync(join(tmpdir(), "pulumi-vps-home-"))
    const env = { VPS_CONFIG: "", XDG_CONFIG_HOME: home }
    await runVps(["login"], { input: service.apiKey, env: { ...env, VPS_BASE_URL: service.url } })
    expect(readFileSync(join(home, "vps/config.json"), "utf8")).toContain(service.apiKey)
    expect((await runVps(["whoami"], { env: { ...env, ...credentials(service), VPS_API_KEY: "" } })).code).toBe(0)
    rmSync(home, { recursive: true })
  })
  it.each(["XDG_CACHE_HOME", "HOME"])("keeps compiled code below %s", async (name) => {
    const home = mkdtempSync(join(tmpdir(), "pulumi-vps-home-"))
    // A relative path must be ignored.
    const env = { NODE_COMPILE_CACHE: "", HOME: home, XDG_CACHE_HOME: "relative", [name]: home }
    expect((await runNode(["dist/sdk/cli/bin.js", "--version"], { env })).code).toBe(0)
    expect(existsSync(join(home, name === "HOME" ? ".cache/pulumi-vps" : "pulumi-vps"))).toBe(true)
    rmSync(home, { recursive: true })
  })
})
