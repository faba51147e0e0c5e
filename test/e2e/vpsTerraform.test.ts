/** `vps terraform init`: what it copies, and what it refuses to overwrite. Needs no engine. */
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { VERSION } from "#contract/Version"
import { afterAll, assert, describe, it } from "vitest"
import { EXIT } from "#sdk/cli/errors/CommandError"
import { ADDRESSES, PLATFORMS } from "#sdk/cli/terraform/ProviderMirror"
import { ROOT } from "../support/consumer.ts"
import { runVps } from "../support/vps.ts"

const work = mkdtempSync(join(tmpdir(), "pulumi-vps-mirror-"))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const initTo = (mirror: string, ...flags: ReadonlyArray<string>) =>
  runVps(["terraform", "init", "--mirror", mirror, ...flags])

const NOTICES = ["THIRD_PARTY_NOTICES.txt", "main.cjs", "provider.mjs", "sbom.cdx.json"]

/** The text of every file, by its path in the mirror. */
const contents = (mirror: string): Record<string, string> =>
  Object.fromEntries(
    globSync("**/*", { cwd: mirror, withFileTypes: true }).filter((one) => one.isFile()).map(({ name, parentPath }) => {
      const path = join(parentPath, name)
      return [path.slice(mirror.length + 1), readFileSync(path, "utf8")] as const
    })
  )

/** The command as it is installed, in a folder without other packages. */
const alone = (folder: string) => {
  const installed = join(folder, "node_modules/@pulumi-vps/sdk")
  for (const path of ["package.json", "dist"]) {
    cpSync(join(ROOT, "sdk", path), join(installed, path), { recursive: true })
  }
  return () => {
    const args = [join(installed, "dist/cli/bin.js"), "terraform", "init"]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env: {}, encoding: "utf8" })
    return { status, stderr }
  }
}

describe("vps terraform init", () => {
  it("says what to install without pulumi-vps, and takes the version of the installed one", () => {
    const folder = mkdtempSync(join(work, "alone-"))
    const init = alone(folder)
    const { status, stderr } = init()
    assert.strictEqual(status, EXIT.usage)
    assert.include(stderr, "The Terraform provider is in the package pulumi-vps, which is not installed here.")
    assert.include(stderr, "Run npm install pulumi-vps in this folder.")
    assert.isFalse(existsSync(join(folder, "terraform.d")))
    const provider = join(folder, "node_modules/pulumi-vps")
    cpSync(join(ROOT, "provider/terraform"), join(provider, "terraform"), { recursive: true })
    writeFileSync(join(provider, "package.json"), JSON.stringify({ name: "pulumi-vps", version: "98.7.6" }))
    assert.deepStrictEqual(init(), { status: 0, stderr: "" })
    const [address = ""] = ADDRESSES
    assert.deepStrictEqual(readdirSync(join(folder, "terraform.d/plugins", address)), ["98.7.6"])
  })

  it("copies this version for both registries, with an executable that everyone may start", async () => {
    const mirror = join(work, "new/mirror")
    const { code, stderr } = await initTo(mirror)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.deepStrictEqual(readdirSync(mirror).toSorted(), ["registry.opentofu.org", "registry.terraform.io"])
    for (const address of ADDRESSES) {
      const [platform = ""] = readdirSync(join(mirror, address, VERSION))
      assert.include(PLATFORMS, platform)
      const folder = join(mirror, address, VERSION, platform)
      const executable = `terraform-provider-vps_v${VERSION}`
      assert.deepStrictEqual(readdirSync(folder).toSorted(), [...NOTICES, executable].toSorted())
      assert.strictEqual(statSync(join(folder, executable)).mode & 0o777, 0o755)
      assert.strictEqual(statSync(folder).mode & 0o777, 0o755)
    }
  })

  it("has the same files for every Unix, and a launcher beside them for Windows", async () => {
    const mirror = join(work, "platforms")
    await initTo(mirror, ...PLATFORMS.flatMap((platform) => ["--platform", platform]))
    const all = contents(mirror)
    const of = (platform: string) =>
      Object.entries(all).filter(([path]) =>
        path.includes(`registry.opentofu.org/pulumi-vps/vps/${VERSION}/${platform}/`)
      )
        .map(([path, text]) => [path.split("/").at(-1), text]).toSorted()
    assert.lengthOf(of("linux_amd64"), 5)
    for (const platform of PLATFORMS.filter((one) => !one.startsWith("windows"))) {
      assert.deepStrictEqual(of(platform), of("linux_amd64"))
    }
    const launcher = Object.fromEntries(of("windows_arm64"))[`terraform-provider-vps_v${VERSION}.cmd`]
    assert.strictEqual(launcher, "@node \"%~dp0main.cjs\" %*\r\n")
  })

  it("changes nothing the second time, and keeps other versions and providers", async () => {
    const mirror = join(work, "twice")
    await initTo(mirror)
    const older = join(mirror, ADDRESSES[0]!, "0.0.1")
    writeFileSync(older, "another version")
    const before = contents(mirror)
    const { code, stderr } = await initTo(mirror)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.deepStrictEqual(contents(mirror), before)
  })

  it("refuses to overwrite a file that differs, or to leave one beside its own, and writes nothing", async () => {
    const mirror = join(work, "different")
    await initTo(mirror)
    const [folder = ""] = globSync(`${ADDRESSES[1]}/${VERSION}/*`, { cwd: mirror })
    const stranger = join(mirror, folder, "stranger")
    for (const path of [join(mirror, folder, "main.cjs"), stranger]) {
      const old = existsSync(path) ? readFileSync(path) : undefined
      writeFileSync(path, "something else")
      const { code, stderr } = await initTo(mirror, "--platform", "windows_arm64")
      assert.strictEqual(code, EXIT.usage)
      assert.include(stderr, `${path} differs from the provider of pulumi-vps ${VERSION}, so nothing was written.`)
      assert.include(stderr, `Delete the folder ${join(mirror, folder)} and run the command again.`)
      assert.strictEqual(readFileSync(path, "utf8"), "something else")
      assert.isFalse(Object.keys(contents(mirror)).some((one) => one.includes("windows")))
      if (old === undefined) rmSync(path)
      else writeFileSync(path, old)
    }
    assert.strictEqual((await initTo(mirror)).code, 0)
  })

  it("says which folder cannot be written, and how to name another", async () => {
    const file = join(work, "file")
    writeFileSync(file, "")
    for (const mirror of [join(file, "mirror"), "/proc/x"]) {
      const { code, stderr } = await initTo(mirror)
      assert.strictEqual(code, EXIT.usage)
      assert.include(stderr, `The provider cannot be copied to ${mirror}: `)
      assert.include(stderr, "Name a folder that you can write with --mirror.")
    }
  })

  it("names the mirror's absolute path in the configuration, and quotes it", async () => {
    const mirror = join(work, "a \"quoted\" name")
    const { stdout } = await initTo(mirror, "-o", "json")
    const printed = JSON.parse(stdout) as Record<string, string>
    assert.strictEqual(printed["mirror"], mirror)
    assert.include(printed["cli_configuration"], `path    = ${JSON.stringify(mirror)}\n`)
    assert.include(printed["development_configuration"], "dev_overrides")
  })
})
