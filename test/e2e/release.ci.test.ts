/** `npm run release`: what a dry run makes and leaves alone, and the archives of the plugin and of the provider. */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import {
  makeArchives,
  type Program,
  pulumiPlugin,
  terraformProvider,
  writeRegistryFiles
} from "../../.config/release/artifacts.ts"
import { ROOT } from "../support/consumer.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { credentials } from "../support/vps.ts"
import { hasLanguageHost } from "../engine/PulumiCli.ts"
import { COMMANDS, hasCommand } from "../engine/terraform/Cli.ts"
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

/** The archives of a program for some platforms, in a folder of their own. */
const makeIn = (name: string, program: Program, ...targets: ReadonlyArray<string>) => {
  const output = join(folder, name)
  mkdirSync(output)
  return makeArchives({ program, node: process.version.slice(1), output, targets })
}

describe("the plugin's archives", () => {
  const make = (name: string, ...targets: ReadonlyArray<string>) =>
    makeIn(name, pulumiPlugin(ROOT, "98.7.6"), ...targets)
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

  const withoutYaml = "skipped without pulumi-language-yaml"
  it.skipIf(!hasLanguageHost("yaml"))(`are installed by pulumi, which needs no Node.js then (${withoutYaml})`, () => {
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

describe("the archives of the Terraform provider", () => {
  const VERSION = "98.7.6"
  const mirror = join(folder, "mirror")
  const address = "registry.opentofu.org/pulumi-vps/vps"
  let service: ServiceProcess
  let archives: ReturnType<typeof makeArchives> = []
  beforeAll(async () => {
    service = await startService("--emulator")
    archives = makeIn("provider", terraformProvider(ROOT, VERSION), "linux-amd64", "darwin-arm64", "windows-amd64")
    writeRegistryFiles(join(folder, "provider"), VERSION, archives)
  }, TIMEOUT)
  afterAll(() => service.end())

  const list = (path: string): ReadonlyArray<string> =>
    execFileSync("unzip", ["-Z1", path], { encoding: "utf8" }).trim().split("\n")

  it("have the names, the files and the digests that registries and mirrors expect; two are equal", () => {
    assert.deepStrictEqual(archives.map(({ hasNode, path }) => [basename(path), hasNode]), [
      [`terraform-provider-vps_${VERSION}_linux_amd64.zip`, true],
      [`terraform-provider-vps_${VERSION}_darwin_arm64.zip`, false],
      [`terraform-provider-vps_${VERSION}_windows_amd64.zip`, true]
    ])
    const [linux, darwin, windows] = archives
    const notices = ["LICENSE", "THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"]
    const sorted = (...names: ReadonlyArray<string>) => [...notices, ...names].toSorted()
    const name = `terraform-provider-vps_v${VERSION}`
    assert.deepStrictEqual(list(linux!.path), sorted("NODE_LICENSE", "main.cjs", "node", "provider.mjs", name))
    assert.deepStrictEqual(list(darwin!.path), sorted("main.cjs", "provider.mjs", name))
    assert.deepStrictEqual(
      list(windows!.path),
      sorted("NODE_LICENSE", "main.cjs", "node.exe", "provider.mjs", `${name}.cmd`)
    )
    const [again] = makeIn("provider-again", terraformProvider(ROOT, VERSION), "darwin-arm64")
    assert.strictEqual(digest(again!.path), digest(darwin!.path))
    const prefix = join(folder, "provider", `terraform-provider-vps_${VERSION}`)
    assert.deepStrictEqual(JSON.parse(readFileSync(`${prefix}_manifest.json`, "utf8")), {
      version: 1,
      metadata: { protocol_versions: ["6.0"] }
    })
    execFileSync("sha256sum", ["--check", "--strict", `${prefix}_SHA256SUMS`], { cwd: join(folder, "provider") })
    assert.lengthOf(readFileSync(`${prefix}_SHA256SUMS`, "utf8").trim().split("\n"), archives.length + 1)
  }, TIMEOUT)

  it.for(COMMANDS)(
    "are installed by %s init from a file-system mirror, and need no Node.js then (skipped without it)",
    { timeout: TIMEOUT },
    (command, { skip }) => {
      skip(!hasCommand(command), `no ${command} on PATH`)
      const project = join(folder, command)
      mkdirSync(project)
      const place = join(mirror, address)
      mkdirSync(place, { recursive: true })
      copyFileSync(archives[0]!.path, join(place, basename(archives[0]!.path)))
      writeFileSync(
        join(project, "rc"),
        `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`
      )
      writeFileSync(
        join(project, "main.tf"),
        `terraform {
  required_providers {
    vps = {
      source = "${address}"
      version = "${VERSION}"
    }
  }
}
provider "vps" {
  idempotency_scope = "${command}"
}
resource "vps_instance" "web" {
  name = "web"
  plan = "vps-s"
}
`
      )
      const env = {
        ...credentials(service),
        PATH: "/usr/bin:/bin",
        HOME: folder,
        TF_CLI_CONFIG_FILE: join(project, "rc"),
        CHECKPOINT_DISABLE: "1"
      }
      const file = execFileSync("which", [command], { encoding: "utf8" }).trim()
      const run = (...args: ReadonlyArray<string>): string =>
        execFileSync(file, [...args, "-no-color", "-input=false"], { cwd: project, env, encoding: "utf8" })
      assert.match(run("init"), /Installed \S*pulumi-vps\/vps v98\.7\.6/)
      assert.match(run("apply", "-auto-approve"), /charges 4\.99 EUR now[^]*1 added/)
      assert.match(readFileSync(join(project, ".terraform.lock.hcl"), "utf8"), /version\s+= "98\.7\.6"/)
    }
  )
})
