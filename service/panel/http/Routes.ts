/** The calls of the panel as one table, from its contract and the API's: also what the tests of roles go through. */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import { Api, API_PREFIX } from "@pulumi-vps/contract/Api"
import { RequiredSignIn } from "@pulumi-vps/contract/Operation"
import { RequiredScope } from "@pulumi-vps/contract/Scope"
import { makeRequestDecoder } from "../../http/decoding/RequestDecoder.ts"
import type { AllHandlers } from "../../http/handlers/ApiRoutes.ts"
import { type Access, RequiredAccess } from "../contract/Access.ts"
import { type Freshness, PANEL_FRESHNESS } from "../contract/Freshness.ts"
import { apiPermission, type Needed, PANEL_PERMISSIONS } from "../contract/Permissions.ts"
import { ACCOUNT_API_PREFIX, PanelApi } from "../contract/PanelApi.ts"
import { console } from "./console/Console.ts"
import type { Found, PanelHandlers, PanelRoute, UntypedHandle } from "./Handlers.ts"
import { activity } from "./handlers/Activity.ts"
import { keys, sshKeys } from "./handlers/Keys.ts"
import { mails } from "./handlers/Mails.ts"
import { members } from "./handlers/Members.ts"
import { emulator } from "./handlers/Emulator.ts"
import { operator } from "./handlers/Operator.ts"
import { tasks } from "./handlers/Tasks.ts"
import { instances } from "./handlers/Instances.ts"
import { me } from "./handlers/Me.ts"
import { session, signIn } from "./handlers/SignIn.ts"
import { wallet } from "./handlers/Wallet.ts"
import type { Member } from "./Visitor.ts"

type UntypedHandlers = Readonly<Record<string, Readonly<Record<string, UntypedHandle>>>>

type Table<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>

/** The type of the table guarantees that each call is in it. */
const freshnessOf = (group: string, endpoint: string): Freshness =>
  (PANEL_FRESHNESS as Table<Freshness>)[group]![endpoint]!

/** Calls without an account need none. */
const permissionOf = (access: Access, group: string, endpoint: string): Needed =>
  access === "account" ? (PANEL_PERMISSIONS as Table<Needed>)[group]?.[endpoint] ?? "full" : "read"

const account = { ...keys, ...sshKeys, ...members, ...instances, ...activity, ...mails }

const STATIC = { sign_in: signIn, session, me, account, console, wallet, tasks, operator, emulator }

/** Handlers with a state of their own, which are made with the panel. */
export interface StatefulHandlers {
  readonly events: PanelHandlers<"events", Member>
}

type OwnHandlers = typeof STATIC & StatefulHandlers

const ownRoutes = (stateful: StatefulHandlers): Array<PanelRoute> => {
  const handlers: { readonly [Group in keyof typeof PanelApi["groups"]]: OwnHandlers[Group] } = {
    ...STATIC,
    ...stateful
  }
  const routes: Array<PanelRoute> = []
  HttpApi.reflect(PanelApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const access = Context.get(mergedAnnotations, RequiredAccess)
      routes.push({
        method: endpoint.method,
        path: endpoint.path,
        access,
        freshness: freshnessOf(group.identifier, endpoint.identifier),
        permission: permissionOf(access, group.identifier, endpoint.identifier),
        operation: undefined,
        decoder: makeRequestDecoder(endpoint, mergedAnnotations),
        handle: (handlers as unknown as UntypedHandlers)[group.identifier]![endpoint.identifier]!
      })
    }
  })
  return routes
}

/** An API key is what this endpoint identifies, and the panel has none. */
const WITHOUT_KEY = "account.whoami"

/** The endpoints of the API, for members of an account. */
const apiRoutes = (handlers: AllHandlers): Array<PanelRoute> => {
  const routes: Array<PanelRoute> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const operation = `${group.identifier}.${endpoint.identifier}`
      if (operation === WITHOUT_KEY) return
      const handle = (handlers as unknown as UntypedHandlers)[group.identifier]![endpoint.identifier]!
      const freshness = Context.get(mergedAnnotations, RequiredSignIn)
      routes.push({
        method: endpoint.method,
        path: `${ACCOUNT_API_PREFIX}${endpoint.path.slice(API_PREFIX.length)}`,
        access: "account",
        freshness,
        permission: apiPermission(Context.get(mergedAnnotations, RequiredScope), freshness),
        operation,
        decoder: makeRequestDecoder(endpoint, mergedAnnotations),
        handle: (request, by) => handle(request, (by as Member).caller)
      })
    }
  })
  return routes
}

/** All calls. */
export const makeRoutes = (handlers: AllHandlers, stateful: StatefulHandlers): ReadonlyArray<PanelRoute> => [
  ...ownRoutes(stateful),
  ...apiRoutes(handlers)
]

interface Candidate {
  readonly route: PanelRoute
  readonly form: RegExp
}

/** Finds the route of a method and a path; the allowed methods if the path has others, none if it has no route. */
export const makeFinder = (routes: ReadonlyArray<PanelRoute>) => {
  const candidates: ReadonlyArray<Candidate> = routes.map((route) => ({
    route,
    // The API's root is valid with and without a slash at its end.
    form: new RegExp(`^${route.path.replace(/\/$/, "/?").replaceAll(/:([a-z_]+)/g, "(?<$1>[^/]+)")}$`)
  }))
  return (method: string, path: string): Found | ReadonlyArray<string> => {
    const matching = candidates.filter(({ form }) => form.test(path))
    const found = matching.find(({ route }) => route.method === method)
    if (found === undefined) return matching.map(({ route }) => route.method)
    return { route: found.route, params: { ...found.form.exec(path)?.groups } }
  }
}
