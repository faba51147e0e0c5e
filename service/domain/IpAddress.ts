/** IP addresses in text form, and networks of both versions in CIDR notation. */

/** IP addresses in text form. */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

/** Leading zeros are rejected: some parsers read them as octal. */
const isIpv4 = (text: string): boolean => IPV4.test(text) && !/(?:^|\.)0\d/.test(text)

/** The canonical text of RFC 5952. */
const compressed = (text: string): string | undefined => {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(":")) return undefined
  try {
    return new URL(`http://[${text}]/`).hostname.slice(1, -1)
  } catch {
    return undefined
  }
}

/** The canonical text of an address; undefined if it is invalid. Zone ids and prefix lengths are not accepted. */
export const normalize = (text: string): string | undefined => isIpv4(text) ? text : compressed(text)

/** IPv4 networks in CIDR notation, as numbers of 32 bits. */

export interface Ipv4Network {
  readonly first: number
  readonly last: number
  readonly prefix: number
}

const BITS = 32
const BYTE = 256

export const toNumber = (address: string): number => {
  let number = 0
  for (const byte of address.split(".")) number = number * BYTE + Number(byte)
  return number
}

export const toAddress = (number: number): string =>
  [3, 2, 1, 0].map((place) => Math.floor(number / BYTE ** place) % BYTE).join(".")

/** Undefined for text that is not a network, or not the first address of one. */
export const parseNetwork = (text: string): Ipv4Network | undefined => {
  const [address = "", bits = "", ...more] = text.split("/")
  const prefix = /^\d{1,2}$/.test(bits) ? Number(bits) : Number.NaN
  if (more.length > 0 || !isIpv4(address) || !(prefix >= 1 && prefix <= BITS)) return undefined
  const size = 2 ** (BITS - prefix)
  const first = toNumber(address)
  return first % size === 0 ? { first, last: first + size - 1, prefix } : undefined
}

export const parseAddress = (text: string): number | undefined => isIpv4(text) ? toNumber(text) : undefined

export const overlap = (one: Ipv4Network, other: Ipv4Network): boolean =>
  one.first <= other.last && other.first <= one.last

export const isWithin = ({ first, last }: Ipv4Network, address: number): boolean => address >= first && address <= last

/** From this prefix on, a network has no addresses of its own and of its broadcast (RFC 3021). */
const POINT_TO_POINT = 31

/** The addresses for machines: all but the network's own, its broadcast, and the gateway. */
export const usable = ({ first, last, prefix }: Ipv4Network, gateway: number): ReadonlyArray<string> => {
  const spared = prefix < POINT_TO_POINT ? 1 : 0
  const addresses: Array<string> = []
  for (let number = first + spared; number <= last - spared; number++) {
    if (number !== gateway) addresses.push(toAddress(number))
  }
  return addresses
}

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
