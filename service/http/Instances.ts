import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api, API_PREFIX } from "#contract/Api"
import { unquote } from "#contract/Idempotency"
import { setHostname, setRdns } from "../instances/Network.ts"
import { getInstance, listInstances } from "../instances/Read.ts"
import { buy } from "../orders/Buy.ts"
import type { Placed } from "../orders/PlaceOrder.ts"
import { previewOrder } from "../orders/PreviewOrder.ts"
import { answer } from "./Answer.ts"
import { caller } from "./Caller.ts"
import { respond } from "./Errors.ts"
import { notBuiltYet } from "./NotBuiltYet.ts"

const CREATED = 201

/** A replay is marked, and says in which fields it was asked for something else. */
const created = ({ instance, mismatch, replayed }: Placed) =>
  HttpServerResponse.jsonUnsafe(instance, {
    status: CREATED,
    headers: {
      location: `${API_PREFIX}/instances/${instance.id}`,
      ...(replayed ? { "idempotent-replayed": "true" } : {}),
      ...(mismatch.length > 0 ? { "idempotent-mismatch": mismatch.join(", ") } : {})
    }
  })

export const layer = HttpApiBuilder.group(Api, "instances", (handlers) =>
  handlers
    .handle("list", () => answer(Effect.flatMap(caller, listInstances)))
    .handle("get", ({ params }) => answer(Effect.flatMap(caller, (by) => getInstance(by, params.instance_id))))
    .handle(
      "create",
      Effect.fnUntraced(function*({ headers, payload, query }) {
        const sent = headers["idempotency-key"]
        const command = { caller: yield* caller, body: payload, key: sent === undefined ? undefined : unquote(sent) }
        if (query.dry_run === true) return yield* answer(previewOrder(command))
        return yield* Effect.match(buy(command), { onSuccess: created, onFailure: respond })
      })
    )
    .handle("hostname", ({ params, payload }) =>
      answer(Effect.flatMap(caller, (by) =>
        setHostname(by, params.instance_id, payload.hostname))))
    .handle("rdns", ({ params, payload }) =>
      answer(Effect.flatMap(caller, (by) =>
        setRdns(by, params.instance_id, payload.ip, payload.ptr))))
    .handle("reinstall", notBuiltYet)
    .handle("reset_password", notBuiltYet)
    .handle("resize", notBuiltYet))
