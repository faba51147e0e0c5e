/** The definition of a ReverseDns. */
import type { AttachedInputs } from "../attached/Attached.ts"
import {
  address,
  canonicalAddress,
  type Definition,
  type InputValues,
  instanceId,
  text,
  type ValueType
} from "../definition/Definition.ts"
import type { Properties } from "../definition/Properties.ts"

/** The effect of destroying the resource; the API cannot remove a record. */
export type OnDelete = "keep" | { readonly resetTo: string }

const ptr = text(1, 253)
const ON_DELETE = "\"keep\" | { readonly resetTo: string }"

const onDelete: ValueType<OnDelete> = {
  text: "\"keep\" or {resetTo: \"host.name\"}",
  schema: { $ref: "pulumi.json#/Any" },
  typescript: { input: ON_DELETE, output: ON_DELETE },
  problem: (value) => {
    if (value === "keep") return undefined
    const fields = value !== null && typeof value === "object" ? Object.keys(value) : []
    if (fields.length !== 1 || fields[0] !== "resetTo") return "must be \"keep\" or {resetTo: \"a host name\"}"
    const problem = ptr.problem((value as { resetTo: unknown }).resetTo)
    return problem === undefined ? undefined : `resetTo ${problem}`
  }
}

export const REVERSE_DNS = {
  name: "ReverseDns",
  description: "The reverse DNS (PTR) record of an address. The API can set a record but not read it, so changes made "
    + "elsewhere are not detected.",
  inputs: {
    instanceId: {
      type: instanceId,
      description: "The instance that has the address: `instance.id`.",
      required: "the id of an instance, such as instance.id",
      change: "replaced"
    },
    ip: {
      type: address,
      description: "An address of that instance, such as `instance.ipv4`.",
      required: "an address of the instance, such as instance.ipv4 (undefined with waitFor: \"none\")",
      change: "replaced"
    },
    ptr: {
      type: ptr,
      description: "The host name that the address resolves to.",
      required: "the host name that the address resolves to",
      change: "in place"
    },
    onDelete: {
      type: onDelete,
      description: "The effect of destroying, because the API cannot remove a record. keep: leaves the record, with a "
        + "warning. resetTo: sets it to that name, unless it is destroyed together with its instance.",
      default: "\"keep\"",
      change: "nothing"
    }
  },
  outputs: {
    userId: { schema: { type: "integer" }, description: "The account that owns the instance.", stable: true }
  }
} as const satisfies Definition

export type ReverseDnsInputs = InputValues<typeof REVERSE_DNS> & AttachedInputs

/** The same for every spelling of the address. */
export const recordId = ({ instanceId, ip }: Pick<ReverseDnsInputs, "instanceId" | "ip">): string =>
  `${instanceId}/${canonicalAddress(ip)}`

export const asInputs = (checked: Properties): ReverseDnsInputs => checked as unknown as ReverseDnsInputs
