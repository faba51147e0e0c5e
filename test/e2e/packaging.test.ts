/** The published packages: the content of the tarballs, their entries, types, and commands. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Folder, FOLDERS } from "../../.config/build/workspace.ts"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"
import { publishedManifest } from "../support/packed.ts"
import { compileErrors, entries, nodeIn, packages, writeUsersPrograms } from "../support/usersFolder.ts"

const commands = packages.flatMap(({ bin, folder }) =>
  Object.entries(bin).map(([command, path]) => ({ command, path: join(ROOT, folder, path) }))
)

const folder = makeConsumer()
const homeOf = (name: string): string => join(folder, "node_modules", name)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("no package has a script that npm warns its users about", () => {
  const scripts = FOLDERS.flatMap((one) =>
    Object.keys(publishedManifest<{ readonly scripts?: object }>(one).scripts ?? {})
  )
  assert.deepStrictEqual(scripts, [])
})

/** A package has these besides its `dist`. */
const ALWAYS = ["LICENSE", "README.md", "package.json"]
const OF_BUNDLES = ["THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"]
const DOCUMENTS = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]

/** Programs, declarations, and what else there is. */
const BUILT = /^dist\/.*(\.js|\.d\.ts)$/
const MORE: Readonly<Record<Folder, RegExp>> = {
  "sdk/contract": /^$/,
  "sdk": /^dist\/commonjs\/package\.json$/,
  "sdk/testing": /^dist\/commonjs\/package\.json$/,
  "provider": /^(dist\/commonjs\/package\.json$|(plugin|terraform|service\/packaging|docs|examples)\/)/,
  "service": /^(dist\/service\.schema\.json$|(dist\/panel\/files|packaging)\/)/
}

describe("the tarball", () => {
  it.each(packages)("of $name holds built files and documents, nothing else", ({ files, folder }) => {
    const notices = folder === "sdk/contract" ? ALWAYS : [...ALWAYS, ...OF_BUNDLES]
    const documents = folder === "provider" ? [...notices, ...DOCUMENTS] : notices
    const strange = files.filter((path) => !documents.includes(path) && !BUILT.test(path) && !MORE[folder].test(path))
    assert.deepStrictEqual(strange, [])
    assert.deepStrictEqual(files.filter((path) => documents.includes(path)).toSorted(), documents.toSorted())
  })
  it("of pulumi-vps holds the providers that engines start", () => {
    const { files } = packages.find(({ name }) => name === "pulumi-vps")!
    assert.deepStrictEqual(files.filter((path) => path.startsWith("plugin/")).toSorted(), [
      "plugin/THIRD_PARTY_NOTICES.txt",
      "plugin/package.json",
      "plugin/plugin.mjs",
      "plugin/pulumi-resource-",
      "plugin/pulumi-resource-vps",
      "plugin/pulumi-resource-vps.cmd",
      "plugin/sbom.cdx.json",
      "plugin/schema.json"
    ])
    assert.deepStrictEqual(files.filter((path) => path.startsWith("terraform/")).toSorted(), [
      "terraform/THIRD_PARTY_NOTICES.txt",
      "terraform/main.cjs",
      "terraform/provider.mjs",
      "terraform/sbom.cdx.json",
      "terraform/terraform-provider-vps",
      "terraform/windows/terraform-provider-vps.cmd"
    ])
  })
  it.each(packages)("of $name holds every entry, with types, and every command", ({ bin, entries, files }) => {
    const promised = [
      ...entries.flatMap(({ target }) => [target.types ?? [], target.default].flat()),
      ...Object.values(bin)
    ]
    assert.deepStrictEqual(promised.map((path) => path.replace("./", "")).filter((path) => !files.includes(path)), [])
  })
  it("of pulumi-vps works as a website: every link between its documents leads to one of its files", () => {
    const { files, name } = packages.find((one) => one.folder === "provider")!
    const broken = files.filter((path) => path.endsWith(".md")).flatMap((path) =>
      [...readFileSync(join(homeOf(name), path), "utf8").matchAll(/\]\(([^)#\s]+)/g)]
        .map(([, link]) => link!)
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => join(dirname(path), link))
        .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)))
        .map((target) => `${path}: ${target}`)
    )
    assert.deepStrictEqual(broken, [])
  })
  it.each(["main", "Embedded", "admin/cli/main"])(
    "names every package in the service's %s.js, with its license",
    (bundle) => {
      const service = homeOf("@pulumi-vps/service")
      // The bundler writes the path above each module.
      const text = readFileSync(join(service, `dist/${bundle}.js`), "utf8")
      const paths = text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)
      const names = [...new Set(Array.from(paths, ([, name]) => name!))]
      assert.include(names, "effect")
      const notices = readFileSync(join(service, "THIRD_PARTY_NOTICES.txt"), "utf8")
      assert.deepStrictEqual(names.filter((name) => !notices.includes(`\n${name} `)), [])
      const materials = JSON.parse(readFileSync(join(service, "sbom.cdx.json"), "utf8")) as {
        readonly components: ReadonlyArray<{ readonly name: string }>
      }
      assert.deepStrictEqual(names.filter((name) => !materials.components.some((one) => one.name === name)), [])
    }
  )
})

const node = nodeIn(folder)

const NATIVE = "@typescript/native/bin/tsc"

/** Settings of our users. `packaging.ci.test.ts` has the older compiler, which takes ten times as long. */
const SETTINGS = [
  "--module nodenext",
  "--module nodenext --skipLibCheck",
  "--module esnext --moduleResolution bundler",
  "--module esnext --moduleResolution bundler --skipLibCheck"
]

