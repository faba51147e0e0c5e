/** Addresses, networks and the name server, as settings and headers write them. */
import { domain, InvalidSetting, oneOf, type Setting, text, url } from "./Setting.ts"
import { BlockList, isIP } from "node:net"

export const NAME_SERVER = {
  rdns: oneOf(["powerdns"], {
    flag: "rdns",
    environment: "VPS_SERVICE_RDNS",
    fallback: undefined,
    reason:
      "The name server of PTR records. Without one, the simulated driver stores them, and the libvirt driver rejects "
      + "them."
  }),
  powerdnsUrl: url(["http", "https"], {
    flag: "powerdns-url",
    environment: "VPS_SERVICE_POWERDNS_URL",
    reason: "PowerDNS's web server, like http://127.0.0.1:8081. Required for --rdns powerdns, as are the next two."
  }),
  powerdnsKey: text({
    flag: null,
    environment: "VPS_SERVICE_POWERDNS_KEY",
    unit: "text",
    fallback: "",
    reason: "PowerDNS's api-key. It may change every zone of that server."
  }),
  rdnsDomain: domain({
    flag: "rdns-domain",
    environment: "VPS_SERVICE_RDNS_DOMAIN",
    reason: "The domain of default PTR records: 203.0.113.7 gets 203-0-113-7 in it."
  })
} as const

type NameServer = {
  readonly [K in keyof typeof NAME_SERVER]: (typeof NAME_SERVER)[K] extends Setting<infer A> ? A : never
}

const REQUIRED = ["powerdnsUrl", "powerdnsKey", "rdnsDomain"] as const

/** Throws `InvalidSetting` if a name server was chosen and another of its settings is missing. */
export const assertNameServer = ({ rdns, ...values }: NameServer): void => {
  const missing = REQUIRED.filter((name) => values[name] === "").map((name) => NAME_SERVER[name].environment)
  if (rdns === undefined || missing.length === 0) return
  throw new InvalidSetting({ message: `--rdns (VPS_SERVICE_RDNS) ${rdns} also needs ${missing.join(", ")}.` })
}

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
