/** Registers a resource or a provider as one of the plugin, and calls the plugin's functions. */
import type * as pulumi from "@pulumi/pulumi"
import * as runtime from "@pulumi/pulumi/runtime/invoke.js"
import { secret } from "@pulumi/pulumi/output.js"
import { mergeOptions, ProviderResource } from "@pulumi/pulumi/resource.js"
import { VERSION } from "@pulumi-vps/contract/Version"
import { deletedWithInstance } from "../classes/DeletedWith.ts"
import type { Definition } from "../definition/Definition.ts"
import { type FunctionName, listField, type Results } from "../functions/Functions.ts"
import type { DeletionPolicy, WaitFor } from "../Config.ts"

/** The version of this package: of several installed plugins the engine must take this one. */
const PACKAGE = { version: VERSION } as const

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

type Fields = Readonly<Record<string, unknown>>

const unwrap = <Name extends FunctionName>(name: Name, result: Fields): Results[Name] => {
  const list = listField(name)
  // The plugin returns what a call in the dynamic host does: a test compares the two.
  return (list === undefined ? result : result[list]) as Results[Name]
}

export const invoke = async <Name extends FunctionName>(
  name: Name,
  args: object,
  opts?: pulumi.InvokeOptions
): Promise<Results[Name]> =>
  unwrap(name, await runtime.invoke(`vps:index:${name}`, { ...args }, { ...PACKAGE, ...opts }) as Fields)

/** When an argument is unknown in a preview, the result is unknown, too, and no request is sent. */
export const invokeOutput = <Name extends FunctionName>(
  name: Name,
  args: object,
  opts?: pulumi.InvokeOutputOptions
): pulumi.Output<Results[Name]> =>
  runtime.invokeOutput<Fields>(`vps:index:${name}`, { ...args }, { ...PACKAGE, ...opts })
    .apply((result) => unwrap(name, result)) as unknown as pulumi.Output<Results[Name]>

/** The arguments of a {@link Provider}. Settings that are left out come from the environment. */
export interface ProviderArgs {
  /** The account's API key; always stored as a secret. Overrides `VPS_API_KEY`. */
  readonly apiKey?: pulumi.Input<string>
  /** Address of the API with its prefix, such as `https://api.example.com/api/v1`. Overrides `VPS_BASE_URL`. */
  readonly baseUrl?: pulumi.Input<string>
  /** The default of the Instances. `VPS_DELETION_POLICY` overrides both, also at destroy time. */
  readonly deletionPolicy?: pulumi.Input<DeletionPolicy>
  /** Maximum charge for all purchases and resizes of one update, in units of the wallet's currency. */
  readonly maxChargePerUpdate?: pulumi.Input<number>
  /** Any text, part of every purchase key: for stacks that share project, stack and resource names. */
  readonly idempotencyScope?: pulumi.Input<string>
  /** The `generation` of Instances whose program sets none, by their names. */
  readonly generations?: pulumi.Input<Readonly<Record<string, pulumi.Input<number>>>>
  /** The default of the Instances' `waitFor`; "ip" by default. */
  readonly waitFor?: pulumi.Input<WaitFor>
  /** Timeout of one request, such as "30s". */
  readonly requestTimeout?: pulumi.Input<string>
}

/**
 * Another account than the one of the stack's configuration.
 *
 * @example
 * const shop = new Provider("shop", { apiKey: config.requireSecret("shopKey") })
 * const web = new Instance("web", { serviceId: 1 }, { provider: shop })
 */
export class Provider extends ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const apiKey = args.apiKey === undefined ? undefined : secret(args.apiKey)
    super("vps", name, { ...args, apiKey }, mergeOptions({ ...PACKAGE }, opts))
  }
}
