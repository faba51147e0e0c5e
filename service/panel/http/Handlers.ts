/** The types of the panel's handlers, from its contract, and of the routes to them. */
import type * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { CommandRejected } from "../../admin/Input.ts"
import type { UseCaseError } from "../../http/Errors.ts"
import type { RequestDecoder } from "../../http/decoding/RequestDecoder.ts"
import type { Decoded, Encoded } from "../../http/handlers/ApiRoutes.ts"
import type { Services } from "../../ServiceRuntime.ts"
import type { Access } from "../contract/Access.ts"
import type { Freshness } from "../contract/Freshness.ts"
import type { Needed } from "../contract/Permissions.ts"
import type { PanelApi } from "../contract/PanelApi.ts"
import type { Rejected } from "../../auth/Rejected.ts"
import type { Refused, Visitor } from "./Visitor.ts"

type Groups = typeof PanelApi["groups"]

export type PanelError = UseCaseError | CommandRejected | Rejected | Refused

/** The result of a call: a value to send as JSON, or a response. */
export type PanelResult<A> = Effect.Effect<A | HttpServerResponse.HttpServerResponse, PanelError, Services>

/** One handler for each endpoint of a group, with what it needs to know of its caller. */
export type PanelHandlers<Group extends keyof Groups, By = Visitor> = {
  readonly [
    Endpoint in HttpApiGroup.Endpoints<Groups[Group]> as HttpApiEndpoint.Identifier<Endpoint>
  ]: (request: Decoded<Endpoint>, by: By) => PanelResult<Encoded<Endpoint>>
}

/** `PanelHandlers` and `Handlers` guarantee that names and types match the contracts. */
export type UntypedHandle = (request: unknown, by: unknown) => PanelResult<unknown>

export interface PanelRoute {
  readonly method: string
  /** With `:name` for parameters. */
  readonly path: string
  readonly access: Access
  readonly freshness: Freshness
  /** Of a member, in the account of the path. */
  readonly permission: Needed
  /** The endpoint's name in the API as `group.endpoint`; undefined if it is the panel's own. */
  readonly operation: string | undefined
  readonly decoder: RequestDecoder
  readonly handle: UntypedHandle
}

/** The route of a request, with the parameters in its path. */
export interface Found {
  readonly route: PanelRoute
  readonly params: Readonly<Record<string, string>>
}
