/** The size of a machine, read from the specs of its instance's plan. */
import { PLAN_SPECS, type PlanSpecName } from "@pulumi-vps/contract/PlanSpecs"

export interface MachineSize {
  readonly cpus: number
  readonly memoryMib: number
  readonly diskGib: number
}

const MIB_PER_GIB = 2 ** 10

/** The specs that decide the size. */
const SIZED = ["vcpu", "ram", "storage"] as const satisfies ReadonlyArray<PlanSpecName>

const parse = (specs: string | null): Readonly<Record<string, unknown>> =>
  (specs === null ? {} : JSON.parse(specs)) as Readonly<Record<string, unknown>>

/** The specs of a plan that cannot be read, with the expected form; if `isComplete`, also those that are missing. */
export const specProblems = (specs: string | null, isComplete: boolean): ReadonlyArray<string> => {
  const parsed = parse(specs)
  return SIZED.flatMap((name) => {
    const value = parsed[name] ?? undefined
    const { expected, read } = PLAN_SPECS[name]
    if (value === undefined) {
      return isComplete
        ? [`specs.${name} is missing, which the size of its instances needs. Expected ${expected}.`]
        : []
    }
    return read(value) === undefined ? [`specs.${name} cannot be read. Expected ${expected}.`] : []
  })
}

/** The parts of the size in a plan's specs as JSON text that can be read. */
export const partsOfSize = (specs: string | null): Partial<MachineSize> => {
  const parsed = parse(specs)
  const [cpus, memoryMib, disk] = SIZED.map((name) => PLAN_SPECS[name].read(parsed[name]))
  return {
    ...cpus !== undefined && { cpus },
    ...memoryMib !== undefined && { memoryMib },
    ...disk !== undefined && { diskGib: Math.ceil(disk / MIB_PER_GIB) }
  }
}

/** The size in a plan's specs as JSON text; undefined when one of the three is missing. */
export const sizeOf = (specs: string | null): MachineSize | undefined => {
  const { cpus, diskGib, memoryMib } = partsOfSize(specs)
  return cpus === undefined || memoryMib === undefined || diskGib === undefined
    ? undefined
    : { cpus, memoryMib, diskGib }
}
