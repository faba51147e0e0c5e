/** The commands for addresses of machines. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Limits } from "../../config/Limits.ts"
import { type Ipv4Network, isWithin, overlap, parseAddress, parseNetwork, usable } from "../../domain/Ipv4Network.ts"
import { Addresses as AddressesRepository, type ListedPool } from "../../persistence/Addresses.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { reject } from "../CommandRejected.ts"
import { type Input, Name } from "../InputSchemas.ts"
import { dataCentreNamed } from "./Hosts.ts"

const toRecord = ({ addresses, assigned, gateway, network }: ListedPool) => ({ network, gateway, addresses, assigned })

export const NewPool = () => Schema.Struct({ network: Name, gateway: Name, data_centre: Name })

const networkOf = (text: string) => {
  const network = parseNetwork(text)
  if (network !== undefined) return Effect.succeed(network)
  return reject(`network: "${text}" is not an IPv4 network such as 203.0.113.0/24. IPv6 is not supported yet.`)
}

const gatewayOf = (text: string, network: Ipv4Network) => {
  const gateway = parseAddress(text)
  if (gateway !== undefined && isWithin(network, gateway)) return Effect.succeed(gateway)
  return reject(`gateway: "${text}" is not an address in the network. The guests could not reach it.`)
}

/** Adds a network; its addresses are for instances in the data center from now on. */
export const addPool = Effect.fnUntraced(function*(input: Input<typeof NewPool>) {
  const network = yield* networkOf(input.network)
  const gateway = yield* gatewayOf(input.gateway, network)
  const dataCentreId = yield* dataCentreNamed(input.data_centre)
  const { ADDRESS_POOL_MAX } = yield* Limits
  if (network.last - network.first >= ADDRESS_POOL_MAX) {
    return yield* reject(`network: More than ${ADDRESS_POOL_MAX} addresses. Add smaller networks.`)
  }
  const free = usable(network, gateway)
  const addresses = yield* AddressesRepository
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    for (const pool of yield* addresses.pools) {
      if (overlap(network, parseNetwork(pool.network)!)) {
        return yield* reject(`network: ${input.network} overlaps with ${pool.network}, which was added before.`)
      }
    }
    const { gateway: gatewayText, network: text } = input
    yield* addresses.addPool({ network: text, gateway: gatewayText, prefix: network.prefix, dataCentreId }, free, at)
    return { network: text, gateway: gatewayText, addresses: free.length, assigned: 0 }
  }))
})

export const listPools = Effect.map(
  Effect.flatMap(AddressesRepository, ({ pools }) => pools),
  (pools) => pools.map(toRecord)
)
