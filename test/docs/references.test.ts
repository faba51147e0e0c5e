/**
 * The generated pages of the SDK and the provider are current, with an example for each.
 */
import * as provider from "#provider/index"
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { groups, wire } from "../../.config/sdkSource.ts"
import { DOCS, pages } from "../../.config/sdkPage.ts"
import { GROUPS, interfaces, RECORDS, records, SHAPES, shapes } from "../../.config/sdkTypes.ts"
import { OPERATOR_COMMANDS, operatorCommands } from "../../.config/testingTypes.ts"
import { operations } from "../support/operations.ts"
import { Vps } from "#sdk/index"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { PULUMI } from "#provider/HostWords"
import { isRequired, validateInputs } from "#provider/definition/Definition"
import { exampleFolder, exampleOf, LANGUAGES, RESOURCES } from "../../.config/providerTexts.ts"
import { SCHEMA } from "../../.config/providerSchema.ts"
import { readManifest } from "../../.config/build/workspace.ts"
import { DOCUMENTS, fill, pageFiles, sections } from "../../.config/providerReference.ts"

/** The methods of a group that is a class. */
const methodsOf = (calls: object): ReadonlyArray<string> => {
  const shape: object = Object.getPrototypeOf(calls)
  return shape === Object.prototype ? [] : Object.getOwnPropertyNames(shape).filter((name) => name !== "constructor")
}

