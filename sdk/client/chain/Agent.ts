/** The agent of undici, in a module of its own: it is loaded with the first request. */
import type { Socket } from "node:net"
import { Agent, buildConnector } from "undici"
import { CONNECT_TIMEOUT_MS, CONNECTIONS_MAX, KEEP_ALIVE_MS } from "../options/Limits.ts"

/** undici adds the state of the connection to its own errors, but not to those of the operating system. */
const addState = (socket: Socket): void =>
  void socket.once("error", (error) => {
    if (!("socket" in error)) Object.assign(error, { socket: { bytesRead: socket.bytesRead } })
  })

export const makeAgent = (): Agent => {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false })
  return new Agent({
    connections: CONNECTIONS_MAX,
    connect: (options, callback) =>
      connect(options, (...result) => {
        if (result[0] === null) addState(result[1])
        callback(...result)
      }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // One request per connection: a broken connection loses exactly one response.
    pipelining: 1,
    allowH2: false
  })
}
