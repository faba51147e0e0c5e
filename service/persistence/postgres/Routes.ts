/** Where new sessions go: to the hosts of a URL in turn, with TLS or without it. */
import type * as Pg from "pg"
import type { LimitValues } from "../../config/Limits.ts"
import { sessionsOf, splitHosts, type Target } from "../../config/PostgresUrl.ts"
import { type Place, protect } from "./Tls.ts"

/** One host, and how to connect to it. */
export interface Route {
  /** Its number among the hosts. */
  readonly place: number
  readonly config: Pg.ClientConfig
}

export interface Routes {
  /** Number of hosts. */
  readonly count: number
  readonly target: Target
  /** Longest wait for a session, in milliseconds. */
  readonly connectMillis: number
  /** The route of the next session. */
  readonly current: () => Promise<Route>
  /** No session could be opened on a route: the next one goes to the next host, or probes this one for TLS again. */
  readonly leave: (route: Route) => void
}

/** Throws `TlsUnusable` when a file in the URL cannot be used. */
export const makeRoutes = (
  url: string,
  placeOf: (bare: string) => Place,
  { DATABASE_CONNECT_MILLIS }: LimitValues
): Routes => {
  const { hosts, single } = splitHosts(url)
  const { connectMillis = DATABASE_CONNECT_MILLIS, target } = sessionsOf(single(hosts[0]))
  const configs = hosts.map((host) => protect(single(host), placeOf, connectMillis))
  const routeTo = async (to: number): Promise<Route> => ({ place: to, config: await configs[to]!() })
  let place = 0
  let route: Promise<Route> | undefined
  return {
    count: hosts.length,
    target,
    connectMillis,
    current: () => route ??= routeTo(place),
    leave: (failed) => {
      // Others may have left it before.
      if (failed.place !== place) return
      place = (place + 1) % hosts.length
      route = undefined
    }
  }
}
