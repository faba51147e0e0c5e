import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api, API_PREFIX } from "#contract/Api"
import { unquote } from "#contract/Idempotency"
import { InstanceNotFound } from "../domain/Errors.ts"
import { setHostname, setRdns } from "../instances/Network.ts"
import { type Placed, placeOrder, type PlaceOrder } from "../orders/PlaceOrder.ts"
import { previewOrder } from "../orders/PreviewOrder.ts"
import { Instances } from "../persistence/Instances.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { TaskQueue } from "../tasks/Queue.ts"
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

/** A worker is woken only once the order is durable. */
const buy = Effect.fnUntraced(function*(command: PlaceOrder) {
  const placed = yield* (yield* Transaction).run(placeOrder(command))
  if (!placed.replayed) yield* (yield* TaskQueue).wake
  return placed
})

const list = Effect.gen(function*() {
  return yield* (yield* Instances).list((yield* caller).accountId)
})

const get = Effect.fnUntraced(function*(instanceId: number) {
  const found = yield* (yield* Instances).show((yield* caller).accountId, instanceId)
  return found ?? (yield* new InstanceNotFound({ instanceId }))
})

export const layer = HttpApiBuilder.group(Api, "instances", (handlers) =>
  handlers
    .handle("list", () => answer(list))
    .handle("get", ({ params }) => answer(get(params.instance_id)))
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
      answer(Effect.flatMap(caller, (by) => setHostname(by, params.instance_id, payload.hostname))))
    .handle("rdns", ({ params, payload }) =>
      answer(Effect.flatMap(caller, (by) => setRdns(by, params.instance_id, payload.ip, payload.ptr))))
    .handle("reinstall", notBuiltYet)
    .handle("reset_password", notBuiltYet)
    .handle("resize", notBuiltYet))
