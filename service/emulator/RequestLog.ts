/** The latest requests and their responses, for tests of clients. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { unquote } from "@pulumi-vps/contract/PurchaseHeaders"
import { redactKeys } from "../auth/ApiKeyToken.ts"
import type { LoggedRequest } from "../contract/Emulator.ts"
import { Limits } from "../config/Limits.ts"
import { keyDigest } from "../orders/PlaceOrder.ts"

/** A logged request. */
export interface AnsweredRequest {
  readonly method: string
  /** Path with its query. */
  readonly url: string
  readonly status: number
  readonly idempotencyKey: string | undefined
  readonly replayed: boolean
}

export class RequestLog extends Context.Service<RequestLog, {
  /** Cheap and synchronous, as it runs on every request. */
  readonly record: (answered: AnsweredRequest) => void
  /** Oldest first. */
  readonly requests: Effect.Effect<ReadonlyArray<LoggedRequest>>
  readonly clear: Effect.Effect<void>
}>()("@pulumi-vps/service/RequestLog") {
  static readonly layer = Layer.effect(RequestLog, Effect.map(Limits, (limits) => make(limits.EMULATOR_REQUESTS)))
}

/** The controls do not log themselves, nor does the panel, whose pages ask again and again. */
const UNLOGGED = ["/_emulator", "/panel"]

const toLogged = ({ idempotencyKey, method, replayed, status, url: sent }: AnsweredRequest): LoggedRequest => {
  const url = redactKeys(sent)
  const end = url.indexOf("?")
  return {
    method,
    path: end === -1 ? url : url.slice(0, end),
    query: end === -1 ? "" : url.slice(end + 1),
    status,
    idempotency_key_sha256: idempotencyKey === undefined ? null : keyDigest(unquote(idempotencyKey)),
    replayed
  }
}

/** Stores the last `capacity` requests in a ring buffer. */
export const make = (capacity: number): RequestLog["Service"] => {
  let ring: Array<AnsweredRequest> = []
  let next = 0
  return {
    record: (answered) => {
      if (UNLOGGED.some((prefix) => answered.url.startsWith(prefix))) return
      ring[next] = answered
      next = (next + 1) % capacity
    },
    requests: Effect.sync(() => {
      const inOrder = ring.length < capacity ? ring : [...ring.slice(next), ...ring.slice(0, next)]
      return inOrder.map(toLogged)
    }),
    clear: Effect.sync(() => {
      ring = []
      next = 0
    })
  }
}
