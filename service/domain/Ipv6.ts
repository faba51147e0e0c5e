/** IPv6 addresses as numbers, and networks of them in CIDR notation. */
import { normalize } from "./IpAddress.ts"

const IPV6_BITS = 128
const GROUPS = 8
const GROUP_BITS = 16n

const groupsOf = (text: string): ReadonlyArray<number> => {
  const [head = "", tail] = text.split("::")
  const parse = (part: string) => part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))
  const [first, last] = [parse(head), parse(tail ?? "")]
  return [...first, ...Array.from({ length: GROUPS - first.length - last.length }, () => 0), ...last]
}

/** Undefined for text that is not an IPv6 address. */
export const parseIpv6 = (text: string): bigint | undefined => {
  const address = normalize(text)
  if (address === undefined || !address.includes(":")) return undefined
  return groupsOf(address).reduce((number, group) => (number << GROUP_BITS) + BigInt(group), 0n)
}

/** The 32 hexadecimal digits of an address. */
export const digitsOf = (address: bigint): string => address.toString(16).padStart(IPV6_BITS / 4, "0")

/** The canonical text of RFC 5952. */
export const toIpv6 = (address: bigint): string => normalize(digitsOf(address).match(/.{4}/g)!.join(":"))!

export interface Ipv6Network {
  readonly first: bigint
  readonly last: bigint
  readonly prefix: number
}

/** Undefined for text that is not a network, or not the first address of one. */
export const parseIpv6Network = (text: string): Ipv6Network | undefined => {
  const [address = "", bits = "", ...more] = text.split("/")
  const first = parseIpv6(address)
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  if (more.length > 0 || first === undefined || !(prefix >= 1 && prefix <= IPV6_BITS)) return undefined
  const size = 1n << BigInt(IPV6_BITS - prefix)
  return first % size === 0n ? { first, last: first + size - 1n, prefix } : undefined
}

/** Addresses below this are for the operator: gateways, for example. */
const RESERVED = 0x1_0000n

/** The longest prefix of a network with an address for each instance: 32 bits are left. */
export const IPV6_PREFIX_MAX = 96

/** An instance's address in a network: 2001:db8::1:7 for instance 7. No other instance ever has it. */
export const addressOf = ({ first }: Ipv6Network, instanceId: number): bigint => first + RESERVED + BigInt(instanceId)

const LINK_LOCAL = { first: 0xfe80n << 112n, last: (0xfe81n << 112n) - 1n }

/** A gateway is link-local, or below the addresses of instances. */
export const isIpv6Gateway = ({ first }: Ipv6Network, address: bigint): boolean =>
  address >= LINK_LOCAL.first && address <= LINK_LOCAL.last || address >= first && address < first + RESERVED
