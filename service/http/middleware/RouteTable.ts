/** The service's routes by pattern: for 405, and for metrics, whose labels must not grow with the requested paths. */
import * as HttpApi from "effect/http-api/HttpApi"
import { Api, API_PREFIX } from "@pulumi-vps/contract/Api"

export interface Route {
  /** In the form of the OpenAPI document. */
  readonly pattern: string
  readonly methods: Array<string>
}

interface Node {
  readonly fixed: Map<string, Node>
  /** The child for a parameter. */
  any: Node | undefined
  /** For all paths below that have no route of their own. */
  rest: Route | undefined
  route: Route | undefined
}

const node = (): Node => ({ fixed: new Map(), any: undefined, rest: undefined, route: undefined })

/** The path of a URL, unchanged: without decoding or normalization, it has one interpretation only. */
export const pathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}

const segmentsOf = (path: string): Array<string> => path.split("/").slice(1)

const add = (root: Node, path: string, method: string): void => {
  let at = root
  for (const segment of segmentsOf(path)) {
    if (segment === "*") {
      at.rest = { pattern: path, methods: [method] }
      return
    }
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

/** Routes outside of the contract. */
const SYSTEM_PATHS = [
  "/livez",
  "/readyz",
  "/metrics",
  "/openapi.json",
  "/docs",
  "/docs/reference.js",
  "/panel",
  "/panel/",
  "/panel/*"
]

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

/** The route of a URL's path, for any method; undefined if there is none. */
export const routeOf = (url: string): Route | undefined => {
  const path = pathOf(url)
  let at: Node | undefined = root
  let rest: Route | undefined
  // The only path that is valid with and without a trailing slash.
  for (const segment of segmentsOf(path === ROOT ? API_PREFIX : path)) {
    rest = at.rest ?? rest
    at = at.fixed.get(segment) ?? (segment === "" ? undefined : at.any)
    if (at === undefined) return rest
  }
  return at.route ?? rest
}

/**
 * True if a path could match a route only by the router's leniency: it decodes fixed segments, accepts a trailing slash
 * and ignores the rest after a semicolon. A proxy's rules do not.
 */
export const isLenientMatch = (url: string): boolean => {
  const path = pathOf(url)
  if (!path.endsWith("/") && !LENIENT.test(path)) return false
  const route = routeOf(url)
  return route === undefined || route.pattern.endsWith("*")
}
