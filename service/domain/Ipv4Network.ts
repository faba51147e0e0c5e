/** IPv4 networks in CIDR notation, as numbers of 32 bits. */

export interface Ipv4Network {
  readonly first: number
  readonly last: number
  readonly prefix: number
}

const BITS = 32
const BYTE = 256

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

const isIpv4 = (text: string): boolean => IPV4.test(text) && !/(?:^|\.)0\d/.test(text)

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
