/**
 * The size of a machine, read from a plan's specs: `vcpu` is a number, `ram` and `storage` are texts such as "2 GB",
 * "40 GB NVMe" or "2 x 1 TB NVMe". Units are MB, GB and TB, in powers of 1024.
 */
export interface MachineSize {
  readonly cpus: number
  readonly memoryMib: number
  readonly diskGib: number
}

const QUANTITY = /^(?:(\d{1,3}) x )?(\d{1,6}(?:\.\d{1,2})?) ?([MGT])B(?: .*)?$/

const MIB: Readonly<Record<string, number>> = { M: 1, G: 2 ** 10, T: 2 ** 20 }
const MIB_PER_GIB = 2 ** 10

/** A quantity in MiB; undefined if it cannot be read, or has no whole number of them. */
const mibOf = (text: unknown): number | undefined => {
  const [, count = "1", amount, unit] = typeof text === "string" ? QUANTITY.exec(text) ?? [] : []
  if (unit === undefined) return undefined
  const mib = Number(count) * Number(amount) * MIB[unit]!
  return Number.isInteger(mib) && mib > 0 ? mib : undefined
}

const CPUS_MAX = 1_024

const cpusOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value <= CPUS_MAX ? value : undefined

const READERS = { vcpu: cpusOf, ram: mibOf, storage: mibOf } as const

const EXPECTED: Readonly<Record<keyof typeof READERS, string>> = {
  vcpu: "a whole number of at least 1",
  ram: "a text like \"2 GB\"",
  storage: "a text like \"40 GB NVMe\" or \"2 x 1 TB NVMe\""
}

const SIZED = Object.keys(READERS) as ReadonlyArray<keyof typeof READERS>

const parse = (specs: string | null): Readonly<Record<string, unknown>> =>
  (specs === null ? {} : JSON.parse(specs)) as Readonly<Record<string, unknown>>

/** The specs of a plan that cannot be read, with the expected form; if `isComplete`, also those that are missing. */
export const specProblems = (specs: string | null, isComplete: boolean): ReadonlyArray<string> => {
  const parsed = parse(specs)
  return SIZED.flatMap((name) => {
    const value = parsed[name] ?? undefined
    if (value === undefined) {
      return isComplete
        ? [`specs.${name} is missing, which the size of its instances needs. Expected ${EXPECTED[name]}.`]
        : []
    }
    return READERS[name](value) === undefined ? [`specs.${name} cannot be read. Expected ${EXPECTED[name]}.`] : []
  })
}

/** The size in a plan's specs as JSON text; undefined when one of the three is missing. */
export const sizeOf = (specs: string | null): MachineSize | undefined => {
  const parsed = parse(specs)
  const cpus = cpusOf(parsed["vcpu"])
  const memoryMib = mibOf(parsed["ram"])
  const disk = mibOf(parsed["storage"])
  if (cpus === undefined || memoryMib === undefined || disk === undefined) return undefined
  return { cpus, memoryMib, diskGib: Math.ceil(disk / MIB_PER_GIB) }
}
