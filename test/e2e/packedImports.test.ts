/** Every import in the published files leads to what npm installs with the package. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { FOLDERS } from "../../.config/build/workspace.ts"
import { makeConsumer } from "../support/consumer.ts"
import { publishedManifest } from "../support/packed.ts"
import { PackedImports, specifiersIn } from "../support/packedImports.ts"

const OF_THE_KIT = ["@pulumi-vps/sdk", "@pulumi-vps/service"]

/** The only packages that each entry loads, and that its declarations name. */
const NEEDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@pulumi-vps/contract": ["effect"],
  "@pulumi-vps/sdk": [],
  "@pulumi-vps/sdk/fetch": [],
  "@pulumi-vps/sdk/effect": ["effect"],
  "@pulumi-vps/service/Embedded": [],
  "@pulumi-vps/testing": OF_THE_KIT,
  "@pulumi-vps/testing/effect": [...OF_THE_KIT, "effect"],
  "pulumi-vps/provider": ["@pulumi/pulumi"],
  "pulumi-vps/provider/runtime": [],
  "pulumi-vps/pulumi": ["@pulumi/pulumi"]
}

const folder = makeConsumer()
const packages = FOLDERS.map((one) => {
  const { bin = {}, exports, name } = publishedManifest(one)
  const imports = new PackedImports(join(folder, "node_modules", name))
  const entries = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string" ? [] : [{ entry: name + path.slice(1), target, imports }]
  )
  return {
    name,
    imports,
    entries,
    programs: Object.entries(bin).map(([command, path]) => ({ command, path, imports }))
  }
})
const entries = packages.flatMap((one) => one.entries)
const provider = packages.find(({ name }) => name === "pulumi-vps")!.imports
const programs = [
  ...packages.flatMap((one) => one.programs),
  { command: "terraform-provider-vps", path: "terraform/main.cjs", imports: provider }
]

const scratch = mkdtempSync(join(tmpdir(), "pulumi-vps-imports-"))
afterAll(() => [folder, scratch].forEach((path) => rmSync(path, { recursive: true, force: true })))

const made = (files: Readonly<Record<string, string>>): PackedImports => {
  const root = mkdtempSync(join(scratch, "package-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return new PackedImports(root)
}

describe("the published files", () => {
  it.each(packages)("of $name import only published files and declared packages", ({ imports }) => {
    assert.isNotEmpty(imports.files())
    assert.deepStrictEqual(imports.problems(), [])
  })

  it("are entries that each need a stated list of packages", () => {
    assert.deepStrictEqual(entries.map(({ entry }) => entry).toSorted(), Object.keys(NEEDS).toSorted())
  })

  it.each(entries)("$entry loads, and declares, only the packages that it needs", ({ entry, imports, target }) => {
    const targets = imports.targets(target)
    assert.isNotEmpty(targets)
    for (const one of targets) {
      // Loading another package is what the entry is for; naming one in a type needs no more.
      assert.deepStrictEqual(imports.packagesOf([one]).filter((needed) => !NEEDS[entry]!.includes(needed)), [], one)
    }
    assert.deepStrictEqual(imports.packagesOf(targets), NEEDS[entry])
  })

  it.each(programs)("the command $command loads no other package", ({ imports, path }) => {
    assert.deepStrictEqual(imports.packagesOf([path]), [])
  })
})

describe("an import", () => {
  const manifestText = JSON.stringify({
    name: "own",
    imports: { "#a/*": { "pulumi-vps-source": "./a/*.ts", default: "./dist/a/*.js" } },
    exports: { "./there": "./dist/there.js" },
    peerDependencies: { declared: "*" }
  })
  const problemsOf = (text: string) =>
    made({ "package.json": manifestText, "dist/there.js": "", "dist/a/there.js": "", "dist/main.js": text }).problems()
  it.each([
    ["import \"undeclared\"", "undeclared", "is not declared"],
    ["import(\"undeclared/part\")", "undeclared/part", "is not declared"],
    ["require(\"@scope/undeclared\")", "@scope/undeclared", "is not declared"],
    ["export * from \"./absent.js\"", "./absent.js", "is not published"],
    ["import \"#a/absent\"", "#a/absent", "is not published"],
    ["import \"#b/there\"", "#b/there", "is not published"],
    ["import \"own/absent\"", "own/absent", "is not published"]
  ])("that leads nowhere is found: %s", (text, specifier, problem) => {
    assert.deepStrictEqual(problemsOf(text), [{ file: "dist/main.js", specifier, problem } as never])
  })
  it("that leads to what is published, or declared, is accepted", () => {
    const text =
      "import \"node:fs\"\nimport \"./there.js\"\nimport \"#a/there\"\nimport \"own/there\"\nimport \"declared/x\""
    assert.deepStrictEqual(problemsOf(text), [])
  })
  it("of a declaration is found, too", () => {
    assert.deepStrictEqual(specifiersIn("export declare const a: import(\"undeclared\").B"), ["undeclared"])
  })
})
