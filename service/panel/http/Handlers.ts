/** The types of the panel's handlers, from its contract. */
import type * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { CommandRejected } from "../../admin/CommandRejected.ts"
import type { UseCaseError } from "../../http/Errors.ts"
import type { Decoded, Encoded } from "../../http/handlers/ApiRoutes.ts"
import type { Services } from "../../ServiceRuntime.ts"
import type { PanelApi } from "../contract/PanelApi.ts"
import type { Refused } from "./Refused.ts"
import type { Visitor } from "./Visitor.ts"

type Groups = typeof PanelApi["groups"]

export type PanelError = UseCaseError | CommandRejected | Refused

/** The result of a call: a value to send as JSON, or a response. */
export type PanelResult<A> = Effect.Effect<A | HttpServerResponse.HttpServerResponse, PanelError, Services>

/** One handler for each endpoint of a group, with what it needs to know of its caller. */
export type PanelHandlers<Group extends keyof Groups, By = Visitor> = {
  readonly [
    Endpoint in HttpApiGroup.Endpoints<Groups[Group]> as HttpApiEndpoint.Identifier<Endpoint>
  ]: (request: Decoded<Endpoint>, by: By) => PanelResult<Encoded<Endpoint>>
}
