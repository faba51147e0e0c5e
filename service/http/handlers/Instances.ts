import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { API_PREFIX } from "#contract/Api"
import { unquote } from "#contract/Idempotency"
import type { Instance } from "#contract/Instance"
import { parseMaxCharge } from "#contract/MaxCharge"
import { type ChargeLimit, fromAmount } from "../../domain/Money.ts"
import { resetPassword } from "../../operations/ResetPassword.ts"
import { setHostname } from "../../operations/SetHostname.ts"
import { setRdns } from "../../operations/SetRdns.ts"
import { getInstance, listInstances } from "../../instances/Read.ts"
import { reinstall } from "../../operations/Reinstall.ts"
import { resize } from "../../operations/Resize.ts"
import { buy } from "../../orders/Buy.ts"
import type { Placed } from "../../orders/PlaceOrder.ts"
import { type Previewed, previewOrder } from "../../orders/PreviewOrder.ts"
import type { Handlers } from "./ApiRoutes.ts"
import { rateLimitHeaders } from "../middleware/RateLimitHeaders.ts"

const CREATED = 201

const mismatchHeader = (fields: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  fields.length > 0 ? { "idempotent-mismatch": fields.join(", ") } : {}

const chargeLimitOf = (header: string | undefined): ChargeLimit | undefined => {
  if (header === undefined) return undefined
  const { amount, currency } = parseMaxCharge(header)
  return { amount: fromAmount(amount)!, currency }
}

/** A replayed create is marked and names the fields in which its body differs from the original. */
const created = ({ instance, mismatch, rates, replayed }: Placed) =>
  HttpServerResponse.jsonUnsafe(instance, {
    status: CREATED,
    headers: {
      location: `${API_PREFIX}/instances/${instance.id}`,
      ...(replayed ? { "idempotent-replayed": "true" } : {}),
      ...(rates === undefined ? {} : rateLimitHeaders(rates)),
      ...mismatchHeader(mismatch)
    }
  })

const previewed = ({ mismatch, preview }: Previewed) =>
  HttpServerResponse.jsonUnsafe(preview, { headers: mismatchHeader(mismatch) })

const render = (instance: Instance) => HttpServerResponse.jsonUnsafe(instance)

export const instances: Handlers<"instances"> = {
  list: (_, caller) => listInstances(caller),
  get: ({ params }, caller) => getInstance(caller, params.instance_id, render),
  create: ({ headers, payload: body, query }, caller) => {
    const header = headers["idempotency-key"]
    const maxCharge = chargeLimitOf(headers["vps-max-charge"])
    const command = { caller, body, key: header === undefined ? undefined : unquote(header), maxCharge }
    return query.dry_run === true ? Effect.map(previewOrder(command), previewed) : Effect.map(buy(command), created)
  },
  hostname: ({ params, payload }, caller) => setHostname(caller, params.instance_id, payload.hostname),
  rdns: ({ params, payload }, caller) => setRdns(caller, params.instance_id, payload.ip, payload.ptr),
  reinstall: ({ params, payload }, caller) => reinstall(caller, params.instance_id, payload),
  reset_password: ({ params }, caller) => resetPassword(caller, params.instance_id),
  resize: ({ headers, params, payload }, caller) =>
    resize(caller, params.instance_id, payload.service_id, chargeLimitOf(headers["vps-max-charge"]))
}
