/** Frames that a machine sends to a neighbor as they are, past its own routes and checks. */

const hexOf = (text: string): string => text.replaceAll(":", "")

const toBytes = (address: string): Buffer => {
  if (address.includes(".")) return Buffer.from(address.split(".").map(Number))
  const [head, tail] = address.split("::").map((half) => half === "" ? [] : half.split(":"))
  const middle = Array.from({ length: 8 - head!.length - (tail?.length ?? 0) }, () => "0")
  return Buffer.from([...head!, ...middle, ...tail ?? []].map((group) => group.padStart(4, "0")).join(""), "hex")
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

const checksumOf = (bytes: Buffer): Buffer => {
  const even = bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(1)])
  let sum = 0
  for (let at = 0; at < even.length; at += 2) sum += even.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
  return uint16(~sum & 0xffff)
}

/** The sender, the receiver, and their MACs. */
export interface Route {
  readonly from: string
  readonly to: string
  readonly fromMac: string
  readonly toMac: string
}

const HOP_LIMIT = 255
const PROTOCOLS = { udp: 17, icmpv6: 58 } as const

/** A packet whose checksum is at an offset of its payload. */
const ipv6 = (route: Route, protocol: keyof typeof PROTOCOLS, payload: Buffer, checksumAt: number): Buffer => {
  const addresses = Buffer.concat([toBytes(route.from), toBytes(route.to)])
  const pseudo = Buffer.concat([
    addresses,
    Buffer.alloc(2),
    uint16(payload.length),
    uint16(0),
    uint16(PROTOCOLS[protocol])
  ])
  checksumOf(Buffer.concat([pseudo, payload])).copy(payload, checksumAt)
  const header = Buffer.concat([
    Buffer.from([0x60, 0, 0, 0]),
    uint16(payload.length),
    Buffer.from([PROTOCOLS[protocol], HOP_LIMIT]),
    addresses
  ])
  return Buffer.concat([Buffer.from(hexOf(route.toMac + route.fromMac) + "86dd", "hex"), header, payload])
}

const ipv4 = (route: Route, payload: Buffer): Buffer => {
  const header = Buffer.concat([
    Buffer.from([0x45, 0]),
    uint16(20 + payload.length),
    Buffer.from([0, 0, 0, 0, HOP_LIMIT, PROTOCOLS.udp, 0, 0]),
    toBytes(route.from),
    toBytes(route.to)
  ])
  checksumOf(header).copy(header, 10)
  return Buffer.concat([Buffer.from(hexOf(route.toMac + route.fromMac) + "0800", "hex"), header, payload])
}

const linkLayer = (type: number, mac: string): Buffer => Buffer.from(`0${type}01${hexOf(mac)}`, "hex")

/** Claims that an address is at the sender's MAC, and overrides what the receiver knows. */
export const neighborAdvertisement = (route: Route, claimed: string): Buffer => {
  const flags = Buffer.from([0x60, 0, 0, 0])
  const body = [Buffer.from([136, 0, 0, 0]), flags, toBytes(claimed), linkLayer(2, route.fromMac)]
  return ipv6(route, "icmpv6", Buffer.concat(body), 2)
}

/** Requests the MAC of an address; the receiver learns the MAC of the sender's. */
export const neighborSolicitation = (route: Route, wanted: string): Buffer => {
  const body = [Buffer.from([135, 0, 0, 0, 0, 0, 0, 0]), toBytes(wanted), linkLayer(1, route.fromMac)]
  return ipv6(route, "icmpv6", Buffer.concat(body), 2)
}

/** Offers the sender as a router for an hour. */
export const routerAdvertisement = (route: Route): Buffer => {
  const body = [Buffer.from([134, 0, 0, 0, 64, 0]), uint16(3_600), Buffer.alloc(8), linkLayer(1, route.fromMac)]
  return ipv6(route, "icmpv6", Buffer.concat(body), 2)
}

/** A datagram with a text. */
export const datagram = (route: Route, [fromPort, toPort]: readonly [number, number], text: string): Buffer => {
  const payload = Buffer.from(text)
  const udp = Buffer.concat([uint16(fromPort), uint16(toPort), uint16(8 + payload.length), uint16(0), payload])
  return route.from.includes(":") ? ipv6(route, "udp", udp, 6) : ipv4(route, udp)
}

/** The shell command that sends frames from inside of a machine. */
export const sending = (...frames: ReadonlyArray<Buffer>): string => {
  const address = `pack("S n i S C C a8", 17, 0, 2, 1, 0, 6, "")`
  const sends = frames.map((frame) => `send(S, pack("H*", "${frame.toString("hex")}"), 0, $to) or die $!;`).join(" ")
  return shell(`socket(S, 17, 3, 0) or die $!; $to = ${address}; ${sends} print "sent\\n"`)
}

/** The shell command that prints the port and the text of each datagram, until none arrives for 3 seconds. */
export const receiving = (ports: ReadonlyArray<number>, version: 4 | 6): string => {
  const [family, address] = version === 4
    ? [2, `pack("S n a12", 2, $p, "")`]
    : [10, `pack("S n x4 a16 x4", 10, $p, "")`]
  const open = `for $p (${ports.join(", ")}) { socket($s, ${family}, 2, 17); bind($s, ${address}) or die $!;`
    + " $at{fileno($s)} = $p; push @all, $s; undef $s }"
  const wait = `$r = ""; vec($r, fileno($_), 1) = 1 for @all; select($r, undef, undef, 3) or exit;`
  const read = `for (@all) { next unless vec($r, fileno($_), 1); recv($_, $b, 999, 0); print "$at{fileno($_)} $b\n" }`
  return shell(`$| = 1; ${open} while (1) { ${wait} ${read} }`)
}

const shell = (perl: string): string =>
  `echo ${Buffer.from(perl).toString("base64")} | base64 -d > /tmp/p$$; perl /tmp/p$$`
