import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api, API_PREFIX } from "#contract/Api"
import { unquote } from "#contract/Idempotency"
import type { CreateInstance, Instance } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { setHostname, setRdns } from "../instances/Network.ts"
import { resetPassword } from "../instances/Password.ts"
import { getInstance, listInstances } from "../instances/Read.ts"
import { reinstall } from "../instances/Reinstall.ts"
import { resize } from "../instances/Resize.ts"
import { buy } from "../orders/Buy.ts"
import type { Placed } from "../orders/PlaceOrder.ts"
import { previewOrder } from "../orders/PreviewOrder.ts"
import { answer, answerWith } from "./Answer.ts"
import { rateHeaders } from "./RateLimits.ts"

const CREATED = 201

/** A replay is marked, and says in which fields it was asked for something else. */
const created = ({ instance, mismatch, rates, replayed }: Placed) =>
  HttpServerResponse.jsonUnsafe(instance, {
    status: CREATED,
    headers: {
      location: `${API_PREFIX}/instances/${instance.id}`,
      ...(replayed ? { "idempotent-replayed": "true" } : {}),
      ...(rates === undefined ? {} : rateHeaders(rates)),
      ...(mismatch.length > 0 ? { "idempotent-mismatch": mismatch.join(", ") } : {})
    }
  })

/** The answers that show an instance: as long as it is the same object, so is what it looks like on the wire. */
const answers = new WeakMap<Instance, HttpServerResponse.HttpServerResponse>()

const shown = (instance: Instance): HttpServerResponse.HttpServerResponse => {
  const known = answers.get(instance)
  if (known !== undefined) return known
  const response = HttpServerResponse.jsonUnsafe(instance)
  answers.set(instance, response)
  return response
}

/** The command that a request's parts make, for whoever is asking. */
const command = (payload: CreateInstance, header: string | undefined) => (caller: Caller) => ({
  caller,
  body: payload,
  key: header === undefined ? undefined : unquote(header)
})

export const layer = HttpApiBuilder.group(Api, "instances", (handlers) =>
  handlers
    .handle("list", () => answer(listInstances))
    .handle("get", ({ params }) => answerWith((by) => getInstance(by, params.instance_id), shown))
    .handle("create", ({ headers, payload, query }) => {
      const order = command(payload, headers["idempotency-key"])
      return query.dry_run === true
        ? answer((by) => previewOrder(order(by)))
        : answerWith((by) => buy(order(by)), created)
    })
    .handle("hostname", ({ params, payload }) => answer((by) => setHostname(by, params.instance_id, payload.hostname)))
    .handle(
      "rdns",
      ({ params, payload }) => answer((by) => setRdns(by, params.instance_id, payload.ip, payload.ptr))
    )
    .handle("reinstall", ({ params, payload }) => answer((by) => reinstall(by, params.instance_id, payload)))
    .handle("reset_password", ({ params }) => answer((by) => resetPassword(by, params.instance_id)))
    .handle("resize", ({ params, payload }) => answer((by) => resize(by, params.instance_id, payload.service_id))))
