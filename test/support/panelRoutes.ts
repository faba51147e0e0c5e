/** Every call of the panel, from its contracts. */
import type { AllHandlers } from "#service/http/handlers/ApiRoutes"
import type { PanelRoute } from "#service/panel/http/Handlers"
import { makeRoutes, type StatefulHandlers } from "#service/panel/http/Routes"

/** Handlers that are never called. */
const NONE = new Proxy({}, { get: () => new Proxy({}, { get: () => () => undefined }) }) as AllHandlers

export const ROUTES = makeRoutes(NONE, { events: NONE.account } as unknown as StatefulHandlers)

/** A path of the route below `/panel/api`, in account 1 or another. */
export const pathOf = ({ path }: PanelRoute, account = 1): string =>
  path.slice("/panel/api".length).replace(":account", String(account)).replaceAll(/:[a-z_]+/g, "1")
