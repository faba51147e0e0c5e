/** The rows of the request tables: each call, what it puts on the wire, and what it makes of the answers. */
import type * as Effect from "effect/Effect"
import type { CallFailure } from "#sdk/client/errors/Failures"
import type { Client } from "#sdk/client/Client"
import type { ApiResponse } from "#sdk/client/chain/ApiResponse"

/** One request as it must come, and the answer to it. */
interface Exchange {
  /** Method, then path and query. */
  readonly on: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly answer: readonly [status: number, body: object | string, headers?: Record<string, string>] | "broken"
}

export interface Row {
  readonly name: string
  readonly call: (core: Client) => Effect.Effect<ApiResponse<unknown>, CallFailure>
  readonly exchanges: ReadonlyArray<Exchange>
  readonly data?: unknown
  readonly response?: Partial<ApiResponse<unknown>["response"]>
  readonly error?: Readonly<Record<string, unknown>>
}

/** As another host might have it: with fields of its own. */
export const instance = {
  id: 7,
  status: "running",
  provider_id: "sim-7",
  ipv4: "10.0.0.7",
  of_another_host: { kept: true }
}

export const action = { ok: true, action: "stop", status: "stopping", task_id: 3 }
