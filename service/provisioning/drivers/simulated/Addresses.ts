/** Addresses, names and hosts of simulated machines, from ranges that are never routed to a real host. */
import { idInTag } from "../../../persistence/MachineTag.ts"
import type { SimulatedMachine } from "../../../persistence/SimulatedMachines.ts"

/** 198.18.0.0/15, the range for benchmarks (RFC 2544), holds this many networks of 256. */
const NETWORKS = 512

/** Excludes .0 and .255 of each network, which some software rejects. */
const HOSTS = 254

/** The number of IPv4 addresses. */
export const POOL_SIZE = NETWORKS * HOSTS

/**
 * The index for the machine of an instance, by its tag: machines that several replicas build at once have different
 * ones. Undefined for a tag without the instance's id.
 */
export const addressOf = (tag: string): number | undefined => {
  const id = idInTag(tag)
  return id !== undefined && id > 0 && Number.isSafeInteger(id) ? (id - 1) % POOL_SIZE : undefined
}

/** The first two bytes of the range: 198.18. */
const BASE = 198 * 256 + 18

/** The IPv4 address at an index of the pool. */
export const ipv4At = (index: number): string => {
  const network = Math.floor(index / HOSTS)
  const high = BASE + Math.floor(network / 256)
  return `${Math.floor(high / 256)}.${high % 256}.${network % 256}.${index % HOSTS + 1}`
}

const hextet = (number: number): string => number.toString(16)

/** The first address of the machine's own /64 in 2001:db8::/32 (RFC 3849), formatted by RFC 5952. */
export const ipv6Of = (id: number): string => {
  const high = Math.floor(id / 65_536) % 65_536
  const low = id % 65_536
  return low === 0 ? `2001:db8:${hextet(high)}::1` : `2001:db8:${hextet(high)}:${hextet(low)}::1`
}

/** Hosts per data center. */
const NODES = 8

/** The host of a machine at an index: "Frankfurt" has fra-node-1 to fra-node-8. */
export const nodeAt = (dataCenter: string, index: number): string => {
  const letters = dataCenter.toLowerCase().replaceAll(/[^a-z]/g, "").slice(0, 3)
  return `${letters === "" ? "sim" : letters}-node-${index % NODES + 1}`
}

export const providerIdOf = ({ id }: Pick<SimulatedMachine, "id">): string => `sim-${id}`
