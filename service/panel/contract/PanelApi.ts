/**
 * The panel's API, for its own pages only: with a cookie instead of an API key, under `/panel/api`, and not in the
 * OpenAPI document. The endpoints of `/api/v1` are also at `/panel/api/accounts/{account}/v1`, with the same bodies.
 */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApi from "effect/http-api/HttpApi"
import type { Api } from "@pulumi-vps/contract/Api"
import { AccountCalls, Console, WalletCalls } from "./AccountCalls.ts"
import { EmulatorCalls } from "./EmulatorCalls.ts"
import { Events } from "./Events.ts"
import { Me, SessionGroup, SignIn } from "./Session.ts"
import { TaskCalls } from "./TaskCalls.ts"
import { OperatorCalls } from "./OperatorCalls.ts"

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly "~Query": { readonly Type: unknown }
  readonly "~Payload": { readonly Type: unknown }
  readonly "~Headers": { readonly Type: unknown }
  readonly "~Success": { readonly Type: unknown }
}

type EndpointsOf<Groups> = Extract<
  { [Group in keyof Groups]: HttpApiGroup.Endpoints<Groups[Group]> }[keyof Groups],
  Endpoint
>
type PathAfter<Prefix extends string, Path> = Path extends `${Prefix}${infer Rest}` ? Rest : never

/** The endpoints by method and path, like `GET /me/sessions`; those of the API below `/accounts/:account/v1`. */
export type Calls =
  & {
    readonly [
      E in EndpointsOf<typeof PanelApi["groups"]> as `${E["method"]} ${PathAfter<"/panel/api", E["path"]>}`
    ]: E
  }
  & {
    readonly [
      E in EndpointsOf<typeof Api["groups"]> as `${E["method"]} /accounts/:account/v1${PathAfter<"/api/v1", E["path"]>}`
    ]: E
  }

/** The prefix of every path. */
const PANEL_PREFIX = "/panel/api"

/** The prefix of the endpoints of `/api/v1`, for the members of an account. */
export const ACCOUNT_API_PREFIX = `${PANEL_PREFIX}/accounts/:account/v1`

export class PanelApi extends HttpApi.make("panel")
  .add(SignIn, SessionGroup, Me, AccountCalls, Console, WalletCalls, TaskCalls, OperatorCalls, EmulatorCalls, Events)
  .prefix(PANEL_PREFIX)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
{}
