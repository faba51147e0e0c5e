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
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { runNode } from "../support/command.ts"
import { ROOT } from "../support/consumer.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { credentials, runVps, vpsOf } from "../support/vps.ts"
import { assertLike, containing } from "../support/like.ts"

const BUNDLE = join(ROOT, "sdk/dist/cli/main.js")

let service: ServiceProcess
const { json, run } = vpsOf(() => service)
beforeAll(async () => {
  service = await startService("--emulator")
})
afterAll(() => service.end())

it("the bundle contains unwrapped modules, and none that only a few commands need", () => {
  const bundle = readFileSync(BUNDLE, "utf8")
  // A dynamic import that the bundler resolves makes it wrap every module in a function. The others are slow to load.
  for (const name of ["__esm(", "HttpApiGroup", "YAMLParseError", "MockAgent"]) assert.notInclude(bundle, name)
  assert.isBelow(bundle.length, 1_200_000)
})

describe("vps whoami", () => {
  it("shows the account and the scopes of the key", async () => {
    const { code, stderr, stdout } = await run("whoami")
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.match(stdout, /^Account {6}1\nEmail {8}owner@example\.test\n/)
    assert.include(stdout, "Scopes       vps:create, vps:write, vps:read\n")
    assert.notInclude(stdout, service.apiKey)
  })
  it("prints the whole response as JSON and YAML, or the ID", async () => {
    assertLike(await json("whoami"), { account_id: 1, key: { scopes: ["vps:create"] } })
    assert.include((await run("whoami -o yaml")).stdout, "account_id: 1\nemail: owner@example.test\n")
    assert.strictEqual((await run("whoami -o id")).stdout, "1\n")
  })
})

