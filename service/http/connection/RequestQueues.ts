/**
 * Handles one request at a time on each connection. Node emits pipelined requests at once, so a response that closes
 * the connection would come too late for those behind it: they would be executed and their responses discarded.
 * RFC 9112 §9.6 forbids that, and request smuggling depends on it.
 *
 * A waiting request costs only its message. Each turn of the event loop handles at most one request per connection, so
 * that other clients do not wait for a queue.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { LimitValues } from "../../config/Limits.ts"
import type { Drop } from "./DropObserver.ts"

/** A request with its response. */
export interface Exchange {
  readonly event: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The part that all queues share. */
interface Shared {
  readonly limits: LimitValues
  readonly emit: (exchange: Exchange) => void
  readonly drop: Drop
  /** The number of waiting requests of all connections. */
  waiting: number
}

const isEnded = (socket: Duplex): boolean => socket.writableEnded || socket.destroyed

/** The requests of one connection. */
class RequestQueue {
  readonly #socket: Duplex
  readonly #shared: Shared
  readonly #waiting: Array<Exchange> = []
  #current: Exchange | undefined
  /** Undefined until the connection is paused for the first time. */
  #isPaused: boolean | undefined

  constructor(socket: Duplex, shared: Shared) {
    this.#socket = socket
    this.#shared = shared
    socket.once("close", () => this.#clear())
  }

  /** The request that is handled, or was last. */
  get current(): Exchange | undefined {
    return this.#current
  }

  /** The request that arrived last. */
  get newest(): Exchange | undefined {
    return this.#waiting.at(-1) ?? this.#current
  }

  /** Handles the request now, or later, or never if the connection ends before. */
  add(exchange: Exchange): void {
    if (isEnded(this.#socket)) return
    const current = this.#current
    if (current !== undefined && (this.#waiting.length > 0 || !current.response.writableFinished)) {
      return this.#enqueue(exchange, current)
    }
    this.#current = exchange
    this.#shared.emit(exchange)
  }

  #enqueue(exchange: Exchange, current: Exchange): void {
    const { limits: { PIPELINED_REQUESTS_MAX, WAITING_REQUESTS_MAX } } = this.#shared
    if (this.#waiting.length === 0) this.#awaitEnd(current)
    this.#waiting.push(exchange)
    this.#shared.waiting++
    if (this.#waiting.length < PIPELINED_REQUESTS_MAX) return
    if (this.#shared.waiting > WAITING_REQUESTS_MAX) this.#shared.drop("pipelining", this.#socket)
    else if (this.#isPaused !== true) this.#pause()
  }

  #awaitEnd({ response }: Exchange): void {
    response.once("finish", () => setImmediate(() => this.#next()))
  }

  #next(): void {
    const exchange = isEnded(this.#socket) ? undefined : this.#waiting.shift()
    if (exchange === undefined) return
    this.#shared.waiting--
    this.#current = exchange
    if (this.#waiting.length > 0) this.#awaitEnd(exchange)
    if (this.#isPaused === true && this.#waiting.length < this.#shared.limits.PIPELINED_REQUESTS_MAX) {
      this.#isPaused = false
      this.#socket.resume()
    }
    this.#shared.emit(exchange)
  }

  #pause(): void {
    // Node resumes the connection with each response.
    if (this.#isPaused === undefined) this.#socket.on("resume", () => this.#isPaused === true && this.#socket.pause())
    this.#isPaused = true
    this.#socket.pause()
  }

  #clear(): void {
    this.#shared.waiting -= this.#waiting.length
    this.#waiting.length = 0
  }
}

/** The events that hand a request to a listener, which sends its response. */
const EVENTS: ReadonlySet<string | symbol> = new Set(["request", "checkContinue", "checkExpectation"])

/** The queue of each connection. Must be called before connections are accepted. */
export const queueRequests = (
  server: Server,
  limits: LimitValues,
  drop: Drop
): Pick<WeakMap<Duplex, RequestQueue>, "get"> => {
  const emit = server.emit.bind(server) as (...args: ReadonlyArray<unknown>) => boolean
  const shared: Shared = {
    limits,
    emit: ({ event, request, response }) => void emit(event, request, response),
    drop,
    waiting: 0
  }
  const queues = new WeakMap<Duplex, RequestQueue>()
  server.on("connection", (socket) => queues.set(socket, new RequestQueue(socket, shared)))
  // Node has no hook before the listeners of a request.
  server.emit = ((event: string, ...args: ReadonlyArray<unknown>) => {
    if (!EVENTS.has(event)) return emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    queues.get(request.socket)!.add({ event, request, response })
    return true
  }) as typeof server.emit
  return queues
}
