/** Every import in the published files leads to what npm installs with the package. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { makeConsumer, type Manifest } from "../support/consumer.ts"
import { publishedManifest } from "../support/packed.ts"
import { PackedImports, specifiersIn } from "../support/packedImports.ts"

/** The only packages that each entry loads, and that its declarations name. */
const NEEDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  ".": [],
  "./sdk": [],
  "./fetch": [],
  "./effect": ["effect"],
  "./contract": ["effect"],
  "./testing": [],
  "./testing/effect": ["effect"],
  "./provider": ["@pulumi/pulumi"],
  "./pulumi": ["@pulumi/pulumi"],
  "./provider/runtime": []
}

const { folder } = makeConsumer({ peers: [] })
const home = join(folder, "node_modules/pulumi-vps")
const imports = new PackedImports(home)
const manifest = publishedManifest<Manifest>()
const entries = Object.entries(manifest.exports).filter(([, target]) => typeof target !== "string")

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
  it("import only published files and declared packages", () => {
    assert.isAbove(imports.files().length, 100)
    assert.deepStrictEqual(imports.problems(), [])
  })

  it("are entries that each need a stated list of packages", () => {
    assert.deepStrictEqual(entries.map(([name]) => name).toSorted(), Object.keys(NEEDS).toSorted())
  })

  it.each(entries)("%s loads, and declares, only the packages that it needs", (name, entry) => {
    const targets = imports.targets(entry)
    assert.isNotEmpty(targets)
    for (const target of targets) {
      // Loading another package is what the entry is for; naming one in a type needs no more.
      const packages = imports.packagesOf([target])
      assert.deepStrictEqual(packages.filter((one) => !NEEDS[name]!.includes(one)), [], target)
    }
    assert.deepStrictEqual(imports.packagesOf(targets), NEEDS[name])
  })

  it.each([...Object.entries(manifest.bin), ["terraform-provider-vps", "terraform/main.cjs"]])(
    "the command %s loads no other package",
    (_, path) => assert.deepStrictEqual(imports.packagesOf([path]), [])
  )
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
  it("of what is there is none", () => {
    const text =
      "import \"node:fs\"\nimport \"./there.js\"\nimport \"#a/there\"\nimport \"own/there\"\nimport \"declared/x\""
    assert.deepStrictEqual(problemsOf(text), [])
  })
  it("of a declaration is found, too", () => {
    assert.deepStrictEqual(specifiersIn("export declare const a: import(\"undeclared\").B"), ["undeclared"])
  })
})
