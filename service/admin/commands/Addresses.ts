/** The commands for addresses of machines. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../../config/Limits.ts"
import {
  type Ipv4Network,
  IPV6_PREFIX_MAX,
  type Ipv6Network,
  isIpv6Gateway,
  isWithin,
  overlap,
  parseAddress,
  parseIpv6,
  parseIpv6Network,
  parseNetwork,
  toIpv6,
  usable
} from "../../domain/IpAddress.ts"
import { Addresses as AddressesRepository, type ListedPool } from "../../persistence/Addresses.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { HostAdmin } from "../../provisioning/HostAdmin.ts"
import { reject } from "../Input.ts"
import { dataCenterNamed } from "./Hosts.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

type Pool = Pick<ListedPool, "network" | "gateway" | "addresses" | "assigned">

/** An IPv6 network has an address for every instance. */
const toRecord = ({ addresses, assigned, gateway, network }: Pool) => ({
  network,
  gateway,
  addresses: network.includes(":") ? null : addresses,
  assigned
})

const networkOf = (text: string) => {
  const network = parseNetwork(text)
  if (network !== undefined) return Effect.succeed(network)
  return reject(`network: "${text}" is not a network such as 203.0.113.0/24 or 2001:db8::/64.`)
}

const gatewayOf = (text: string, network: Ipv4Network) => {
  const gateway = parseAddress(text)
  if (gateway !== undefined && isWithin(network, gateway)) return Effect.succeed(gateway)
  return reject(`gateway: "${text}" is not an address in the network. The guests could not reach it.`)
}

const ipv6NetworkOf = (text: string) => {
  const network = parseIpv6Network(text)
  if (network === undefined) return reject(`network: "${text}" is not a network such as 2001:db8::/64.`)
  if (network.prefix <= IPV6_PREFIX_MAX) return Effect.succeed(network)
  return reject(`network: /${network.prefix} is too small. Add one with a prefix of at most ${IPV6_PREFIX_MAX}.`)
}

const ipv6GatewayOf = (text: string, network: Ipv6Network) => {
  const gateway = parseIpv6(text)
  if (gateway !== undefined && isIpv6Gateway(network, gateway)) return Effect.succeed(toIpv6(gateway))
  return reject(`gateway: "${text}" is neither link-local nor one of the first 65,536 addresses of the network.`)
}

const ipv4Pool = Effect.fnUntraced(function*(input: InputOf<"addresses.add">) {
  const network = yield* networkOf(input.network)
  const gateway = yield* gatewayOf(input.gateway, network)
  const { ADDRESS_POOL_MAX } = yield* Limits
  if (network.last - network.first >= ADDRESS_POOL_MAX) {
    return yield* reject(`network: More than ${ADDRESS_POOL_MAX} addresses. Add smaller networks.`)
  }
  const overlaps = (text: string) => {
    const other = parseNetwork(text)
    return other !== undefined && overlap(network, other)
  }
  const { prefix } = network
  return { network: input.network, gateway: input.gateway, prefix, addresses: usable(network, gateway), overlaps }
})

/** Its addresses are made with their instances. */
const ipv6Pool = Effect.fnUntraced(function*(input: InputOf<"addresses.add">) {
  const network = yield* ipv6NetworkOf(input.network)
  const gateway = yield* ipv6GatewayOf(input.gateway, network)
  const overlaps = (text: string) => {
    const other = parseIpv6Network(text)
    return other !== undefined && network.first <= other.last && other.first <= network.last
  }
  const { first, prefix } = network
  return { network: `${toIpv6(first)}/${prefix}`, gateway, prefix, addresses: [], overlaps }
})

/** Adds a network; its addresses are for instances in the data center from now on. */
export const addPool = Effect.fnUntraced(function*(input: InputOf<"addresses.add">) {
  const parsed = input.network.includes(":") ? ipv6Pool(input) : ipv4Pool(input)
  const { addresses: free, gateway, network, overlaps, prefix } = yield* parsed
  const dataCenterId = yield* dataCenterNamed(input.data_center)
  const addresses = yield* AddressesRepository
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const existing = (yield* addresses.pools).find((pool) => overlaps(pool.network))
    if (existing !== undefined) {
      return yield* reject(`network: ${network} overlaps with ${existing.network}, which was added before.`)
    }
    yield* addresses.addPool({ network, gateway, prefix, dataCenterId }, free, at)
    return toRecord({ network, gateway, addresses: free.length, assigned: 0 })
  }))
})

/** The MAC of each IPv6 address in use, for the router: no instance can claim what that knows permanently. */
const listNeighbors = Effect.gen(function*() {
  const { macOf } = yield* HostAdmin
  return (yield* (yield* AddressesRepository).inUse).flatMap(({ instanceId, ipv4, ipv6 }) =>
    ipv6 === null ? [] : [{ instance_id: instanceId, ipv6, mac: macOf(ipv4) }]
  )
})

export const listPools = Effect.map(
  Effect.flatMap(AddressesRepository, ({ pools }) => pools),
  (pools) => pools.map(toRecord)
)

export const ADDRESSES_USE_CASES = {
  "addresses.add": addPool,
  "addresses.list": () => listPools,
  "addresses.neighbors": () => listNeighbors
} satisfies UseCases
