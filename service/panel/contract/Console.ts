/** The console of an instance. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { PathId, Timestamp } from "#contract/Primitives"
import { RequiredAccess } from "./Access.ts"

/** The path of a WebSocket that carries a console. */
export const CONSOLE_PATH = "/panel/api/console"

export class Console extends HttpApiGroup.make("console")
  .add(
    HttpApiEndpoint.post("open", "/accounts/:account/instances/:id/console", {
      params: { account: PathId, id: PathId },
      /** With a ticket that opens one connection, by this session and until then. */
      success: Schema.Struct({ path: Schema.String, expires_at: Timestamp })
    })
  )
  .annotate(RequiredAccess, "account")
{}
