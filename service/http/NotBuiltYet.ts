/** Endpoints that the contract describes and a later release builds. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { Api } from "#contract/Api"
import { refuse } from "./Errors.ts"

const NOT_IMPLEMENTED = 501

export const notBuiltYet = () =>
  Effect.succeed(refuse(NOT_IMPLEMENTED, "This endpoint is described but not available yet; nothing was done."))

export const layer = Layer.mergeAll(
  HttpApiBuilder.group(
    Api,
    "snapshots",
    (handlers) =>
      handlers.handle("list", notBuiltYet).handle("create", notBuiltYet).handle("restore", notBuiltYet)
        .handle("delete", notBuiltYet)
  ),
  HttpApiBuilder.group(
    Api,
    "backups",
    (handlers) => handlers.handle("list", notBuiltYet).handle("restore", notBuiltYet)
  ),
  HttpApiBuilder.group(
    Api,
    "isos",
    (handlers) => handlers.handle("list", notBuiltYet).handle("mount", notBuiltYet).handle("unmount", notBuiltYet)
  ),
  HttpApiBuilder.group(Api, "rescue", (handlers) => handlers.handle("enter", notBuiltYet).handle("exit", notBuiltYet))
)
