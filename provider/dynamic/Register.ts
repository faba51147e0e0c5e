import type * as pulumi from "@pulumi/pulumi"
import type { Definition } from "../definition/Definition.ts"
import { requireSecretKey } from "./RequireSecretKey.ts"
import { urnOf } from "./Urn.ts"

/** What a class hands to the engine. The engine fills only the outputs that it is asked for, so all are named. */
export const propertiesOf = (
  { inputs, name: resource, outputs }: Definition,
  name: string,
  args: object,
  parent: pulumi.Resource | undefined,
  text: string
): pulumi.Inputs => {
  requireSecretKey()
  const asked = Object.fromEntries([...Object.keys(inputs), ...Object.keys(outputs)].map((one) => [one, undefined]))
  return { ...asked, ...args, __urn: urnOf(resource, name, parent), __provider: text }
}
