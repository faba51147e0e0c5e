/** Addresses, names and nodes of simulated machines. All come from ranges that never lead to a real host. */
import type { SimulatedMachine } from "../../../persistence/SimulatedMachines.ts"

/** 198.18.0.0/15, the range for benchmarks (RFC 2544), holds this many networks of 256. */
const NETWORKS = 512

/** .0 and .255 of each are left out: some software refuses them. */
const HOSTS = 254

/** How many machines can have an IPv4 address at once. */
export const POOL_SIZE = NETWORKS * HOSTS

/** First two numbers of the range, as one: 198.18. */
const BASE = 198 * 256 + 18

/** The IPv4 address at a place of the pool, from 0. */
export const ipv4At = (place: number): string => {
  const network = Math.floor(place / HOSTS)
  const high = BASE + Math.floor(network / 256)
  return `${Math.floor(high / 256)}.${high % 256}.${network % 256}.${place % HOSTS + 1}`
}

const hextet = (number: number): string => number.toString(16)

/** The first address of the machine's own /64 in 2001:db8::/32 (RFC 3849), written as RFC 5952 wants it. */
export const ipv6Of = (id: number): string => {
  const high = Math.floor(id / 65_536) % 65_536
  const low = id % 65_536
  return low === 0 ? `2001:db8:${hextet(high)}::1` : `2001:db8:${hextet(high)}:${hextet(low)}::1`
}

/** Hosts per data centre. */
const NODES = 8

/** The host that a machine at this place is put on: "Frankfurt" has fra-node-1 to fra-node-8. */
export const nodeAt = (dataCentre: string, place: number): string => {
  const letters = dataCentre.toLowerCase().replaceAll(/[^a-z]/g, "").slice(0, 3)
  return `${letters === "" ? "sim" : letters}-node-${place % NODES + 1}`
}

export const providerIdOf = ({ id }: Pick<SimulatedMachine, "id">): string => `sim-${id}`
