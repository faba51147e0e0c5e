import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { API_PREFIX } from "#contract/Api"
import { unquote } from "#contract/Idempotency"
import type { CreateInstance, Instance } from "#contract/Instance"
import type { Caller } from "../../domain/Caller.ts"
import { setHostname, setRdns } from "../../instances/Network.ts"
import { resetPassword } from "../../instances/Password.ts"
import { getInstance, listInstances } from "../../instances/Read.ts"
import { reinstall } from "../../instances/Reinstall.ts"
import { resize } from "../../instances/Resize.ts"
import { buy } from "../../orders/Buy.ts"
import type { Placed } from "../../orders/PlaceOrder.ts"
import { previewOrder } from "../../orders/PreviewOrder.ts"
import { answer } from "./Answer.ts"
import type { Handlers } from "./ApiRoutes.ts"
import { rateLimitHeaders } from "../middleware/RateLimitHeaders.ts"

const CREATED = 201

/** A replay is marked, and says in which fields it was asked for something else. */
const created = ({ instance, mismatch, rates, replayed }: Placed) =>
  HttpServerResponse.jsonUnsafe(instance, {
    status: CREATED,
    headers: {
      location: `${API_PREFIX}/instances/${instance.id}`,
      ...(replayed ? { "idempotent-replayed": "true" } : {}),
      ...(rates === undefined ? {} : rateLimitHeaders(rates)),
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
const command = (caller: Caller, body: CreateInstance, header: string | undefined) => ({
  caller,
  body,
  key: header === undefined ? undefined : unquote(header)
})

export const instances: Handlers<"instances"> = {
  list: (_, by) => answer(listInstances(by)),
  get: ({ params }, by) => answer(getInstance(by, params.instance_id), shown),
  create: ({ headers, payload, query }, by) => {
    const order = command(by, payload, headers["idempotency-key"])
    return query.dry_run === true ? answer(previewOrder(order)) : answer(buy(order), created)
  },
  hostname: ({ params, payload }, by) => answer(setHostname(by, params.instance_id, payload.hostname)),
  rdns: ({ params, payload }, by) => answer(setRdns(by, params.instance_id, payload.ip, payload.ptr)),
  reinstall: ({ params, payload }, by) => answer(reinstall(by, params.instance_id, payload)),
  reset_password: ({ params }, by) => answer(resetPassword(by, params.instance_id)),
  resize: ({ params, payload }, by) => answer(resize(by, params.instance_id, payload.service_id))
}
