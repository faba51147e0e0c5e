/** `npm run release`: what a dry run makes and leaves alone, and the plugin's archives. */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeArchives } from "../../.config/release/artifacts.ts"
import { ROOT } from "../support/consumer.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { credentials } from "../support/vps.ts"
import { hasPulumi } from "../engine/PulumiCli.ts"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"

/** ms; it builds the package, and on a busy machine that takes a minute. */
const TIMEOUT = 400_000

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-release-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

describe("a dry run", () => {
  const git = (...args: ReadonlyArray<string>): string => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" })
  const release = (...args: ReadonlyArray<string>) => {
    const who = { NAME: "A Test", EMAIL: "test@example.test" }
    const env = Object.fromEntries(
      Object.entries(who).flatMap(([name, value]) => [[`GIT_AUTHOR_${name}`, value], [`GIT_COMMITTER_${name}`, value]])
    )
    return spawnSync(process.execPath, [join(ROOT, ".config/release/run.ts"), ...args], {
      encoding: "utf8",
      env: { ...process.env, ...env }
    })
  }
  const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")
  const state = () => [git("rev-parse", "HEAD"), git("tag"), read("package.json"), read("CHANGELOG.md")]

  it("makes the tarball of the new version, with its digest, and leaves the repository alone", () => {
    const output = join(folder, "output")
    const before = state()
    const { status, stderr, stdout } = release("98.7.6", "--only", "package", "--output", output)
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    assert.deepStrictEqual(state(), before)
    const tarball = join(output, "pulumi-vps-98.7.6.tgz")
    assert.include(readFileSync(join(output, "SHA256SUMS"), "utf8"), `${digest(tarball)}  pulumi-vps-98.7.6.tgz\n`)
    const packed = (path: string) => execFileSync("tar", ["-xzOf", tarball, `package/${path}`], { encoding: "utf8" })
    assert.match(packed("CHANGELOG.md"), /^## \[98\.7\.6\] - \d{4}-\d\d-\d\d$/m)
    assertLike(JSON.parse(packed("plugin/schema.json")), { version: "98.7.6" })
    assert.include(packed("examples/fleet/package.json"), "\"pulumi-vps\": \"^98.7.6\"")
    assert.notProperty(JSON.parse(packed("package.json")), "scripts")
    assert.include(stdout, `not run: npm publish ${tarball}`)
  }, TIMEOUT)
  it("publishes nothing while the repository is unset", () => {
    const { status, stderr, stdout } = release("98.7.6", "--publish", "--output", join(folder, "none"))
    assert.deepStrictEqual({ status, stderr }, { status: 1, stderr: "Nothing was published.\n" })
    assert.include(stdout, "not ready: The repository is unset. Run: npm run repository --")
    assert.isFalse(existsSync(join(folder, "none")))
  })
})

describe("the plugin's archives", () => {
  const make = (name: string, ...targets: ReadonlyArray<string>) => {
    const output = join(folder, name)
    mkdirSync(output)
    const options = { plugin: join(ROOT, "plugin"), version: "98.7.6", node: process.version.slice(1), output, targets }
    return makeArchives(options)
  }
  let service: ServiceProcess
  let archives: ReturnType<typeof makeArchives> = []
  beforeAll(async () => {
    service = await startService("--emulator")
    archives = make("first", "linux-amd64", "darwin-arm64")
  }, TIMEOUT)
  afterAll(() => service.end())

  const unpack = (path: string): string => {
    const home = mkdtempSync(join(folder, "unpacked-"))
    execFileSync("tar", ["-xzf", path, "-C", home])
    return home
  }

  it("contain Node.js where the registry has it; two of the same files are equal", () => {
    const [linux, darwin] = archives
    const [again] = make("second", "darwin-arm64")
    assert.deepInclude(linux, { target: "linux-amd64", hasNode: true })
    assert.deepInclude(darwin, { target: "darwin-arm64", hasNode: false })
    assert.match(linux!.path, /\/pulumi-resource-vps-v98\.7\.6-linux-amd64\.tar\.gz$/)
    assert.strictEqual(digest(again!.path), digest(darwin!.path))
    const home = unpack(linux!.path)
    assert.include(readFileSync(join(home, "NODE_LICENSE"), "utf8"), "Node.js")
    // The system's shell, and no Node.js.
    const env = { PATH: "/usr/bin:/bin", HOME: folder }
    const { status, stdout } = spawnSync(join(home, "pulumi-resource-vps"), ["--help"], { env, encoding: "utf8" })
    assertExactlyLike({ status, stdout }, { status: 0, stdout: containing("plugin of pulumi-vps") })
  }, TIMEOUT)

  it.skipIf(!hasPulumi)("are installed by pulumi, which needs no Node.js then (skipped without pulumi)", () => {
    const version = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version
    const [linux] = archives
    const project = join(folder, "project")
    mkdirSync(project)
    const yaml = readFileSync(join(ROOT, "examples/yaml/Pulumi.yaml"), "utf8")
    writeFileSync(join(project, "Pulumi.yaml"), yaml.replace(/^plugins:[^]*?(?=^\w)/m, ""))
    const bin = join(folder, "bin")
    mkdirSync(bin)
    for (const name of ["pulumi", "pulumi-language-yaml", "sh", "dirname"]) {
      symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name))
    }
    const env = {
      ...credentials(service),
      PATH: bin,
      HOME: folder,
      PULUMI_HOME: join(folder, "pulumi"),
      PULUMI_BACKEND_URL: `file://${project}`,
      PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
      PULUMI_SKIP_UPDATE_CHECK: "true"
    }
    assert.isDefined(spawnSync("node", ["--version"], { env }).error)
    const pulumi = (...args: ReadonlyArray<string>): string =>
      execFileSync("pulumi", [...args, "--non-interactive"], { cwd: project, env, encoding: "utf8" })
    pulumi("plugin", "install", "resource", "vps", version, "--file", linux!.path)
    pulumi("stack", "init", "dev")
    assert.match(pulumi("up", "--yes"), /charges 4\.99 EUR now[^]*3 created/)
  }, TIMEOUT)
})
