/** The examples of docs/provider in every language, as far as they can be checked without the engine of Pulumi. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { isRequired, validateInputs } from "#provider/definition/Definition"
import { exampleFolder, exampleOf, LANGUAGES, RESOURCES } from "../../.config/providerTexts.ts"
import { SCHEMA } from "../../.config/providerSchema.ts"

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
      const failures = validateInputs({ inputs, ...definition }, literal)
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
