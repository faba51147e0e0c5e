import type * as pulumi from "@pulumi/pulumi"
import type { Definition } from "../Definition.ts"
import { refusePlainKey } from "./PlainKey.ts"
import { urnOf } from "./Urn.ts"

/** How long the phases of an attached resource may take: "90s", "10m" (the default of each), "1h30m". */
export interface AttachedTimeouts {
  readonly create?: pulumi.Input<string>
  readonly update?: pulumi.Input<string>
  readonly delete?: pulumi.Input<string>
}

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
