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
import { Vps } from "#sdk/index"
import { makeArchives, type Program, pulumiPlugin, terraformProvider } from "../../.config/release/artifacts.ts"
import { ROOT } from "../support/consumer.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { SSH_KEY } from "../support/sshKey.ts"
import { credentials } from "../support/vps.ts"
import { hasLanguageHost } from "../engine/PulumiCli.ts"
import { COMMANDS, hasCommand } from "../engine/terraform/Cli.ts"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"

/** ms; it builds the package, and on a busy machine that takes a minute. */
const TIMEOUT = 400_000

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-release-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

/** Of a release that is never published. */
const RELEASED = "98.7.6"
const TARGETS = ["linux-amd64", "darwin-arm64", "windows-amd64"]
const output = join(folder, "output")
const released = (name: string): string => join(output, name)

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

const git = (...args: ReadonlyArray<string>): string => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" })
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")
const state = () => [git("rev-parse", "HEAD"), git("tag"), read("package.json"), read("CHANGELOG.md")]

let before: ReadonlyArray<string> = []
let dryRun: ReturnType<typeof release>
let service: ServiceProcess
beforeAll(async () => {
  before = state()
  const parts = ["--only", "packages,archives", "--targets", TARGETS.join(), "--output", output]
  dryRun = release(RELEASED, ...parts)
  service = await startService("--emulator")
}, TIMEOUT)
afterAll(() => service.end())

const countInstances = async (): Promise<number> => {
  const { VPS_API_KEY: apiKey, VPS_BASE_URL: baseUrl } = credentials(service)
  return (await new Vps({ apiKey, baseUrl }).instances.list()).length
}

