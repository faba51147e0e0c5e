/** What reaches users: the content of the tarball, its entries, types and command, and what the README prints. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeConsumer, packedFiles, readManifest, ROOT } from "../support/consumer.ts"

const manifest = readManifest()
const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
  typeof target === "string" ? [] : [{ specifier: manifest.name + entry.slice(1), target }]
)

describe("the tarball", () => {
  const files = packedFiles()
  it("holds built files and documents, nothing else", () => {
    const documents = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"]
    const strange = files.filter((path) =>
      !documents.includes(path) && !/^dist\/.*(\.js|\.d\.ts)$|^plugin\//.test(path)
    )
    expect(strange).toEqual([])
    expect(files.filter((path) => path.startsWith("plugin/")).toSorted()).toEqual([
      "plugin/PulumiPlugin.yaml",
      "plugin/package.json",
      "plugin/plugin.mjs",
      "plugin/pulumi-resource-vps",
      "plugin/pulumi-resource-vps.cmd",
      "plugin/schema.json"
    ])
    expect(files.filter((path) => documents.includes(path)).toSorted()).toEqual(documents)
  })
  it("holds every entry, with types, and every command", () => {
    const promised = [
      ...entries.flatMap(({ target }) => [target.types, target.default]),
      ...Object.values(manifest.bin)
    ].map((path) => path.replace("./", ""))
    expect(promised.filter((path) => !files.includes(path))).toEqual([])
  })
})

describe("a user's folder", () => {
  let folder = ""
  beforeAll(() => {
    folder = makeConsumer()
    const uses = entries.map(({ specifier }, index) => `import * as entry${index} from "${specifier}"`)
    const named = entries.map((_, index) => `entry${index}`).join(", ")
    writeFileSync(join(folder, "use.ts"), `${uses.join("\n")}\nconsole.log([${named}].length)\n`)
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(entries)("can import $specifier", ({ specifier }) => {
    const script = `process.stdout.write(String(Object.keys(await import("${specifier}")).length))`
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8" })
    expect(ran.stderr).toBe("")
    expect(Number(ran.stdout)).toBeGreaterThan(0)
  })
  it.each(["typescript/lib/tsc.js", "@typescript/native/bin/tsc"])("type-checks against the entries with %s", (tsc) => {
    const flags = "--noEmit --strict --module nodenext --target es2024 --lib es2024,esnext,dom --types node"
    const args = [
      join(ROOT, "node_modules", tsc),
      ...flags.split(" "),
      "--typeRoots",
      join(ROOT, "node_modules/@types")
    ]
    const ran = spawnSync(process.execPath, [...args, "use.ts"], { cwd: folder, encoding: "utf8" })
    const ours = ran.stdout.split("\n").filter((line) => line !== "" && !line.includes("node_modules/@pulumi/"))
    expect(ours).toEqual([])
  })
  it("can run the service", async () => {
    const bin = join(folder, "node_modules", manifest.name, manifest.bin["vps-service"]!)
    const service = spawn(process.execPath, [bin, "--emulator", "--port", "0"], { stdio: ["ignore", "pipe", "ignore"] })
    try {
      const [line] = await once(createInterface({ input: service.stdout }), "line") as [string]
      const ready = JSON.parse(line) as { readonly ready: boolean; readonly url: string; readonly api_key: string }
      expect(ready).toMatchObject({ ready: true, url: expect.stringMatching(/\/api\/v1$/) })
      const answer = await fetch(`${ready.url}/whoami`, { headers: { authorization: `Bearer ${ready.api_key}` } })
      expect(answer.status).toBe(200)
    } finally {
      const gone = once(service, "exit")
      service.kill("SIGTERM")
      expect((await gone)[0]).toBe(0)
    }
  })
})

describe("commands", () => {
  it.each(Object.entries(manifest.bin))("%s says in one line what it needs when Node is too old", (name, path) => {
    const source = join(ROOT, path.replace("/dist/", "/").replace(/\.js$/, ".ts"))
    const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })"
    const ran = spawnSync(process.execPath, ["--import", `data:text/javascript,${older}`, source], { encoding: "utf8" })
    expect(ran).toMatchObject({ status: 1, stdout: "" })
    expect(ran.stderr).toMatch(new RegExp(`^${name} needs Node.js 24 or newer; this is .*\\n$`))
    // A static import would be loaded, and would fail, before the check.
    expect(readFileSync(source, "utf8")).not.toMatch(/^import /m)
  })
  it.each(Object.keys(manifest.bin))("npx %s works in the repository", (name) => {
    const cache = mkdtempSync(join(tmpdir(), "pulumi-vps-npx-"))
    const env = { ...process.env, npm_config_offline: "true", npm_config_cache: cache }
    const ran = spawnSync("npx", ["--yes", "--", name, "--help"], { cwd: ROOT, env, encoding: "utf8" })
    rmSync(cache, { recursive: true, force: true })
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining(name) })
  })
})

describe("the README", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8")
  it("prints the test command that CI runs", () => {
    const command = /bash -c '(.*)'/.exec(readFileSync(join(ROOT, ".ci/run"), "utf8"))?.[1]
    expect(command).toBe("npm ci && npm test")
    expect(readme).toContain(command)
  })
  it("prints only npm scripts that exist", () => {
    const scripts = [...readme.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script!)
    expect(scripts.length).toBeGreaterThan(0)
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([])
  })
  it("points only at files that exist", () => {
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path!)
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})
