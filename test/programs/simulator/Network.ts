/** The network between customers and the processes of the service: it delays, drops, and repeats requests. */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpMethod } from "effect/http/HttpMethod"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Broken, Replica } from "./Replica.ts"
import type { ServiceRuntime } from "#service/ServiceRuntime"
import type { SimulatedProcess } from "./Timers.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"
import type { FaultRates } from "./FaultRates.ts"

export interface SimulatedRequest {
  readonly method: HttpMethod
  /** Below `/api/v1`. */
  readonly path: string
  readonly token: string
  readonly body?: unknown
  readonly idempotencyKey?: string
}

export interface SimulatedResponse {
  /** 0 when the connection broke or the response timed out: the outcome is unknown. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Any JSON: customers check it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

const UNKNOWN: SimulatedResponse = { status: 0, headers: {}, body: undefined }

/** Longest way of a request or an answer, in milliseconds. */
const QUICK_MILLIS = 20
const SLOW_MILLIS = 20_000
/** Milliseconds that a customer waits for a response. */
const PATIENCE_MILLIS = 45_000

type Inside = Parameters<ServiceRuntime["Service"]["run"]>[0]

const answerOf = (response: HttpServerResponse | Broken): SimulatedResponse => {
  if (response === "reset") return UNKNOWN
  const { body, headers, status } = response
  const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
  return { status, headers, body: text === "" ? undefined : JSON.parse(text) }
}

const requestOf = (asked: SimulatedRequest, id: string): HttpClientRequest.HttpClientRequest => {
  const request = HttpClientRequest.make(asked.method)(`http://vps.example.test/api/v1${asked.path}`).pipe(
    HttpClientRequest.setHeaders({
      host: "vps.example.test",
      authorization: `Bearer ${asked.token}`,
      "x-request-id": id,
      ...(asked.idempotencyKey === undefined ? {} : { "idempotency-key": asked.idempotencyKey })
    })
  )
  return asked.body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, asked.body)
}

export class Network {
  /** The customers' own; another one after `renew`. */
  proc: SimulatedProcess
  /** Called with every answer that a customer got. */
  onAnswer: (asked: SimulatedRequest, answer: SimulatedResponse, askedAt: number) => void = () => undefined
  readonly #scheduler: VirtualScheduler
  readonly #replicas: ReadonlyArray<Replica>
  readonly #rates: () => FaultRates
  #requests = 0

  constructor(scheduler: VirtualScheduler, replicas: ReadonlyArray<Replica>, rates: () => FaultRates) {
    this.#scheduler = scheduler
    this.#replicas = replicas
    this.#rates = rates
    this.proc = scheduler.proc("customers")
  }

  /** All that the customers were about to do ends, and no response reaches them any more. */
  renew(): void {
    this.proc.alive = false
    this.proc = this.#scheduler.proc("customers")
  }

  #way(): number {
    const { random } = this.#scheduler
    return random.chance(this.#rates().network.slow) ? random.below(SLOW_MILLIS) : random.below(QUICK_MILLIS)
  }

  /** One try; never fails. */
  readonly ask = (asked: SimulatedRequest): Effect.Effect<SimulatedResponse> =>
    Effect.callback<SimulatedResponse>((resume) => {
      const { random, now } = this.#scheduler
      const id = `r-${++this.#requests}`
      let over = false
      let hangUp = (): void => undefined
      const end = (answer: SimulatedResponse): void => {
        if (over) return
        over = true
        patience.cancelled = true
        this.#scheduler.note(
          `${id} ${asked.method} ${asked.path}${asked.idempotencyKey === undefined ? "" : ` (${asked.idempotencyKey})`}`
            + ` -> ${answer.status}${answer.body?.id === undefined ? "" : ` ${answer.body.id}`}`
        )
        this.onAnswer(asked, answer, now)
        resume(Effect.succeed(answer))
      }
      const patience = this.#scheduler.later(this.proc, PATIENCE_MILLIS, () => {
        end(UNKNOWN)
        hangUp()
      })
      const { network } = this.#rates()
      if (random.chance(network.lostRequest)) {
        return void this.#scheduler.later(this.proc, QUICK_MILLIS, () => end(UNKNOWN))
      }
      const lost = random.chance(network.lostAnswer)
      const deliver = (): void => {
        hangUp = random.pick(this.#replicas).request(requestOf(asked, id), (response) => {
          const answer = lost ? UNKNOWN : answerOf(response)
          this.#scheduler.later(this.proc, this.#way(), () => end(answer))
        })
      }
      this.#scheduler.later(this.proc, this.#way(), deliver)
      if (random.chance(network.duplicated)) {
        this.#scheduler.later(this.proc, this.#way(), () => this.#repeat(asked, id))
      }
      return Effect.sync(() => hangUp())
    })

  /** A proxy sends it again and drops the response. Only requests that are safe to repeat. */
  #repeat(asked: SimulatedRequest, id: string): void {
    if (asked.idempotencyKey === undefined && asked.method !== "GET") return
    this.#scheduler.random.pick(this.#replicas).request(requestOf(asked, `${id}-again`), () => undefined)
  }

  /** Something through the service's own door, in any process; undefined when that died meanwhile. */
  readonly inside = <A, E>(work: Inside): Effect.Effect<Exit.Exit<A, E> | undefined> =>
    Effect.callback((resume) => {
      this.#scheduler.random.pick(this.#replicas).inside<A, E>(work, (exit) => {
        this.#scheduler.later(this.proc, this.#way(), () => resume(Effect.succeed(exit === "reset" ? undefined : exit)))
      })
    })
}
