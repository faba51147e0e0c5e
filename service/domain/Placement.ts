/** The choice of a host for a new machine. */
import type { MachineSize } from "./MachineSize.ts"
import type { HostState } from "../contract/Words.ts"

/** A host with its capacity, and the part of it that is promised to instances. */
export interface HostLoad {
  readonly id: number
  readonly state: HostState
  readonly capacity: MachineSize
  readonly used: MachineSize
  /**
   * Disk that its storage has space for beside what is promised there, by its latest report; null before the first.
   * Negative if more is promised than there is.
   */
  readonly diskLeftGib: number | null
}

const freeMemory = ({ capacity, used }: HostLoad): number => capacity.memoryMib - used.memoryMib

/** A change that takes no more disk fits in any pool. */
const hasSpace = ({ diskLeftGib }: HostLoad, { diskGib }: MachineSize): boolean =>
  diskGib <= 0 || diskLeftGib === null || diskGib <= diskLeftGib

const isWithin = ({ capacity, state, used }: HostLoad, size: MachineSize): boolean =>
  state === "active"
  && used.cpus + size.cpus <= capacity.cpus
  && used.memoryMib + size.memoryMib <= capacity.memoryMib
  && used.diskGib + size.diskGib <= capacity.diskGib

/** True if a host takes machines, and another one of this size stays within its capacity and the space of its pool. */
export const fits = (host: HostLoad, size: MachineSize): boolean => hasSpace(host, size) && isWithin(host, size)

/**
 * The host for a machine: the one with the fewest machines of the same customer, and of those the one with most free
 * memory. Undefined if it fits nowhere. `own` is the number of the customer's machines by host.
 */
export const place = <H extends HostLoad>(
  hosts: ReadonlyArray<H>,
  size: MachineSize,
  own: ReadonlyMap<number, number>
): H | undefined => {
  let best: H | undefined
  for (const host of hosts) {
    if (!fits(host, size)) continue
    const apart = best === undefined ? -1 : (own.get(host.id) ?? 0) - (own.get(best.id) ?? 0)
    if (best === undefined || apart < 0 || (apart === 0 && freeMemory(host) > freeMemory(best))) best = host
  }
  return best
}