const NODE_TESTS = ["with-node.ts", "with-node.cjs", "with-effect.ts"]

describe("a user's folder", () => {
  beforeAll(() => {
    writeUsersPrograms(folder)
  })

  it.each(entries)("can import $specifier", ({ specifier }) => {
    const script = `process.stdout.write(String(Object.keys(await import("${specifier}")).length))`
    const ran = node("--input-type=module", "-e", script)
    assertLike(ran, { status: 0, stderr: "" })
    assert.isAbove(Number(ran.stdout), 0)
  })
  it.each(entries)("can require $specifier", ({ specifier }) => {
    const ran = node("exports.cjs", specifier)
    assertLike(ran, { status: 0, stderr: "" })
    assert.isAbove(Number(ran.stdout), 0)
  })
  it("has the same classes through every entry", () => {
    const same = `import { createRequire } from "node:module"; import { Vps } from "@pulumi-vps/sdk"
      const required = createRequire(import.meta.url)("@pulumi-vps/sdk")
      process.stdout.write(String(required.Vps === Vps))`
    assert.deepStrictEqual(node("--input-type=module", "-e", same), { status: 0, stderr: "", stdout: "true" })
  })
  it.each(SETTINGS)("is type-checked with %s", (more) => {
    assert.deepStrictEqual(compileErrors(folder, NATIVE, more), [])
  })
  it.each(NODE_TESTS)("can test against the emulator with node:test: %s", (file) => {
    const { status, stdout } = node("--test", "--test-reporter=tap", file)
    assert.match(stdout, /^# pass [1-9]/m)
    assert.deepStrictEqual({ status, failed: /^not ok.*/m.exec(stdout)?.[0] }, { status: 0, failed: undefined })
  })
  it("can test against the emulator with vitest", () => {
    const { status, stderr, stdout } = node(join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--root", folder)
    assert.match(stdout, /Tests {2}\d+ passed/)
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
  })
  it("ends by itself once its emulators are stopped, and has printed nothing", () => {
    assert.deepStrictEqual(node("alone.ts"), { status: 0, stderr: "", stdout: "" })
  })
  it("can run the service", async () => {
    const bin = join(homeOf("@pulumi-vps/service"), "dist/bin.js")
    const service = spawn(process.execPath, [bin, "--emulator", "--port", "0"], { stdio: ["ignore", "pipe", "ignore"] })
    try {
      const [line] = await once(createInterface({ input: service.stdout }), "line") as [string]
      const ready = JSON.parse(line) as { readonly ready: boolean; readonly url: string; readonly api_key: string }
      assertLike(ready, { ready: true, url: /\/api\/v1$/ })
      const answer = await fetch(`${ready.url}/whoami`, { headers: { authorization: `Bearer ${ready.api_key}` } })
      assert.strictEqual(answer.status, 200)
    } finally {
      const gone = once(service, "exit")
      service.kill("SIGTERM")
      assert.strictEqual((await gone)[0], 0)
    }
  })
})

describe("commands", () => {
  it.each(commands)("$command says in one line what it needs when Node is too old", ({ command, path: program }) => {
    const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })"
    const ran = spawnSync(process.execPath, ["--import", `data:text/javascript,${older}`, program], {
      encoding: "utf8"
    })
    assertLike(ran, { status: 1, stdout: "" })
    assert.match(ran.stderr, new RegExp(`^${command} needs Node.js (24|22\\.12) or newer; this is .*\\n$`))
    // A static import would be loaded, and would fail, before the check.
    assert.notMatch(readFileSync(program, "utf8"), /^import /m)
  })
  const ofPeople = commands.filter(({ command }) => command !== "pulumi-resource-vps")
  it.each(ofPeople)("npx $command works in the repository", ({ command: name }) => {
    const cache = mkdtempSync(join(tmpdir(), "pulumi-vps-npx-"))
    const own = { npm_config_offline: "true", npm_config_cache: cache }
    const env = { ...process.env, ...own }
    const ran = spawnSync("npx", ["--yes", "--", name, "--help"], { cwd: ROOT, env, encoding: "utf8" })
    rmSync(cache, { recursive: true, force: true })
    assertLike(ran, { status: 0, stdout: containing(name) })
  })
})

/** As Pulumi on Windows looks for a plugin in a folder: `getCandidateExtensions` of its workspace/plugins.go. */
const ON_WINDOWS = [".exe", ".cmd"]

describe("the plugin on Windows", () => {
  const plugin = join(homeOf("pulumi-vps"), "plugin")
  const script = join(plugin, "pulumi-resource-vps.cmd")

  it("is its .cmd: cmd runs node on the file beside it, in any folder (only read)", () => {
    const found = ON_WINDOWS.filter((extension) => existsSync(join(plugin, `pulumi-resource-vps${extension}`)))
    assert.deepStrictEqual(found, [".cmd"])
    // Nothing is echoed, for Pulumi takes the first line printed for the port; the folder may have spaces; what Pulumi
    // gives, the address of the engine, is passed on; and cmd wants its lines to end in CR LF.
    const line = /^@node "%~dp0([\w-]+)" %\*\r\n$/.exec(readFileSync(script, "latin1"))
    assert.match(readFileSync(join(plugin, line?.[1] ?? "not as cmd reads it"), "utf8"), /^#!.*node\n/)
  })
  it.skipIf(process.platform !== "win32")("can be run (skipped off Windows)", () => {
    const { status, stdout } = spawnSync(`"${script}"`, ["--help"], { shell: true, encoding: "utf8" })
    assertExactlyLike({ status, stdout }, { status: 0, stdout: containing("plugin of pulumi-vps") })
  })
})
