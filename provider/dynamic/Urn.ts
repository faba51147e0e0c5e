import type * as pulumi from "@pulumi/pulumi"
import { createUrn } from "@pulumi/pulumi/resource.js"

/**
 * The URN of a resource with its type written as the plugin's (`vps:index:<resource>`), as a plain promise: an output
 * would carry its dependency on the parent, and a child that depends on its own component waits for itself. A parent of
 * ours is called as the plugin would call it, too: a purchase must have the same key there.
 */
export const urnOf = (resource: string, name: string, parent: pulumi.Resource | undefined): Promise<string> =>
  new Promise((resolve) =>
    createUrn(name, `vps:index:${resource}`, parent).apply((urn) =>
      resolve(urn.replaceAll("pulumi-nodejs:dynamic/vps:", "vps:index:"))
    )
  )
