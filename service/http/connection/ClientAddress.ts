/**
 * The client's address, and the origin under which it reached the service. Proxies report both in headers that any
 * client can send, so they are trusted only on connections from a proxy that the operator has configured.
 */
import * as Context from "effect/Context"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { bare, contains } from "../../config/Networks.ts"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">

/** Information that proxies in front of the service forward. */
export interface Forwarding {
  /** The client's address: the last one that is not a trusted proxy's; empty if the connection is gone. */
  readonly clientAddress: (request: Request) => string
  /** True for the address of a trusted proxy; false for an empty one. */
  readonly isProxy: (address: string) => boolean
  /** True if the request's connection is a trusted proxy's, which requests of many clients share. */
  readonly isProxied: (request: Request) => boolean
  /** Scheme, host and port under which the client reached the service, so that links work for that client. */
  readonly origin: (request: Request) => string
}

const HOST_FORM = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i

const validHost = (host: string | undefined): string | undefined =>
  host !== undefined && HOST_FORM.test(host) ? host : undefined

/** The value that the nearest proxy added: a client may have forged those before it. */
const last = (header: string | undefined): string | undefined => header?.split(",").at(-1)?.trim()

/** Trusts the forwarding headers of connections from these addresses and networks only. */
export const make = (trusted: ReadonlyArray<string>): Forwarding => {
  const inNetworks = contains(trusted)
  const isProxy = (address: string): boolean => trusted.length > 0 && address !== "" && inNetworks(address)
  const peer = ({ remoteAddress }: Request): string | undefined =>
    Option.isSome(remoteAddress) ? bare(remoteAddress.value) : undefined
  const isProxied = (request: Request): boolean => trusted.length > 0 && isProxy(peer(request) ?? "")

  const clientAddress = (request: Request): string => {
    const nearest = peer(request) ?? ""
    if (!isProxied(request)) return nearest
    let client = nearest
    for (const hop of (request.headers["x-forwarded-for"] ?? "").split(",").toReversed()) {
      const address = bare(hop)
      // A value that is not an address makes those before it meaningless.
      if (address === undefined) return client
      client = address
      if (!isProxy(address)) return client
    }
    return client
  }
  const origin = (request: Request): string => {
    const trusts = isProxied(request)
    const forwarded = trusts ? validHost(last(request.headers["x-forwarded-host"])) : undefined
    const scheme = trusts && last(request.headers["x-forwarded-proto"])?.toLowerCase() === "https" ? "https" : "http"
    return `${scheme}://${forwarded ?? validHost(request.headers["host"]) ?? "127.0.0.1"}`
  }
  return { clientAddress, isProxied, isProxy, origin }
}

/** Read while a layer is built. By default, no proxy is trusted. */
export class TrustedProxies extends Context.Reference<Forwarding>("@pulumi-vps/service/TrustedProxies", {
  defaultValue: () => make([])
}) {}
