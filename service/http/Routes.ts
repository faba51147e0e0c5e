/** The routes of the service by their patterns: for 405, and for measures, which must not grow with the paths asked. */
import * as HttpApi from "effect/http-api/HttpApi"
import { Api } from "#contract/Api"

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

const QUERY = /[?#;]/

/** As the router reads paths: in any case, without empty segments. */
const segmentsOf = (url: string): Array<string> => {
  const end = url.search(QUERY)
  const path = end === -1 ? url : url.slice(0, end)
  return path.toLowerCase().split("/").filter((segment) => segment !== "")
}

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
const BESIDE = ["/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/docs/reference.js"]

const root: Node = (() => {
  const made = node()
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => add(made, endpoint.path, endpoint.method)
  })
  for (const path of BESIDE) add(made, path, "GET")
  return made
})()

/** The route of a URL's path, whatever the method; undefined when there is none. */
export const routeOf = (url: string): Route | undefined => {
  let at: Node | undefined = root
  for (const segment of segmentsOf(url)) {
    at = at.fixed.get(segment) ?? at.any
    if (at === undefined) return undefined
  }
  return at.route
}