describe("vps plan list and os list", () => {
  it("lists the plans in columns, money with its cents", async () => {
    const { code, stdout } = await run("plan list")
    const lines = stdout.split("\n")
    assert.strictEqual(code, 0)
    assert.match(lines[0]!, /^ID {2}SLUG +NAME +PRICE +CYCLE +VCPU +RAM +DISK +TRAFFIC$/)
    assert.match(lines[1]!, /^ 1 {2}vps-s +VPS S +4\.99 EUR +monthly +1 +2 GB +40 GB NVMe +20 TB$/)
    assert.strictEqual((await run("plan list -o id")).stdout, "1\n2\n3\n4\n5\n")
  })
  it("lists the images of all plans, or of one", async () => {
    const all = await run("os list")
    assert.match(all.stdout, /windows-2022 +Windows Server +2022 +6 +vps-s, vps-m, vps-l, ded-1\n/)
    assert.strictEqual(
      (await run("os list --plan vps-m-hel -o id")).stdout,
      "debian-12\ndebian-13\nubuntu-24.04\nalma-9\nfreebsd-14\n"
    )
    assertLike((await json("os list --plan 1"))[0], { slug: "debian-12", os_id: 1, plans: ["vps-s"] })
  })
  it("an unknown plan is exit code 3, and suggests similar names", async () => {
    const { code, stderr, stdout } = await run("os list --plan vps-xl")
    assert.deepStrictEqual({ code, stdout }, { code: 3, stdout: "" })
    assert.strictEqual(stderr, "vps: Plan \"vps-xl\" not found.\nvps: Did you mean vps-l, vps-m or vps-s?\n")
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
    assert.strictEqual(code, 0)
    assert.include(stdout, "owner@example.test")
    assert.notInclude(stdout + stderr, service.apiKey)
    assert.strictEqual(stderr, `Saved as context "default" in ${file} and selected.\n`)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.strictEqual((await at(["whoami", "-o", "id"])).stdout, "1\n")
  })
  it("does not save an invalid key", async () => {
    const { code, stderr, stdout } = await at(["login", "--base-url", service.url], "vps_live_wrong")
    assert.deepStrictEqual({ code, stdout }, { code: 4, stdout: "" })
    assert.include(stderr, "vps: Nothing was saved. Check the key and the base URL.\n")
    assert.throws(() => statSync(file), "ENOENT")
  })
  it("does not prompt without a terminal: base URL and key are required", async () => {
    assertLike(await at(["login"]), { code: 2, stderr: containing("Missing base URL") })
    assertLike(await at(["login", "--base-url", service.url]), { code: 2, stderr: containing("Missing API key.") })
  })
  it("saves, lists, selects, and removes contexts", async () => {
    await login("one")
    await login("two")
    assert.match((await at(["context"])).stdout, /^CURRENT {2}NAME {2}BASE URL +KEY\n {9}one .*\n\* {8}two /)
    assert.notInclude((await at(["context", "use", "one", "-o", "json"])).stdout, service.apiKey)
    assertLike(JSON.parse((await at(["context", "list", "-o", "json"])).stdout), [{
      name: "one",
      current: true,
      base_url: service.url
    }, { name: "two", current: false }])
    assertLike(await at(["whoami", "--context", "two", "-o", "id"]), { code: 0, stdout: "1\n" })
    assert.strictEqual((await at(["context", "remove", "one", "-o", "id"])).stdout, "two\n")
    assertLike(await at(["whoami"]), { code: 4, stderr: containing("vps context use <name>") })
    assertLike(await at(["context", "use", "twoo"]), { code: 3, stderr: containing("Did you mean two?") })
  })
  it("logout removes the current context, or the one that is named", async () => {
    await login("one")
    await login("two")
    await login("three")
    assert.deepStrictEqual(await at(["logout", "-o", "id"]), {
      code: 0,
      stdout: "one\ntwo\n",
      stderr: "Removed context \"three\" and its key. The key itself stays valid.\n"
    })
    const again = await at(["logout", "-o", "json"])
    assert.deepStrictEqual({ ...again, stderr: JSON.parse(again.stderr).error.message }, {
      code: 4,
      stdout: "",
      stderr: "No context is selected."
    })
    const named = await at(["logout", "--context", "one", "-o", "id"], "", { VPS_API_KEY: service.apiKey })
    assertLike(named, { code: 0, stdout: "two\n" })
    assert.include(named.stderr, "VPS_API_KEY is set and still used. Unset it, too.")
    assert.notInclude(readFileSync(file, "utf8"), "\"one\"")
  })
  it("the environment overrides the current context, and --context overrides the environment", async () => {
    await login("saved")
    const env = { VPS_API_KEY: "vps_live_wrong", VPS_BASE_URL: service.url }
    assert.strictEqual((await at(["whoami"], "", env)).code, 4)
    assert.strictEqual((await at(["whoami", "-c", "saved"], "", env)).code, 0)
    assert.include((await at(["context"], "", env)).stderr, "VPS_API_KEY is set and overrides the current context.")
  })
  it("a saved key is never sent to another service", async () => {
    await login("saved")
    const { code, stderr } = await at(["whoami"], "", { VPS_BASE_URL: "http://127.0.0.1:1/api/v1" })
    assert.strictEqual(code, 4)
    assert.include(stderr, `VPS_BASE_URL is http://127.0.0.1:1/api/v1, but the key of context "saved" belongs to`)
  })
  it("a file that others can read is restricted, with a warning", async () => {
    await login("saved")
    chmodSync(file, 0o644)
    const { code, stderr } = await at(["whoami"])
    assert.strictEqual(code, 0)
    assert.include(stderr, `vps: ${file} contains API keys and was readable by others (mode 644). Its mode is 600 now.`)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.strictEqual((await at(["whoami"])).stderr, "")
  })
  it("a file that is not a context file is never changed", async () => {
    await login("saved")
    writeFileSync(file, "{\"contexts\": 1}")
    assertLike(await at(["whoami"]), {
      code: 1,
      stderr: containing("is not a context file")
    })
    assert.strictEqual((await login("saved")).code, 1)
    assert.strictEqual(readFileSync(file, "utf8"), "{\"contexts\": 1}")
  })
  it("concurrent logins are all saved, and leave no other file, even through a symbolic link", async () => {
    await login("first")
    const link = join(folder, "link.json")
    symlinkSync(file, link)
    const env = { VPS_CONFIG: link }
    const names = ["a", "b", "c", "d", "e", "f"]
    await Promise.all(names.map((name) => at(["login", "-c", name, "--base-url", service.url], service.apiKey, env)))
    const { contexts } = JSON.parse(readFileSync(file, "utf8"))
    assert.deepStrictEqual(Object.keys(contexts).toSorted(), [...names, "first"])
    assert.deepStrictEqual(readdirSync(join(folder, "settings")), ["vps.json"])
    assert.strictEqual((await runVps(["whoami"], { env })).code, 0)
  })
  it("a folder in which none can be made is an error, and without a cache of code the command runs", async () => {
    const input = `${service.apiKey}\n`
    const line = ["login", "--base-url", service.url]
    assertLike(await at(line, input, { VPS_CONFIG: "/proc/x/vps.json" }), {
      code: 1,
      stderr: containing("Cannot write /proc/x/vps.json: ")
    })
    assertLike(await at(line, input, { XDG_CACHE_HOME: "/proc/x", NODE_COMPILE_CACHE: "" }), { code: 0 })
  })
  it("an invalid name is rejected", async () => {
    assertLike(await at(["login", "-c", "__proto__", "--base-url", service.url], service.apiKey), {
      code: 2,
      stderr: containing("is not a valid context name")
    })
  })
})

describe("without a login", () => {
  it("ends with 4 and explains how to log in", async () => {
    assert.deepStrictEqual(await runVps(["instance", "list"]), {
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
    assert.include(readFileSync(join(home, "vps/config.json"), "utf8"), service.apiKey)
    assert.strictEqual(
      (await runVps(["whoami"], { env: { ...env, ...credentials(service), VPS_API_KEY: "" } })).code,
      0
    )
    rmSync(home, { recursive: true })
  })
  it.each(["XDG_CACHE_HOME", "HOME"])("keeps compiled code below %s", async (name) => {
    const home = mkdtempSync(join(tmpdir(), "pulumi-vps-home-"))
    // A relative path must be ignored.
    const env = { NODE_COMPILE_CACHE: "", HOME: home, XDG_CACHE_HOME: "relative", [name]: home }
    assert.strictEqual((await runNode(["sdk/dist/cli/bin.js", "--version"], { env })).code, 0)
    assert.isTrue(existsSync(join(home, name === "HOME" ? ".cache/pulumi-vps" : "pulumi-vps")))
    rmSync(home, { recursive: true })
  })
})
