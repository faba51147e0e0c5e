import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { ENVIRONMENT } from "#provider/Config"
import { expect, it } from "vitest"
import { classFiles } from "../../../.config/providerClasses.ts"
import { SCHEMA, schemaText } from "../../../.config/providerSchema.ts"
import { hasPulumi } from "../../engine/PulumiCli.ts"

const schema = JSON.parse(readFileSync(SCHEMA, "utf8")) as {
  resources: Record<string, { properties: Record<string, { secret?: boolean }> }>
  provider: { inputProperties: Record<string, { secret?: boolean; defaultInfo?: object }> }
  config: { variables: Record<string, { defaultInfo?: object }> }
}

it("the plugin's schema is what the definitions say; `npm run provider:schema` writes it", () => {
  expect(readFileSync(SCHEMA, "utf8")).toBe(schemaText())
})

it.each(Object.entries(classFiles()))(
  "%s is what the definitions say; `npm run provider:schema` writes it",
  (path, text) => {
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")).toBe(text)
  }
)

it("secrets are marked", () => {
  expect(schema.resources["vps:index:Instance"]?.properties["rootPassword"]?.secret).toBe(true)
  expect(schema.provider.inputProperties["apiKey"]?.secret).toBe(true)
})

it("each variable of the configuration names its environment variable, which no input of a provider takes over", () => {
  const environments = Object.entries(schema.config.variables).map(([name, { defaultInfo }]) => [name, defaultInfo])
  expect(Object.fromEntries(environments)).toEqual(
    Object.fromEntries(Object.entries(ENVIRONMENT).map(([name, variable]) => [name, { environment: [variable] }]))
  )
  // A generated SDK would store what it found there.
  expect(Object.values(schema.provider.inputProperties).filter(({ defaultInfo }) => defaultInfo !== undefined)).toEqual(
    []
  )
})

it.skipIf(!hasPulumi)("`pulumi schema check` finds nothing wrong (skipped without pulumi)", () => {
  const { status, stderr, stdout } = spawnSync("pulumi", ["schema", "check", SCHEMA], { encoding: "utf8" })
  expect({ status, said: `${stdout}${stderr}`.includes("error") }).toEqual({ status: 0, said: false })
})
