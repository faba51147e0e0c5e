/** Registers a resource as one of the plugin. */
import type * as pulumi from "@pulumi/pulumi"
import { secret } from "@pulumi/pulumi/output.js"
import { mergeOptions } from "@pulumi/pulumi/resource.js"
import { VERSION } from "#contract/Version"
import { deletedWithInstance } from "../classes/DeletedWith.ts"
import type { Definition } from "../definition/Definition.ts"

/** The version of this package: of several installed plugins the engine must take this one. */
export const PACKAGE = { version: VERSION } as const

export const typeOf = ({ name }: Definition): string => `vps:index:${name}`

/**
 * Builds the arguments of the class's `super` call. The engine fills only the outputs that the registration names, so
 * it names all.
 * The alias is the dynamic provider's type: a stack that moves to the plugin finds its resources unchanged.
 */
export const register = (
  definition: Definition,
  name: string,
  args: object | undefined,
  opts: pulumi.CustomResourceOptions | undefined
): [type: string, name: string, properties: pulumi.Inputs, opts: pulumi.CustomResourceOptions] => {
  const all = Object.entries({ ...definition.inputs, ...definition.outputs })
  const secrets = all.filter(([, { secret }]) => secret === true).map(([one]) => one)
  const inputs: pulumi.Inputs = { ...args }
  const properties = {
    ...Object.fromEntries(all.map(([one]) => [one, undefined])),
    ...inputs,
    ...Object.fromEntries(secrets.filter((one) => inputs[one] !== undefined).map((one) => [one, secret(inputs[one])]))
  }
  const aliases = [{ type: `pulumi-nodejs:dynamic/vps:${definition.name}` }]
  const options = { ...PACKAGE, additionalSecretOutputs: secrets, aliases }
  return [typeOf(definition), name, properties, mergeOptions(options, deletedWithInstance(definition, inputs, opts))]
}