describe("docs/sdk-reference.md", () => {
  it.each([...pages()])("%s is current (npm run generate makes it)", (path, text) => {
    assert.strictEqual(readFileSync(DOCS + path, "utf8"), text)
  })

  it("docs/sdk has no other page", () => {
    const names = readdirSync(`${DOCS}sdk`).map((name) => `sdk/${name}`)
    assert.deepStrictEqual(names.toSorted(), [...pages().keys()].filter((path) => path.startsWith("sdk/")).toSorted())
  })

  it("every type has a name and a description", () => {
    const text = pages().get("sdk/types.md")!
    const types = [...text.matchAll(/^## (\w+)\n\n(.*)/gm)]
    assert.isAbove(types.length, 40)
    assert.deepStrictEqual(
      types.filter(([, , description]) => !/^[A-Z].*\.$/.test(description!)).map(([, name]) => name),
      []
    )
    // An inlined record has braces.
    assert.notMatch(readFileSync(RECORDS, "utf8"), /: .*\{/)
    assert.notMatch(readFileSync(GROUPS, "utf8"), /^ {2}readonly \w+: .*\{/m)
  })

  const GENERATED = [
    [RECORDS, records],
    [SHAPES, shapes],
    [GROUPS, interfaces],
    [OPERATOR_COMMANDS, operatorCommands]
  ] as const
  it.each(GENERATED)("%s is current (npm run generate makes it)", (path, make) => {
    assert.strictEqual(readFileSync(path, "utf8"), make())
  })

  it("has every call of the client, and no other", () => {
    const vps = new Vps({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9/api/v1" })
    const real = Object.entries(vps).flatMap(([group, calls]) =>
      [...Object.keys(calls as object), ...methodsOf(calls as object)].map((name) => `${group}.${name}`)
    )
    const described = groups().flatMap(({ calls, name }) => calls.map((call) => `${name}.${call.name}`))
    assert.deepStrictEqual(described.toSorted(), real.toSorted())
  })

  it("has the request of every operation", () => {
    const text = [...pages().values()].join("")
    for (const operation of Object.values(operations)) assert.include(text, `\`${wire(operation)}\``)
  })
})

const schema = JSON.parse(readFileSync(SCHEMA, "utf8")) as {
  readonly resources: Readonly<Record<string, { readonly description: string }>>
  readonly language: { readonly go: { readonly importBasePath: string } }
}
const [typescript, python, go, yaml] = LANGUAGES

const NAMES = RESOURCES.map(({ name }) => name)
const pathOf = (name: string, file: string): string => fileURLToPath(new URL(file, exampleFolder(name)))

interface Program {
  readonly resources: Readonly<Record<string, { readonly type: string; readonly properties: Record<string, unknown> }>>
  readonly outputs: Readonly<Record<string, string>>
}

/** The text by which a program creates a resource of this class. */
const CREATES = {
  typescript: (name: string) => `new ${name}(`,
  python: (name: string) => `vps.${name}(`,
  go: (name: string) => `vps.New${name}(ctx, `,
  yaml: (name: string) => `type: vps:${name}\n`
} as const

const has = (command: string): boolean => spawnSync(command, ["-h"], { stdio: "ignore" }).error === undefined

describe.each(NAMES)("%s", (name) => {
  it("has an example in each language, which the registry and editors show, too", () => {
    const { description } = schema.resources[`vps:index:${name}`]!
    for (const language of LANGUAGES) {
      const code = exampleOf(name, language)
      assert.include(`${code}\n`, CREATES[language.schema](name))
      assert.include(description, `\`\`\`${language.schema}\n${code}\n\`\`\``)
    }
    assert.match(description, /\{\{% examples %\}\}\n\n## Example Usage\n\n\{\{% example %\}\}\n\n```typescript\n/)
    assert.include(description, "```\n\n{{% /example %}}\n\n{{% /examples %}}")
  })

  it("has a YAML example whose inputs and references exist", () => {
    const { outputs, resources } = parse(exampleOf(name, yaml)) as Program
    const definitionOf = (type: string) => RESOURCES.find((one) => type === `vps:${one.name}`)!
    for (const { properties, type } of Object.values(resources)) {
      const { inputs, ...definition } = definitionOf(type)
      const literal = Object.fromEntries(
        Object.entries(properties).map(([input, value]) => [
          input,
          String(value).startsWith("${") ? undefined : value
        ])
      )
      const given = Object.keys(properties)
      assert.deepStrictEqual(given.filter((input) => inputs[input] === undefined), [])
      assert.deepStrictEqual(
        Object.keys(inputs).filter((input) => isRequired(inputs, input) && !given.includes(input)),
        []
      )
      const failures = validateInputs({ inputs, ...definition }, literal, PULUMI)
      assert.deepStrictEqual(failures.filter(({ reason }) => !reason.includes(" is missing: ")), [])
    }
    const references = [...JSON.stringify({ outputs, resources }).matchAll(/\$\{(\w+)\.(\w+)\}/g)]
    assert.isAbove(references.length, 0)
    for (const [, resource = "", property = ""] of references) {
      const { inputs, outputs: own } = definitionOf(resources[resource]!.type)
      assert.include([...Object.keys(inputs), ...Object.keys(own), "id"], property)
    }
  })

  it.skipIf(!has("python3"))("has a Python example that compiles (skipped without python3)", () => {
    const check = "import ast, sys; ast.parse(open(sys.argv[1]).read())"
    const { status, stderr } = spawnSync("python3", ["-c", check, pathOf(name, python.file)], { encoding: "utf8" })
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
  })

  it("has a Go example that imports the package which `pulumi package add` generates", () => {
    assert.include(exampleOf(name, go), `\t"${schema.language.go.importBasePath}"\n`)
  })

  it.skipIf(!has("gofmt"))("has a Go example that is formatted (skipped without gofmt)", () => {
    const { status, stdout } = spawnSync("gofmt", ["-l", pathOf(name, go.file)], { encoding: "utf8" })
    assert.deepStrictEqual({ status, stdout }, { status: 0, stdout: "" })
  })

  it("shows the TypeScript example without its imports at its class", () => {
    const classes = readFileSync(new URL("../../provider/pulumi/Resources.ts", import.meta.url), "utf8")
    const [, body = ""] = exampleOf(name, typescript).split(/^import .*\n+/m)
    assert.include(classes, ` * @example\n${body.split("\n").map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */`)
  })
})

const texts = DOCUMENTS.map((path) => readFileSync(path, "utf8"))
const text = texts.join("\n")

describe("the provider's documents", () => {
  it("are current: `npm run generate` would change nothing", () => {
    assert.deepStrictEqual(texts.map(fill), texts)
  })
  it.each(Object.entries(pageFiles()))(
    "%s is current: `npm run generate` would not change it",
    (path, page) => {
      assert.strictEqual(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"), page)
    }
  )
  it.each(sections)("have the section %s", (name) => assert.include(text, `<!-- begin ${name} -->`))
  it("are generated again when a section is outdated", () => {
    const outdated = text.replace(/(<!-- begin settings -->)[^]*(<!-- end settings -->)/, "$1 outdated $2")
    assert.notStrictEqual(outdated, text)
    assert.strictEqual(fill(outdated), text)
  })
  it("name the oldest SDK of Pulumi that npm accepts", () => {
    const [, oldest = ""] =
      /^\^(\d+\.\d+)\.0$/.exec(readManifest("provider").peerDependencies?.["@pulumi/pulumi"] ?? "") ?? []
    assert.match(text, new RegExp(`\\| npm's \`@pulumi/pulumi\` +\\| ${oldest} or newer`))
  })
  it("describe everything that a program can create or call", () => {
    const names = Object.keys(provider).filter((name) => !name.endsWith("Output"))
    assert.isAbove(names.length, 15)
    const helpers = new Set(["readState", "readStates", "describeOrphans"])
    assert.deepStrictEqual(names.filter((name) => !helpers.has(name) && !text.includes(name)), [])
  })
})
