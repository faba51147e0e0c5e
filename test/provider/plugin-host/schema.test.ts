import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { ENVIRONMENT } from "#provider/HostWords"
import { assert, it } from "vitest"
import { classFiles } from "../../../.config/providerClasses.ts"
import { SCHEMA, schemaText } from "../../../.config/providerSchema.ts"
import { hasPulumi } from "../../engine/PulumiCli.ts"

const schema = JSON.parse(readFileSync(SCHEMA, "utf8")) as {
  resources: Record<string, { properties: Record<string, { secret?: boolean }> }>
  provider: { inputProperties: Record<string, { secret?: boolean; defaultInfo?: object }> }
  config: { variables: Record<string, { defaultInfo?: object }> }
}

it("the plugin's schema is what the definitions say; `npm run generate` writes it", () => {
  assert.strictEqual(readFileSync(SCHEMA, "utf8"), schemaText())
})

it.each(Object.entries(classFiles()))(
  "%s is what the definitions say; `npm run generate` writes it",
  (path, text) => {
    assert.strictEqual(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"), text)
  }
)

it("secrets are marked", () => {
  assert.isTrue(schema.resources["vps:index:Instance"]?.properties["rootPassword"]?.secret)
  assert.isTrue(schema.provider.inputProperties["apiKey"]?.secret)
})

it("each variable of the configuration names its environment variable, which no input of a provider takes over", () => {
  const environments = Object.entries(schema.config.variables).map(([name, { defaultInfo }]) => [name, defaultInfo])
  assert.deepStrictEqual(
    Object.fromEntries(environments),
    Object.fromEntries(Object.entries(ENVIRONMENT).map(([name, variable]) => [name, { environment: [variable] }]))
  )
  // A generated SDK would store what it found there.
  assert.deepStrictEqual(
    Object.values(schema.provider.inputProperties).filter(({ defaultInfo }) => defaultInfo !== undefined),
    []
  )
})

it.skipIf(!hasPulumi)("`pulumi schema check` finds nothing wrong (skipped without pulumi)", () => {
  const { status, stderr, stdout } = spawnSync("pulumi", ["schema", "check", SCHEMA], { encoding: "utf8" })
  assert.deepStrictEqual({ status, said: `${stdout}${stderr}`.includes("error") }, { status: 0, said: false })
})
