/**
 * The panel's API, for its own pages only: with a cookie instead of an API key, under `/panel/api`, and not in the
 * OpenAPI document. The endpoints of `/api/v1` are also at `/panel/api/accounts/{account}/v1`, with the same bodies.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import { AccountCalls, Console, WalletCalls } from "./AccountCalls.ts"
import { EmulatorCalls } from "./EmulatorCalls.ts"
import { Events } from "./Events.ts"
import { Me, SessionGroup, SignIn } from "./Session.ts"
import { OperatorCalls } from "./OperatorCalls.ts"

/** The prefix of every path. */
const PANEL_PREFIX = "/panel/api"

/** The prefix of the endpoints of `/api/v1`, for the members of an account. */
export const ACCOUNT_API_PREFIX = `${PANEL_PREFIX}/accounts/:account/v1`

export class PanelApi extends HttpApi.make("panel")
  .add(SignIn, SessionGroup, Me, AccountCalls, Console, WalletCalls, OperatorCalls, EmulatorCalls, Events)
  .prefix(PANEL_PREFIX)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
{}
