/** Registers a resource as one of the dynamic provider, and calls the functions in the program's own process. */
import type * as pulumi from "@pulumi/pulumi"
import * as texts from "./ProviderText.ts"
import * as runtimeConfig from "@pulumi/pulumi/runtime/config.js"
import { output, secret } from "@pulumi/pulumi/output.js"
import { VERSION } from "@pulumi-vps/contract/Version"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createUrn, mergeOptions } from "@pulumi/pulumi/resource.js"
import { deletedWithInstance } from "../classes/DeletedWith.ts"
import type { Definition } from "../definition/Definition.ts"
import { Config } from "@pulumi/pulumi/config.js"
import { RunError } from "@pulumi/pulumi/errors.js"
import { getProject } from "@pulumi/pulumi/metadata.js"
import { isStartedByNodeHost, unknownSetting } from "../Config.ts"
import type { Properties } from "../definition/Properties.ts"
import type { FunctionName, Results } from "../functions/Functions.ts"

/** The SDK has these functions, but not in its types; without them nothing is refused. */
const { allConfig, isConfigSecret } = runtimeConfig as {
  readonly allConfig?: () => Readonly<Record<string, string>>
  readonly isConfigSecret?: (key: string) => boolean
}

const PREFIX = "vps:"

/**
 * The engine stores the stack's configuration in the state, a key that is not a secret in plain text; and it passes a
 * dynamic provider no list of the keys, so a mistyped one would be ignored.
 * @throws RunError when `vps:apiKey` is set without being a secret, and for a key that is not a setting.
 */
const requireValidConfig = (): void => {
  const keys = Object.keys(allConfig?.() ?? {}).filter((key) => key.startsWith(PREFIX))
  // The keys of a project of our name are the program's own.
  const unknown = getProject() === "vps" ? [] : keys.flatMap((key) => unknownSetting(key.slice(PREFIX.length)) ?? [])
  if (unknown[0] !== undefined) throw new RunError(unknown[0])
  if (new Config("vps").get("apiKey") === undefined || isConfigSecret?.("vps:apiKey") !== false) return
  throw new RunError(
    "vps:apiKey is set in plain text, which would be stored in the state. "
      + "Run `pulumi config set --secret vps:apiKey`, or use VPS_API_KEY instead."
  )
}

/**
 * The folder in which the engine starts the dynamic provider's process, too. Programs of the Automation API and tests
 * with mocks run elsewhere.
 */
const PROGRAM_FOLDER = isStartedByNodeHost() ? process.cwd() : undefined

const isLoadableFrom = (folder: string): boolean => {
  try {
    createRequire(join(folder, "program.js")).resolve("pulumi-vps/provider/runtime")
    return true
  } catch {
    return false
  }
}

let isRuntimeLoadable: boolean | undefined

/**
 * The dynamic provider's process loads this package from the program's folder. A component library may have it where
 * the program has not, as pnpm installs it; the engine's error then says neither why nor what to do.
 * @throws RunError when the program's folder does not have the package.
 */
const requireLoadableRuntime = (): void => {
  if (PROGRAM_FOLDER === undefined) return
  isRuntimeLoadable ??= isLoadableFrom(PROGRAM_FOLDER)
  if (isRuntimeLoadable) return
  throw new RunError(
    `Pulumi loads pulumi-vps from the program's folder, ${PROGRAM_FOLDER}, which does not have it: only a library that `
      + "the program uses depends on it. Add it to the program's own dependencies: "
      + `npm install pulumi-vps@${VERSION}, or pnpm add pulumi-vps@${VERSION}.`
  )
}

const TEXTS: Readonly<Record<string, string>> = {
  Instance: texts.INSTANCE_TEXT,
  ReverseDns: texts.REVERSE_DNS_TEXT,
  Snapshot: texts.SNAPSHOT_TEXT,
  SnapshotRestore: texts.SNAPSHOT_RESTORE_TEXT,
  BackupRestore: texts.BACKUP_RESTORE_TEXT
}

/** The engine imports without the program's inputs, so a dynamic provider does not even learn which code to run. */
const refusedImport = ({ inputs, name: resource }: Definition, name: string, id: string): string => {
  const instead = inputs["adoptInstanceId"] === undefined
    ? "Remove it"
    : `Remove it, and set adoptInstanceId: ${id} to manage the instance without buying one`
  return `${name}: the option import does not work with ${resource} of pulumi-vps/provider, because Pulumi cannot `
    + `import into a dynamic provider. ${instead}. Or use ${resource} of pulumi-vps/pulumi, which can be imported.`
}

export const typeOf = ({ name }: Definition): string => `pulumi-nodejs:dynamic/vps:${name}`

/**
 * The URN of a resource with its type written as the plugin's (`vps:index:<resource>`), as a plain promise: an output
 * would depend on the parent, and a child that depends on its own component waits for itself. The types of our parents
 * are written as the plugin's, too, so that a purchase has the same key there.
 */
const urnOf = (resource: string, name: string, parent: pulumi.Resource | undefined): Promise<string> =>
  new Promise((resolve) =>
    createUrn(name, `vps:index:${resource}`, parent).apply((urn) =>
      resolve(urn.replaceAll("pulumi-nodejs:dynamic/vps:", "vps:index:"))
    )
  )

/**
 * Builds the arguments of the class's `super` call. The engine fills only the outputs that the registration names, so
 * it names all.
 * A secret input has a second output, `__<name>`: the program's value, where another one is set.
 */
export const register = (
  definition: Definition,
  name: string,
  args: object,
  opts: pulumi.CustomResourceOptions | undefined
): [type: string, name: string, properties: pulumi.Inputs, opts: pulumi.CustomResourceOptions | undefined] => {
  requireValidConfig()
  requireLoadableRuntime()
  const { inputs, name: resource, outputs } = definition
  if (opts?.import !== undefined) throw new RunError(refusedImport(definition, name, opts.import))
  const own: pulumi.Inputs = { ...args }
  const secrets = Object.keys(inputs).filter((one) => inputs[one]?.secret === true)
  const properties = {
    ...Object.fromEntries([...Object.keys(inputs), ...Object.keys(outputs)].map((one) => [one, undefined])),
    ...own,
    ...Object.fromEntries(secrets.filter((one) => own[one] !== undefined).map((one) => [one, secret(own[one])])),
    __urn: urnOf(resource, name, opts?.parent),
    __provider: TEXTS[resource]
  }
  const additionalSecretOutputs = [...secrets, ...secrets.map((one) => `__${one}`)]
  const tied = deletedWithInstance(definition, own, opts)
  const options = secrets.length === 0 ? tied : mergeOptions(tied, { additionalSecretOutputs })
  return [typeOf(definition), name, properties, options]
}

export const invoke = async <Name extends FunctionName>(name: Name, args: object): Promise<Results[Name]> => {
  const config = new Config("vps")
  // Loaded by the first call: a program that only creates resources does without the SDK.
  const { functions } = await import("#provider/runtime")
  try {
    return await functions.call(name, args as Properties, (key) => config.get(key)) as Results[Name]
  } catch (error) {
    // Printed without a stack: the cause is the account, not the program.
    throw new RunError((error as Error).message)
  }
}

/** When an argument is unknown in a preview, the result is unknown, too, and no request is sent. */
export const invokeOutput = <Name extends FunctionName>(name: Name, args: object): pulumi.Output<Results[Name]> =>
  output(args).apply((known) => invoke(name, known)) as unknown as pulumi.Output<Results[Name]>
