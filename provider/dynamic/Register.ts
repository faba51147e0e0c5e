/** Registers a resource as one of the dynamic provider. */
import type * as pulumi from "@pulumi/pulumi"
import { secret } from "@pulumi/pulumi/output.js"
import { createUrn, mergeOptions } from "@pulumi/pulumi/resource.js"
import { deletedWithInstance } from "../classes/DeletedWith.ts"
import type { Definition } from "../definition/Definition.ts"
import * as texts from "./ProviderText.ts"
import { requireValidConfig } from "./RequireValidConfig.ts"

const TEXTS: Readonly<Record<string, string>> = {
  Instance: texts.INSTANCE_TEXT,
  ReverseDns: texts.REVERSE_DNS_TEXT,
  Snapshot: texts.SNAPSHOT_TEXT,
  SnapshotRestore: texts.SNAPSHOT_RESTORE_TEXT,
  BackupRestore: texts.BACKUP_RESTORE_TEXT
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
  const { inputs, name: resource, outputs } = definition
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
