/** The inputs of a ReverseDns, and what a change of each does. */
import { type Field, text, type Vocabulary } from "../Fields.ts"
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

const instanceId = (value: unknown): string | undefined =>
  typeof value === "string" && DIGITS.test(value) ? undefined : "must be the id of an Instance, such as instance.id"

const ptr = text(1, 253)

const onDelete = (value: unknown): string | undefined => {
  if (value === "keep") return undefined
  const fields = value !== null && typeof value === "object" ? Object.keys(value) : []
  if (fields.length !== 1 || fields[0] !== "resetTo") return "must be \"keep\" or {resetTo: \"a host name\"}"
  const problem = ptr((value as { resetTo: unknown }).resetTo)
  return problem === undefined ? undefined : `resetTo ${problem}`
}

const FIELDS: Readonly<Record<string, Field>> = {
  instanceId: { problem: instanceId, required: "the id of the Instance that has the address", change: "replaced" },
  ip: {
    problem: text(3, 45),
    required: "an address of the instance, such as instance.ipv4 (not known with waitFor: \"none\")",
    change: "replaced"
  },
  ptr: { problem: ptr, required: "the host name that the address should resolve to", change: "in place" },
  onDelete: { problem: onDelete, change: "recorded" }
}

export const REVERSE_DNS: Vocabulary = { fields: FIELDS, later: [] }

/** An id may be given as a number; it is kept as text, as the engine keeps ids. */
export const normalised = (inputs: Properties): Properties =>
  typeof inputs["instanceId"] === "number" ? { ...inputs, instanceId: String(inputs["instanceId"]) } : inputs
