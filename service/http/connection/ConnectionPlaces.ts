/**
 * Bounds the open connections, in total and of each address, so that one client cannot lock out the others. A
 * connection above either bound may take one of a few reserved places, in which only health checks are answered: a
 * supervisor must not restart the service because of a flood.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { LimitValues } from "../../config/Limits.ts"
import { subjectOf } from "../../ratelimit/RequestRateLimits.ts"
import { addressOf, type Drop, type DropReason } from "./DropObserver.ts"

/** Places for connections. */
class Places {
  readonly #total: number
  readonly #perAddress: number
  readonly #byAddress = new Map<string, number>()
  #taken = 0

  constructor(total: number, perAddress: number) {
    this.#total = total
    this.#perAddress = perAddress
  }

  get isEmpty(): boolean {
    return this.#taken === 0
  }

  /** Takes a place until the socket closes. Without an address, only the total counts. Returns what is full, if so. */
  take(socket: Socket, address: string | undefined): DropReason | undefined {
    if (this.#taken >= this.#total) return "connections"
    if (address !== undefined) {
      const own = this.#byAddress.get(address) ?? 0
      if (own >= this.#perAddress) return "address"
      this.#byAddress.set(address, own + 1)
    }
    this.#taken++
    socket.once("close", () => this.#free(address))
    return undefined
  }

  #free(address: string | undefined): void {
    this.#taken--
    if (address === undefined) return
    const own = this.#byAddress.get(address)! - 1
    if (own === 0) this.#byAddress.delete(address)
    else this.#byAddress.set(address, own)
  }
}

/** The rules for counting connections. */
export interface ConnectionRules {
  readonly limits: LimitValues
  /** A proxy's connections belong to many clients, so they count in total only. */
  readonly isProxy: (address: string) => boolean
  /** False if addresses are not limited. */
  readonly limitAddresses: boolean
}

/** Returns why a connection has a reserved place; undefined for any other. */
export const limitConnections = (
  server: Server,
  { isProxy, limitAddresses, limits }: ConnectionRules,
  drop: Drop
): (socket: Socket) => DropReason | undefined => {
  const regular = new Places(limits.CONNECTIONS_MAX, limits.CONNECTIONS_PER_ADDRESS_MAX)
  const reserve = new Places(limits.HEALTH_CONNECTIONS_MAX, limits.HEALTH_CONNECTIONS_PER_ADDRESS_MAX)
  const reserved = new WeakMap<Socket, DropReason>()
  server.on("connection", (socket) => {
    const address = addressOf(socket)
    const subject = subjectOf(address)
    const full = regular.take(socket, limitAddresses && !isProxy(address) ? subject : undefined)
    if (full === undefined) return
    if (reserve.take(socket, subject) !== undefined) return drop(full, socket)
    reserved.set(socket, full)
    const timer = setTimeout(() => socket.destroy(), limits.HEALTH_CONNECTION_MILLIS)
    socket.once("close", () => clearTimeout(timer))
  })
  return (socket) => reserve.isEmpty ? undefined : reserved.get(socket)
}
