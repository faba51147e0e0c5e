/** The names of PTR records, and the zones that they are in. */
import { digitsOf, parseIpv6 } from "../../domain/IpAddress.ts"

const bytesOf = (ipv4: string): ReadonlyArray<number> => ipv4.split(".").map(Number)

/** The name of an address's PTR record, as absolute names are written. The address is in canonical form. */
export const reverseName = (ip: string): string => {
  const ipv6 = parseIpv6(ip)
  if (ipv6 === undefined) return `${bytesOf(ip).toReversed().join(".")}.in-addr.arpa.`
  return `${[...digitsOf(ipv6)].toReversed().join(".")}.ip6.arpa.`
}

/** 0/25, 0-25, or the range 0-127 before the name of a network of 256 addresses (RFC 2317). */
const CLASSLESS = /^(\d{1,3})([/-])(\d{1,3})\.((?:\d{1,3}\.){3}in-addr\.arpa\.)$/

const BITS = 32
/** The prefix of a network of 256 addresses. */
const OCTET_PREFIX = 24

/** The prefix length of a delegation; undefined if its name is not one. */
const prefixOf = (first: number, separator: string, second: number): number | undefined => {
  const isBlock = (prefix: number) => prefix > OCTET_PREFIX && prefix <= BITS && first % 2 ** (BITS - prefix) === 0
  const ofRange = BITS - Math.log2(second - first + 1)
  if (separator === "-" && Number.isInteger(ofRange) && isBlock(ofRange)) return ofRange
  return isBlock(second) ? second : undefined
}

interface Name {
  readonly name: string
  /** The prefix length of the zone: the longest one is the most specific. */
  readonly prefix: number
}

/** The name of an address's record in a zone of a classless delegation. */
const classlessName = (zone: string, ip: string): Name | undefined => {
  const [, first = "", separator = "", second = "", parent] = CLASSLESS.exec(zone) ?? []
  const [byte = "", ...network] = reverseName(ip).split(".")
  if (parent === undefined || network.join(".") !== parent) return undefined
  const prefix = prefixOf(Number(first), separator, Number(second))
  if (prefix === undefined) return undefined
  const place = Number(byte) - Number(first)
  return place >= 0 && place < 2 ** (BITS - prefix) ? { name: `${byte}.${zone}`, prefix } : undefined
}

/** The labels of `in-addr.arpa.` and `ip6.arpa.` with the root's. */
const SUFFIX_LABELS = 3
const BITS_PER_LABEL = { ipv4: 8, ipv6: 4 }

/** The name of an address's PTR record in a zone; undefined if the zone does not have it. */
const nameIn = (zone: string, ip: string): Name | undefined => {
  const name = reverseName(ip)
  if (!name.endsWith(`.${zone}`)) return classlessName(zone, ip)
  const bits = ip.includes(":") ? BITS_PER_LABEL.ipv6 : BITS_PER_LABEL.ipv4
  return { name, prefix: bits * (zone.split(".").length - SUFFIX_LABELS) }
}

export interface Zone {
  /** Absolute, in lower case. */
  readonly name: string
}

/** The most specific zone of an address, and the name of its PTR record there. */
export const recordOf = <Z extends Zone>(zones: ReadonlyArray<Z>, ip: string) => {
  let found: (Name & { readonly zone: Z }) | undefined
  for (const zone of zones) {
    const own = nameIn(zone.name, ip)
    if (own !== undefined && own.prefix > (found?.prefix ?? -1)) found = { ...own, zone }
  }
  return found
}

/** The default name of an address: 203-0-113-7 in a domain. */
export const defaultName = (ip: string, domain: string): string => {
  const ipv6 = parseIpv6(ip)
  const parts = ipv6 === undefined ? ip.split(".") : digitsOf(ipv6).match(/.{4}/g)!
  return `${parts.join("-")}.${domain}`
}
