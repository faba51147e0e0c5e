import type * as pulumi from "@pulumi/pulumi"
import type { Definition } from "../definition/Definition.ts"
import { refusePlainKey } from "./RequireSecretKey.ts"
import { urnOf } from "./Urn.ts"

/** What a class hands to the engine. The engine fills only the outputs that it is asked for, so all are named. */
export const handOver = (
  { inputs, name: resource, outputs }: Definition,
  name: string,
  args: object,
  parent: pulumi.Resource | undefined,
  text: string
): pulumi.Inputs => {
  refusePlainKey()
  const asked = Object.fromEntries([...Object.keys(inputs), ...Object.keys(outputs)].map((one) => [one, undefined]))
  return { ...asked, ...args, __urn: urnOf(resource, name, parent), __provider: text }
}
