/** The routes of the service by their patterns: for 405, and for measures, which must not grow with the paths asked. */
import * as HttpApi from "effect/http-api/HttpApi"
import { Api, API_PREFIX } from "#contract/Api"

export interface Route {
  /** As the OpenAPI document writes it. */
  readonly pattern: string
  readonly methods: Array<string>
}

interface Node {
  readonly fixed: Map<string, Node>
  /** For a segment that is a parameter. */
  any: Node | undefined
  route: Route | undefined
}

const node = (): Node => ({ fixed: new Map(), any: undefined, route: undefined })

/** The path of a URL, as it stands there: nothing is decoded or tidied, so that nobody can read it otherwise. */
export const pathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}

const segmentsOf = (path: string): Array<string> => path.split("/").slice(1)

const add = (root: Node, path: string, method: string): void => {
  let at = root
  for (const segment of segmentsOf(path)) {
    if (segment.startsWith(":")) at = at.any ??= node()
    else {
      const next = at.fixed.get(segment) ?? node()
      at.fixed.set(segment, next)
      at = next
    }
  }
  at.route ??= { pattern: path.replace(/:([^/]+)/g, "{$1}"), methods: [] }
  at.route.methods.push(method)
}

/** What stands beside the contract at the root. */
const SYSTEM_PATHS = ["/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/docs/reference.js"]

const root: Node = (() => {
  const made = node()
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => add(made, endpoint.path, endpoint.method)
  })
  for (const path of SYSTEM_PATHS) add(made, path, "GET")
  return made
})()

const LENIENT = /[%;#]/

const ROOT = `${API_PREFIX}/`

/** The route of a URL's path, whatever the method; undefined when there is none. */
export const routeOf = (url: string): Route | undefined => {
  const path = pathOf(url)
  let at: Node | undefined = root
  // The one address that is told with and without a slash.
  for (const segment of segmentsOf(path === ROOT ? API_PREFIX : path)) {
    at = at.fixed.get(segment) ?? (segment === "" ? undefined : at.any)
    if (at === undefined) return undefined
  }
  return at.route
}

/**
 * Whether only the router's leniency could find something at this path: it decodes fixed parts, takes a slash at the
 * end, and leaves away what follows a semicolon. A proxy's rules know nothing of that.
 */
export const isLenientMatch = (url: string): boolean => {
  const path = pathOf(url)
  return (path.endsWith("/") || LENIENT.test(path)) && routeOf(url) === undefined
}
