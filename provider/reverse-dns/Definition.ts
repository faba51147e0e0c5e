/** The inputs of a ReverseDns, and what a change of each does. */
import { type AttachedInputs, instanceIdInput } from "../attached/Attached.ts"
import type { Definition, Input, ValueType } from "../definition/Definition.ts"
import { text } from "../definition/ValueTypes.ts"
import type { Properties } from "../definition/Properties.ts"

/** What happens to the record when the resource is destroyed: the service can't remove one. */
export type OnDelete = "keep" | { readonly resetTo: string }

export interface ReverseDnsInputs extends AttachedInputs {
  readonly ip: string
  readonly ptr: string
  readonly onDelete?: OnDelete
}

export const asInputs = (checked: Properties): ReverseDnsInputs => checked as unknown as ReverseDnsInputs

const ptr = text(1, 253)

const onDelete: ValueType = {
  text: "\"keep\" or {resetTo: \"host.name\"}",
  schema: { $ref: "pulumi.json#/Any" },
  problem: (value) => {
    if (value === "keep") return undefined
    const fields = value !== null && typeof value === "object" ? Object.keys(value) : []
    if (fields.length !== 1 || fields[0] !== "resetTo") return "must be \"keep\" or {resetTo: \"a host name\"}"
    const problem = ptr.problem((value as { resetTo: unknown }).resetTo)
    return problem === undefined ? undefined : `resetTo ${problem}`
  }
}

const INPUTS = {
  instanceId: instanceIdInput("The instance that has the address."),
  ip: {
    type: text(3, 45),
    description: "An address of that instance, such as `instance.ipv4`.",
    required: "an address of the instance, such as instance.ipv4 (not known with waitFor: \"none\")",
    change: "replaced"
  },
  ptr: {
    type: ptr,
    description: "The host name that the address resolves to.",
    required: "the host name that the address should resolve to",
    change: "in place"
  },
  onDelete: {
    type: onDelete,
    description: "What destroying does; the service can't remove a record. keep: it stays, with a warning. "
      + "resetTo: it is set to that name.",
    default: "\"keep\"",
    change: "nothing"
  }
} as const satisfies Record<string, Input>

export const REVERSE_DNS = {
  name: "ReverseDns",
  description: "The reverse DNS (PTR) record of an address. The service can set one and not read it back.",
  inputs: INPUTS,
  outputs: { userId: { schema: { type: "integer" }, description: "The account that owns the instance.", stable: true } }
} satisfies Definition