/** Runs a command of an engine; throws with all that it printed. */
const runEngine = (file: string, args: ReadonlyArray<string>, cwd: string, env: Record<string, string>): string => {
  const { status, stderr, stdout } = spawnSync(file, args, { cwd, env, encoding: "utf8" })
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status}: ${stderr}${stdout}`)
  return stdout
}

describe("a dry run", () => {
  it("makes the tarball of the new version, with its digest, and leaves the repository alone", () => {
    const { status, stderr, stdout } = dryRun
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    assert.deepStrictEqual(state(), before)
    const tarball = released(`pulumi-vps-${RELEASED}.tgz`)
    assert.include(readFileSync(released("SHA256SUMS"), "utf8"), `${digest(tarball)}  pulumi-vps-${RELEASED}.tgz\n`)
    const packed = (path: string) => execFileSync("tar", ["-xzOf", tarball, `package/${path}`], { encoding: "utf8" })
    assert.match(packed("CHANGELOG.md"), /^## \[98\.7\.6\] - \d{4}-\d\d-\d\d$/m)
    assertLike(JSON.parse(packed("plugin/schema.json")), { version: RELEASED })
    assert.include(packed("examples/fleet/package.json"), `"pulumi-vps": "^${RELEASED}"`)
    assert.notProperty(JSON.parse(packed("package.json")), "devDependencies")
    const others = ["contract", "sdk", "service", "testing"].map((name) => `pulumi-vps-${name}-${RELEASED}.tgz`)
    for (const name of others) assert.include(stdout, `not run: npm publish ${released(name)}`)
    assert.include(stdout, `not run: npm publish ${tarball}`)
  })
  it("publishes nothing while the repository is unset", () => {
    const { status, stderr, stdout } = release(RELEASED, "--publish", "--output", join(folder, "none"))
    assert.deepStrictEqual({ status, stderr }, { status: 1, stderr: "Nothing was published.\n" })
    assert.include(stdout, "not ready: The repository is unset. Run: npm run repository --")
    assert.isFalse(existsSync(join(folder, "none")))
  })
  it("refuses to publish some platforms only, and platforms that it does not know", () => {
    const refused = (...args: ReadonlyArray<string>) => release(RELEASED, ...args).stderr
    assert.strictEqual(
      refused("--publish", "--targets", "linux-amd64"),
      "A release has all platforms: omit --targets.\n"
    )
    assert.match(refused("--targets", "linux-amd64,plan9-mips"), /^plan9-mips is not one of linux-amd64, /)
  })
})

/** An archive without Node.js, made from this tree twice: the others contain a Node.js, and are made alike. */
const madeTwice = (program: Program): ReadonlyArray<string> =>
  ["first", "second"].map((name) => {
    const own = join(folder, `${name} ${program.name}`)
    mkdirSync(own)
    const [archive] = makeArchives({ program, node: process.version.slice(1), output: own, targets: ["darwin-arm64"] })
    return digest(archive!.path)
  })

describe("the plugin's archives", () => {
  const archiveOf = (target: string): string => released(`pulumi-resource-vps-v${RELEASED}-${target}.tar.gz`)
  const unpack = (path: string): string => {
    const home = mkdtempSync(join(folder, "unpacked-"))
    execFileSync("tar", ["-xzf", path, "-C", home])
    return home
  }

  it("contain Node.js where the registry has it; two of the same files are equal", () => {
    const [first, second] = madeTwice(pulumiPlugin(ROOT, RELEASED))
    assert.strictEqual(second, first)
    assert.isFalse(existsSync(join(unpack(archiveOf("darwin-arm64")), "node")))
    assert.isTrue(existsSync(join(unpack(archiveOf("windows-amd64")), "node.exe")))
    const home = unpack(archiveOf("linux-amd64"))
    assert.include(readFileSync(join(home, "NODE_LICENSE"), "utf8"), "Node.js")
    // The system's shell, and no Node.js.
    const env = { PATH: "/usr/bin:/bin", HOME: folder }
    const { status, stdout } = spawnSync(join(home, "pulumi-resource-vps"), ["--help"], { env, encoding: "utf8" })
    assertExactlyLike({ status, stdout }, { status: 0, stdout: containing("plugin of pulumi-vps") })
  }, TIMEOUT)

  const withoutYaml = "skipped without pulumi-language-yaml"
  it.skipIf(!hasLanguageHost("yaml"))(`are installed by pulumi, without Node.js then (${withoutYaml})`, async () => {
    const project = join(folder, "project")
    mkdirSync(project)
    writeFileSync(join(project, "Pulumi.yaml"), read("examples/yaml/Pulumi.yaml").replace(/^plugins:[^]*?(?=^\w)/m, ""))
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
      runEngine(join(bin, "pulumi"), [...args, "--non-interactive"], project, env)
    pulumi("plugin", "install", "resource", "vps", RELEASED, "--file", archiveOf("linux-amd64"))
    assert.match(pulumi("plugin", "ls"), /vps +resource +98\.7\.6/)
    pulumi("stack", "init", "dev")
    pulumi("config", "set", "sshKey", SSH_KEY)
    const owned = await countInstances()
    assert.match(pulumi("preview"), /charges 4\.99 EUR now[^]*3 to create/)
    assert.strictEqual(await countInstances(), owned)
    assert.match(pulumi("up", "--yes"), /charges 4\.99 EUR now[^]*3 created/)
    assert.strictEqual(await countInstances(), owned + 1)
  }, TIMEOUT)
})

describe("the archives of the Terraform provider", () => {
  const mirror = join(folder, "mirror")
  const address = "registry.opentofu.org/pulumi-vps/vps"
  const archiveOf = (target: string): string => released(`terraform-provider-vps_${RELEASED}_${target}.zip`)

  const list = (path: string): ReadonlyArray<string> =>
    execFileSync("unzip", ["-Z1", path], { encoding: "utf8" }).trim().split("\n")

  it("have the names, the files and the digests that registries and mirrors expect; two are equal", () => {
    const notices = ["LICENSE", "THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"]
    const sorted = (...names: ReadonlyArray<string>) => [...notices, ...names].toSorted()
    const name = `terraform-provider-vps_v${RELEASED}`
    const linux = sorted("NODE_LICENSE", "main.cjs", "node", "provider.mjs", name)
    assert.deepStrictEqual(list(archiveOf("linux_amd64")), linux)
    assert.deepStrictEqual(list(archiveOf("darwin_arm64")), sorted("main.cjs", "provider.mjs", name))
    assert.deepStrictEqual(
      list(archiveOf("windows_amd64")),
      sorted("NODE_LICENSE", "main.cjs", "node.exe", "provider.mjs", `${name}.cmd`)
    )
    const [first, second] = madeTwice(terraformProvider(ROOT, RELEASED))
    assert.strictEqual(second, first)
    const prefix = released(`terraform-provider-vps_${RELEASED}`)
    assert.deepStrictEqual(JSON.parse(readFileSync(`${prefix}_manifest.json`, "utf8")), {
      version: 1,
      metadata: { protocol_versions: ["6.0"] }
    })
    execFileSync("sha256sum", ["--check", "--strict", `${prefix}_SHA256SUMS`], { cwd: output })
    assert.lengthOf(readFileSync(`${prefix}_SHA256SUMS`, "utf8").trim().split("\n"), TARGETS.length + 1)
  }, TIMEOUT)

  it.for(COMMANDS)(
    "are installed by %s init from a file-system mirror, and need no Node.js then (skipped without it)",
    { timeout: TIMEOUT },
    async (command, { skip }) => {
      skip(!hasCommand(command), `no ${command} on PATH`)
      const project = join(folder, command)
      mkdirSync(project)
      const place = join(mirror, address)
      mkdirSync(place, { recursive: true })
      copyFileSync(archiveOf("linux_amd64"), join(place, basename(archiveOf("linux_amd64"))))
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
      version = "${RELEASED}"
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
        runEngine(file, [...args, "-no-color", "-input=false"], project, env)
      assert.match(run("init"), /Installed \S*pulumi-vps\/vps v98\.7\.6/)
      const owned = await countInstances()
      assert.match(run("plan"), /1 to add[^]*charges 4\.99 EUR now/)
      assert.strictEqual(await countInstances(), owned)
      assert.match(run("apply", "-auto-approve"), /charges 4\.99 EUR now[^]*1 added/)
      assert.strictEqual(await countInstances(), owned + 1)
      assert.match(readFileSync(join(project, ".terraform.lock.hcl"), "utf8"), /version\s+= "98\.7\.6"/)
    }
  )
})
