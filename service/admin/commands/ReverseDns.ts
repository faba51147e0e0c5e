/** The command that checks the name server of PTR records. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Config } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { parseIpv6Network, parseNetwork, toAddress, toIpv6 } from "../../domain/IpAddress.ts"
import { Addresses, type ListedPool } from "../../persistence/Addresses.ts"
import { attempted, type CheckResult } from "../../provisioning/CheckResult.ts"
import type { Fault } from "../../provisioning/Driver.ts"
import { fromClient, makeClient, type PowerDns } from "../../provisioning/rdns/PowerDns.ts"
import { defaultName, recordOf, reverseName, type Zone } from "../../provisioning/rdns/ReverseZones.ts"
import { reject } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

const describe = ({ reason }: Pick<Fault, "reason">) => new Error(`${reason[0]!.toUpperCase()}${reason.slice(1)}.`)

/** All addresses of an IPv4 network; the first and the last one of an IPv6 network, because its zones are larger. */
const samplesOf = (network: string): ReadonlyArray<string> => {
  const ipv6 = parseIpv6Network(network)
  if (ipv6 !== undefined) return [toIpv6(ipv6.first), toIpv6(ipv6.last)]
  const { first, last } = parseNetwork(network)!
  return Array.from({ length: last - first + 1 }, (_, place) => toAddress(first + place))
}

const BITS_PER_LABEL = 4
const IPV4_LABELS = 3
/** The labels of `ip6.arpa` and `in-addr.arpa`. */
const SUFFIX_LABELS = 2

/** The zone of an IPv6 network, or of 256 IPv4 addresses. */
const exampleZone = (network: string): string => {
  const [address = "", prefix = ""] = network.split("/")
  const labels = SUFFIX_LABELS + (address.includes(":") ? Math.floor(Number(prefix) / BITS_PER_LABEL) : IPV4_LABELS)
  return reverseName(address).slice(0, -1).split(".").slice(-labels).join(".")
}

const checkPool = (zones: ReadonlyArray<Zone>) => ({ network }: ListedPool): CheckResult => {
  const check = `zones of ${network}`
  const found = samplesOf(network).map((address) => ({ address, zone: recordOf(zones, address)?.zone.name }))
  const first = found.find(({ zone }) => zone === undefined)
  if (first === undefined) return { check, ok: true, detail: [...new Set(found.map(({ zone }) => zone))].join(", ") }
  const detail = `Addresses from ${first.address} on are in no zone. Create one, for example with `
    + `"pdnsutil create-zone ${exampleZone(network)} ns1.example.net".`
  return { check, ok: false, detail }
}

/** The addresses of instances that have no record. Each zone is read once. */
const withoutRecord = Effect.fnUntraced(function*(client: PowerDns, addresses: ReadonlyArray<string>) {
  const zones = yield* client.zones
  const located = addresses.flatMap((address) => {
    const found = recordOf(zones, address)
    return found === undefined ? [] : [{ address, ...found }]
  })
  const present = new Set<string>()
  for (const zone of new Set(located.map((each) => each.zone))) {
    for (const { name } of yield* client.records(zone)) present.add(name)
  }
  return located.filter(({ name }) => !present.has(name)).map(({ address }) => address)
})

const checkRecords = Effect.fnUntraced(function*(client: PowerDns, repair: boolean) {
  const { rdnsDomain } = yield* Config
  const { RDNS_TTL_SECONDS } = yield* Limits
  const inUse = (yield* (yield* Addresses).inUse).flatMap(({ ipv4, ipv6 }) => ipv6 === null ? [ipv4] : [ipv4, ipv6])
  const missing = yield* withoutRecord(client, inUse)
  if (missing.length === 0) return `${inUse.length} addresses are in use`
  if (!repair) {
    const reason = `${missing.join(", ")} have no PTR record. Run this command with --repair to set the default ones`
    return yield* Effect.fail({ reason })
  }
  const { set } = fromClient(client, RDNS_TTL_SECONDS)
  yield* Effect.forEach(missing, (ip) => set(ip, defaultName(ip, rdnsDomain)), { discard: true })
  return `${missing.length} default records were set`
})

/** Each check; a server that does not respond fails the first one only. */
const checkReverseDns = Effect.fnUntraced(function*({ repair }: InputOf<"rdns.check">) {
  const { powerdnsKey, powerdnsUrl: url, rdns } = yield* Config
  if (rdns === undefined) {
    return yield* reject("No name server of PTR records is configured. Start the service with --rdns powerdns.")
  }
  const { RDNS_CALL_MILLIS } = yield* Limits
  const client = makeClient({ url, key: Redacted.make(powerdnsKey) }, RDNS_CALL_MILLIS)
  const known = (effect: Effect.Effect<string, { readonly reason: string }, Addresses | Config | Limits>) =>
    Effect.mapError(effect, (fault) => describe(fault))
  const server = yield* attempted("server", known(client.version), (version) => `PowerDNS ${version}`)
  if (!server.ok) return [server]
  const zones = yield* Effect.orElseSucceed(client.zones, () => [])
  const pools = yield* (yield* Addresses).pools
  const records = yield* attempted("records", known(checkRecords(client, repair)), (detail) => detail)
  return [server, ...pools.map(checkPool(zones)), records]
})

export const REVERSE_DNS_USE_CASES = {
  "rdns.check": checkReverseDns
} satisfies UseCases
