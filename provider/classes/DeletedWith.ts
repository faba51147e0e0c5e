/** Ties the resources of an instance to the instance that the program creates. */
import type * as pulumi from "@pulumi/pulumi"
import { Output } from "@pulumi/pulumi/output.js"
import { mergeOptions } from "@pulumi/pulumi/resource.js"
import type { Definition } from "../definition/Definition.ts"
import { InstanceResource } from "./Instance.ts"

/** Restores are left out: deleting one does nothing, and replacing one restores again. */
const TIED: ReadonlySet<string> = new Set(["Snapshot", "ReverseDns"])

/** The SDK has this method, but not in its types. */
interface WithResources {
  readonly resources?: () => ReadonlySet<pulumi.Resource>
}

const instanceBehind = (id: unknown): InstanceResource | undefined => {
  const behind = Output.isInstance(id) ? (id as WithResources).resources?.() ?? [] : []
  const instances = [...behind].filter((one): one is InstanceResource => one instanceof InstanceResource)
  // Deleting a resource that the program only reads leaves everything of it in place.
  return instances.length === 1 && instances[0]?.isManaged === true ? instances[0] : undefined
}

/**
 * The options with `deletedWith`: the engine then deletes the resource with its instance without calling the provider,
 * so that a destroy that the instance's policy refuses has deleted nothing before, and previews its replacement.
 */
export const deletedWithInstance = <Options extends pulumi.CustomResourceOptions | undefined>(
  { name }: Definition,
  args: pulumi.Inputs,
  opts: Options
): Options | pulumi.CustomResourceOptions => {
  if (!TIED.has(name) || opts?.deletedWith !== undefined) return opts
  const deletedWith = instanceBehind(args["instanceId"])
  return deletedWith === undefined ? opts : mergeOptions(opts, { deletedWith })
}
