/** What the engine is told of a resource that the plugin serves. */
import * as pulumi from "@pulumi/pulumi"
import { VERSION } from "#sdk/client/Version"
import type { Definition } from "../Definition.ts"

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
  const secret = secretsOf(definition).filter((name) => given[name] !== undefined)
  return { ...asked, ...given, ...Object.fromEntries(secret.map((name) => [name, pulumi.secret(given[name])])) }
}

export const optionsOf = (
  definition: Definition,
  opts: pulumi.CustomResourceOptions | undefined
): pulumi.CustomResourceOptions =>
  pulumi.mergeOptions({
    ...PACKAGE,
    additionalSecretOutputs: secretsOf(definition),
    aliases: [{ type: `pulumi-nodejs:dynamic/vps:${definition.name}` }]
  }, opts)
