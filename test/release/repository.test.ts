/** The repository's address is one setting, which the tarball, the schema and the documents derive theirs from. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { schemaText } from "../../.config/providerSchema.ts"
import { publishingSteps } from "../../.config/release/publish.ts"
import {
  checkAddress,
  goModule,
  manifestFields,
  pluginCommand,
  readRepository,
  setRepository
} from "../../.config/repository.ts"
import { assertLike } from "../support/like.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const GITHUB = "https://github.com/acme/pulumi-vps"
const OTHER = "https://git.acme.example/tools/pulumi-vps"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-vps-repository-"))
  cpSync(join(ROOT, "examples/go"), join(folder, "examples/go"), { recursive: true })
  const { repository: _, ...manifest } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const schemaOf = (repository: string | undefined) => JSON.parse(schemaText(repository)) as Record<string, unknown>

describe("the repository", () => {
  it("is set once, in package.json; the Go example imports the module of that repository", () => {
    assert.isUndefined(readRepository(folder))
    const program = () => readFileSync(join(folder, "examples/go/main.go"), "utf8")
    for (const address of [GITHUB, OTHER]) {
      setRepository(folder, address)
      assert.strictEqual(readRepository(folder), address)
      assert.include(program(), `"${address.replace("https://", "")}/sdk/go/vps"`)
    }
    assert.notInclude(program(), "github.com/acme")
  })
  it("fills the fields of the tarball's package.json", () => {
    assert.deepStrictEqual(manifestFields(GITHUB), {
      homepage: `${GITHUB}#readme`,
      bugs: `${GITHUB}/issues`,
      repository: { type: "git", url: `git+${GITHUB}.git` }
    })
    assert.deepStrictEqual(manifestFields(undefined), {})
  })
  it("fills the fields of the plugin's schema", () => {
    assertLike(schemaOf(GITHUB), {
      homepage: GITHUB,
      repository: GITHUB,
      logoUrl: `${GITHUB}/raw/main/docs/logo.png`,
      pluginDownloadURL: "github://api.github.com/acme/pulumi-vps",
      language: { go: { importBasePath: "github.com/acme/pulumi-vps/sdk/go/vps" } }
    })
    assert.strictEqual(schemaOf(OTHER)["pluginDownloadURL"], `${OTHER}/releases/download/v\${VERSION}`)
    assert.notProperty(schemaOf(undefined), "pluginDownloadURL")
  })
  it("is where the plugin is installed from; without one, from a file", () => {
    assert.strictEqual(
      pluginCommand(GITHUB, "1.2.3"),
      "pulumi plugin install resource vps 1.2.3 --server github://api.github.com/acme/pulumi-vps"
    )
    assert.include(pluginCommand(undefined, "1.2.3"), "--file pulumi-resource-vps-v1.2.3-linux-amd64.tar.gz")
    assert.match(goModule(undefined), /^example\.com\//)
  })
  it.each(["github.com/acme/vps", "https://github.com/acme/vps.git", "https://github.com/", "git@github.com:acme/vps"])(
    "is refused if it is not an address: %s",
    (address) => assert.throws(() => checkAddress(address), "is not a repository's address")
  )
})

it("a release is published in an order in which nothing names what does not exist yet", () => {
  const output = join(folder, "output")
  mkdirSync(output)
  const names = [
    "pulumi-vps-1.2.3.tgz",
    "pulumi-vps-go-v1.2.3.tar.gz",
    "pulumi_vps-1.2.3-py3-none-any.whl",
    "SHA256SUMS"
  ]
  for (const name of names) writeFileSync(join(output, name), "")
  const steps = publishingSteps({ output, source: folder, version: "1.2.3", repository: GITHUB })
  assert.deepStrictEqual(steps.map(({ args: [verb], file }) => `${file} ${verb}`), [
    "git push",
    "tar -xzf",
    "git add",
    "git commit",
    "git push",
    "gh release",
    "npm publish",
    "twine upload"
  ])
  assert.include([...steps[4]!.args], "HEAD:refs/tags/sdk/go/vps/v1.2.3")
})
