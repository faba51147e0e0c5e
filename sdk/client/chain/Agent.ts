/** The agents of undici, in a module of its own: it is loaded with the first request. */
import type { Socket } from "node:net"
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from "undici"
import { CONNECT_TIMEOUT_MS, CONNECTIONS_MAX, KEEP_ALIVE_MS } from "../options/Limits.ts"
import { proxyOf } from "./Proxy.ts"

/** undici adds the state of the connection to its own errors, but not to those of the operating system. */
const addState = (socket: Socket): void =>
  void socket.prependListener("error", (error: Error) => {
    if (!("socket" in error)) Object.assign(error, { socket: { bytesRead: socket.bytesRead } })
  })

const withState = (connect: buildConnector.connector): buildConnector.connector => (options, callback) =>
  connect(options, (...result) => {
    if (result[0] === null) addState(result[1])
    callback(...result)
  })

const LIMITS = {
  connections: CONNECTIONS_MAX,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // One request per connection: a broken connection loses exactly one response.
  pipelining: 1,
  allowH2: false
}

/** A client has one origin, so the proxy is chosen once: calls without one cost nothing. */
export const makeAgent = (origin: string, env: Readonly<Record<string, string | undefined>>): Dispatcher => {
  const proxy = proxyOf(origin, env)
  return proxy === undefined ? directAgent() : proxyAgent(proxy)
}

const directAgent = (): Dispatcher => {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false })
  return new Agent({ ...LIMITS, connect: withState(connect) })
}

const proxyAgent = (uri: string): Dispatcher =>
  new ProxyAgent({
    ...LIMITS,
    uri,
    connectTimeout: CONNECT_TIMEOUT_MS,
    proxyTls: { allowH2: false },
    clientFactory: (proxy, options) => new Pool(proxy, { ...options, allowH2: false }),
    // The agent does not pass the limits on when it forwards plain HTTP.
    factory: (target, options) => {
      const { connect } = options as { readonly connect: buildConnector.connector }
      return new Pool(target, { ...options, ...LIMITS, connect: withState(connect) })
    }
  } as ProxyAgent.Options)
