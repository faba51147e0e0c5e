/**
 * The specs of a plan: one table with their forms, units and words, from which schemas, tables, forms and sizes come.
 * Quantities are texts such as "2 GB", "40 GB NVMe" or "2 x 1 TB NVMe". Units are MB, GB and TB, in powers of 1024.
 */

export interface PlanSpec {
  /** Of its value in a plan. */
  readonly type: "number" | "string"
  /** For the API's documentation. */
  readonly description: string
  /** For people, after a value: "2 vCPU", "4 GB memory". */
  readonly name: string
  /** For forms. */
  readonly label: string
  /** For the tables of the `vps` command. */
  readonly column: { readonly title: string; readonly right?: true }
  readonly example: number | string
  /** The form of a value that `read` accepts, for messages. */
  readonly expected: string
  /** A number to compare and to calculate with: a count, or MiB. Undefined for a value of another form. */
  readonly read: (value: unknown) => number | undefined
}

const CPUS_MAX = 1_024

const cpusOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value <= CPUS_MAX ? value : undefined

const QUANTITY = /^(?:(\d{1,3}) x )?(\d{1,6}(?:\.\d{1,2})?) ?([MGT])B(?: .*)?$/

const MIB: Readonly<Record<string, number>> = { M: 1, G: 2 ** 10, T: 2 ** 20 }

/** A quantity in MiB; undefined if it cannot be read, or has no whole number of them. */
const mibOf = (value: unknown): number | undefined => {
  const [, count = "1", amount, unit] = typeof value === "string" ? QUANTITY.exec(value) ?? [] : []
  if (unit === undefined) return undefined
  const mib = Number(count) * Number(amount) * MIB[unit]!
  return Number.isInteger(mib) && mib > 0 ? mib : undefined
}

export const PLAN_SPECS = {
  vcpu: {
    type: "number",
    description: "Number of virtual CPU cores",
    name: "vCPU",
    label: "vCPU",
    column: { title: "VCPU", right: true },
    example: 2,
    expected: "a whole number of at least 1",
    read: cpusOf
  },
  ram: {
    type: "string",
    description: "Memory, with its unit",
    name: "memory",
    label: "Memory",
    column: { title: "RAM", right: true },
    example: "4 GB",
    expected: "a text like \"2 GB\"",
    read: mibOf
  },
  storage: {
    type: "string",
    description: "Disk size and type, with its unit",
    name: "disk",
    label: "Disk",
    column: { title: "DISK" },
    example: "80 GB NVMe",
    expected: "a text like \"40 GB NVMe\" or \"2 x 1 TB NVMe\"",
    read: mibOf
  },
  traffic: {
    type: "string",
    description: "Monthly data-transfer allowance",
    name: "traffic",
    label: "Traffic",
    column: { title: "TRAFFIC" },
    example: "20 TB",
    expected: "a text like \"20 TB\" or \"unlimited\"",
    read: (value) => value === "unlimited" ? Infinity : mibOf(value)
  }
} as const satisfies Readonly<Record<string, PlanSpec>>

export type PlanSpecName = keyof typeof PLAN_SPECS

/** The specs of a plan by their names, in the order of tables and forms. */
export const PLAN_SPEC_ENTRIES = Object.entries(PLAN_SPECS) as ReadonlyArray<readonly [PlanSpecName, PlanSpec]>

/** The values that a plan has, with what they are, such as `["4 GB", "memory"]`. */
export const wordsOf = (
  specs: Readonly<Record<string, unknown>> | null | undefined
): ReadonlyArray<readonly [value: string, name: string]> =>
  PLAN_SPEC_ENTRIES.flatMap(([key, { name }]) => {
    const value = specs?.[key] ?? undefined
    return value === undefined ? [] : [[String(value), name] as const]
  })
