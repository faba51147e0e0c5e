/** What the engine is told of a resource that the plugin serves. */
import type * as pulumi from "@pulumi/pulumi"
import { secret } from "@pulumi/pulumi/output.js"
import { mergeOptions } from "@pulumi/pulumi/resource.js"
import { VERSION } from "#sdk/client/Version"
import type { Definition } from "../definition/Definition.ts"

/** The plugin of this very package: the engine takes no other version where it has several. */
export const PACKAGE = { version: VERSION } as const

export const typeOf = ({ name }: Definition): string => `vps:index:${name}`

const secretsOf = ({ inputs, outputs }: Definition): Array<string> =>
  Object.entries({ ...inputs, ...outputs }).filter(([, { secret }]) => secret === true).map(([name]) => name)

/** The engine fills only the outputs that it is asked for, so all are named. */
export const propertiesOf = (definition: Definition, args: object | undefined): pulumi.Inputs => {
  const { inputs, outputs } = definition
  const asked = Object.fromEntries([...Object.keys(inputs), ...Object.keys(outputs)].map((name) => [name, undefined]))
  const given: pulumi.Inputs = { ...args }
  const marked = secretsOf(definition).filter((name) => given[name] !== undefined)
  return { ...asked, ...given, ...Object.fromEntries(marked.map((name) => [name, secret(given[name])])) }
}

export const optionsOf = (
  definition: Definition,
  opts: pulumi.CustomResourceOptions | undefined
): pulumi.CustomResourceOptions =>
  mergeOptions({
    ...PACKAGE,
    additionalSecretOutputs: secretsOf(definition),
    aliases: [{ type: `pulumi-nodejs:dynamic/vps:${definition.name}` }]
  }, opts)
