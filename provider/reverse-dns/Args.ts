/** The inputs of a ReverseDns, and what a change of each does. */
import type { Definition, Form, Input } from "../Definition.ts"
import { text } from "../Forms.ts"
import type { Properties } from "../Properties.ts"

/** What happens to the record when the resource is destroyed: the service can't remove one. */
export type OnDelete = "keep" | { readonly resetTo: string }

export interface ReverseDnsInputs {
  /** Digits: the id of the Instance that has the address. */
  readonly instanceId: string
  readonly ip: string
  readonly ptr: string
  readonly onDelete?: OnDelete
  readonly __urn: string
}

export const asInputs = (checked: Properties): ReverseDnsInputs => checked as unknown as ReverseDnsInputs

const DIGITS = /^[1-9]\d*$/

const instanceId: Form = {
  text: "id of an Instance",
  schema: { type: "string" },
  problem: (value) =>
    typeof value === "string" && DIGITS.test(value) ? undefined : "must be the id of an Instance, such as instance.id"
}

const ptr = text(1, 253)

const onDelete: Form = {
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

const INPUTS: Readonly<Record<string, Input>> = {
  instanceId: {
    form: instanceId,
    description: "The instance that has the address.",
    required: "the id of the Instance that has the address",
    change: "replaced"
  },
  ip: {
    form: text(3, 45),
    description: "An address of that instance, such as `instance.ipv4`.",
    required: "an address of the instance, such as instance.ipv4 (not known with waitFor: \"none\")",
    change: "replaced"
  },
  ptr: {
    form: ptr,
    description: "The host name that the address resolves to.",
    required: "the host name that the address should resolve to",
    change: "in place"
  },
  onDelete: {
    form: onDelete,
    description: "What destroying does; the service can't remove a record. keep: it stays, with a warning. "
      + "resetTo: it is set to that name.",
    default: "\"keep\"",
    change: "nothing"
  }
}

export const REVERSE_DNS: Definition = {
  name: "ReverseDns",
  description: "The reverse DNS (PTR) record of an address. The service can set one and not read it back.",
  inputs: INPUTS,
  outputs: { userId: { schema: { type: "integer" }, description: "The account that owns the instance." } }
}

/** An id may be given as a number; it is kept as text, as the engine keeps ids. */
export const normalised = (inputs: Properties): Properties =>
  typeof inputs["instanceId"] === "number" ? { ...inputs, instanceId: String(inputs["instanceId"]) } : inputs
