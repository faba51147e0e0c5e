/** Addresses and networks, as settings and headers write them. */
import { BlockList, isIP } from "node:net"

const FAMILY = { 4: "ipv4", 6: "ipv6" } as const

/**
 * An address in its canonical form; undefined for any other text. Dual-stack sockets report IPv4 peers as
 * `::ffff:192.0.2.1`; proxies put ports and brackets around addresses.
 */
export const bare = (text: string): string | undefined => {
  const trimmed = text.trim()
  const unwrapped = trimmed.replace(/^\[([^\]]*)\](?::\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1")
  const address = unwrapped.replace(/^::ffff:(?=\d+\.)/i, "")
  return isIP(address) === 0 ? undefined : address.toLowerCase()
}

const splitNetwork = (network: string): [address: string, prefix: number | undefined] => {
  const [address = "", prefix] = network.split("/")
  return [address, prefix === undefined ? undefined : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN]
}

export const isAddress = (text: string): boolean => isIP(text) !== 0

/** True for an address, or a network in CIDR notation. */
export const isNetwork = (network: string): boolean => {
  const [address, prefix] = splitNetwork(network)
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return bits > 0 && (prefix === undefined || prefix <= bits) && network.split("/").length <= 2
}

/** Returns a test of whether a bare address is in one of the networks. */
export const contains = (networks: ReadonlyArray<string>): (address: string) => boolean => {
  const list = new BlockList()
  for (const network of networks) {
    const [address, prefix] = splitNetwork(network)
    const family = FAMILY[isIP(address) as 4 | 6]
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, prefix, family)
  }
  return (address) => list.check(address, FAMILY[isIP(address) as 4 | 6])
}
