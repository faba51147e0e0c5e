/** The published package: the content of the tarball, its entries, types, and commands. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeConsumer, readManifest, ROOT } from "../support/consumer.ts"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"

const manifest = readManifest()
const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
  typeof target === "string" ? [] : [{ specifier: manifest.name + entry.slice(1), target }]
)

const { files, folder } = makeConsumer()
const home = join(folder, "node_modules", manifest.name)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("no script of the repository is one that npm warns about where `npm pack` packed it", () => {
  const warned = ["preinstall", "install", "postinstall", "prepare"]
  assert.deepStrictEqual(warned.filter((name) => name in manifest.scripts), [])
  // A clone and a tarball are built all the same.
  assertLike(manifest.scripts, { dependencies: "npm run -s build", prepack: "npm run -s build" })
})

describe("the tarball", () => {
  it("holds built files and documents, nothing else", () => {
    const documents = [
      "ARCHITECTURE.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "THIRD_PARTY_NOTICES.txt",
      "package.json",
      "sbom.cdx.json"
    ]
    const built = /^dist\/(.*(\.js|\.d\.ts)|commonjs\/package\.json|service\/service\.schema\.json)$/
    const folders = /^(plugin|terraform|dist\/service\/panel\/files|service\/packaging|docs|examples)\//
    const strange = files.filter((path) => !documents.includes(path) && !built.test(path) && !folders.test(path))
    assert.deepStrictEqual(strange, [])
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
    assert.deepStrictEqual(files.filter((path) => documents.includes(path)).toSorted(), documents)
  })
  it("holds every entry, with types, and every command", () => {
    const promised = [
      ...entries.flatMap(({ target }) => [target.types, target.default]),
      ...Object.values(manifest.bin)
    ].map((path) => path.replace("./", ""))
    assert.deepStrictEqual(promised.filter((path) => !files.includes(path)), [])
  })
  it("works as a website: every link between its documents leads to one of its files", () => {
    const broken = files.filter((path) => path.endsWith(".md")).flatMap((path) =>
      [...readFileSync(join(home, path), "utf8").matchAll(/\]\(([^)#\s]+)/g)]
        .map(([, link]) => link!)
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => join(dirname(path), link))
        .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)))
        .map((target) => `${path}: ${target}`)
    )
    assert.deepStrictEqual(broken, [])
  })
  it.each(["main", "Embedded", "admin/cli/main"])(
    "names every package in service/%s.js, with its license",
    (bundle) => {
      // The bundler writes the path above each module.
      const text = readFileSync(join(home, `dist/service/${bundle}.js`), "utf8")
      const paths = text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)
      const names = [...new Set(Array.from(paths, ([, name]) => name!))]
      assert.include(names, "effect")
      const notices = readFileSync(join(home, "THIRD_PARTY_NOTICES.txt"), "utf8")
      assert.deepStrictEqual(names.filter((name) => !notices.includes(`\n${name} `)), [])
      const materials = JSON.parse(readFileSync(join(home, "sbom.cdx.json"), "utf8")) as {
        readonly components: ReadonlyArray<{ readonly name: string }>
      }
      assert.deepStrictEqual(names.filter((name) => !materials.components.some((one) => one.name === name)), [])
    }
  )
})

/** Runs Node in the user's folder, with nothing in its environment but where programs are. */
const node = (...args: ReadonlyArray<string>) => {
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" }
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" })
  return { status, stderr, stdout }
}

/** Compilers and settings of our users. The older compiler is slow: it looks at the one that forgives least. */
const COMPILERS = [
  ["typescript/lib/tsc.js", "--module nodenext"],
  ["@typescript/native/bin/tsc", "--module nodenext"],
  ["@typescript/native/bin/tsc", "--module nodenext --skipLibCheck"],
  ["@typescript/native/bin/tsc", "--module esnext --moduleResolution bundler"],
  ["@typescript/native/bin/tsc", "--module esnext --moduleResolution bundler --skipLibCheck"]
]

const NODE_TESTS = ["with-node.ts", "with-node.cjs", "with-effect.ts"]

describe("a user's folder", () => {
  beforeAll(() => {
    cpSync(join(ROOT, "test/e2e/consumer"), folder, { recursive: true })
    renameSync(join(folder, "with-vitest.ts"), join(folder, "script.test.ts"))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    const uses = entries.map(({ specifier }, index) => `import * as entry${index} from "${specifier}"`)
    const names = entries.map((_, index) => `entry${index}`).join(", ")
    writeFileSync(join(folder, "all.ts"), `${uses.join("\n")}\nexport const all = [${names}]\n`)
    writeFileSync(join(folder, "use.cts"), readFileSync(join(folder, "use.ts")))
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
    const same = `import { createRequire } from "node:module"; import { Vps } from "${manifest.name}"
      const required = createRequire(import.meta.url)("${manifest.name}")
      process.stdout.write(String(required.Vps === Vps))`
    assert.deepStrictEqual(node("--input-type=module", "-e", same), { status: 0, stderr: "", stdout: "true" })
  })
  it.each(COMPILERS)("is type-checked with %s %s", (tsc, more) => {
    const flags = `--noEmit --strict --exactOptionalPropertyTypes --target es2024 --lib es2024,esnext,dom --types node`
    const programs = more!.includes("bundler") ? ["all.ts", "use.ts"] : ["all.ts", "use.ts", "use.cts"]
    const ran = node(join(ROOT, "node_modules", tsc!), ...`${flags} ${more}`.split(" "), ...programs)
    // Pulumi's own declarations fail a strict compiler.
    const ours = ran.stdout.split("\n").filter((line) => line !== "" && !line.includes("node_modules/@pulumi/"))
    assert.deepStrictEqual(ours, [])
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
    const bin = join(folder, "node_modules", manifest.name, manifest.bin["vps-service"]!)
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
  it.each(Object.entries(manifest.bin))("%s says in one line what it needs when Node is too old", (name, path) => {
    const program = join(ROOT, path)
    const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })"
    const ran = spawnSync(process.execPath, ["--import", `data:text/javascript,${older}`, program], {
      encoding: "utf8"
    })
    assertLike(ran, { status: 1, stdout: "" })
    assert.match(ran.stderr, new RegExp(`^${name} needs Node.js (24|22\\.12) or newer; this is .*\\n$`))
    // A static import would be loaded, and would fail, before the check.
    assert.notMatch(readFileSync(program, "utf8"), /^import /m)
  })
  it.each(Object.keys(manifest.bin))("npx %s works in the repository", (name) => {
    const cache = mkdtempSync(join(tmpdir(), "pulumi-vps-npx-"))
    // npx would build the package first, and take what is built away from the tests beside this one for a moment.
    const own = { npm_config_offline: "true", npm_config_cache: cache, npm_config_ignore_scripts: "true" }
    const env = { ...process.env, ...own }
    const ran = spawnSync("npx", ["--yes", "--", name, "--help"], { cwd: ROOT, env, encoding: "utf8" })
    rmSync(cache, { recursive: true, force: true })
    assertLike(ran, { status: 0, stdout: containing(name) })
  })
})

/** As Pulumi on Windows looks for a plugin in a folder: `getCandidateExtensions` of its workspace/plugins.go. */
const ON_WINDOWS = [".exe", ".cmd"]

describe("the plugin on Windows", () => {
  const plugin = join(folder, "node_modules", manifest.name, "plugin")
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
