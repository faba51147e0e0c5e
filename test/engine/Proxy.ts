/** A proxy between the provider and the service: records every request, and holds one back at a chosen point. */
import { once } from "node:events"
import { createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface ObservedRequest {
  readonly method: string
  /** With its query, without the prefix `/api/v1`. */
  readonly path: string
}

export interface Held {
  /** The request has arrived and waits here. */
  readonly reached: Promise<void>
  /** Lets the service do it; resolves when the service has answered. The answer stays here. */
  readonly carryOut: () => Promise<void>
  /** Passes the answer on. */
  readonly answer: () => void
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly body: Buffer
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

interface Trap {
  readonly matches: (seen: ObservedRequest) => boolean
  readonly spring: (exchange: Exchange) => void
}

const PREFIX = "/api/v1"

const collect = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export class Proxy {
  /** All that has arrived here. */
  readonly seen: Array<ObservedRequest> = []
  /** The requests that reached the service, without those that a crash cut off before. */
  readonly forwarded: Array<ObservedRequest> = []
  readonly #server = createServer((incoming, outgoing) => void this.#serve(incoming, outgoing))
  readonly #target: string
  #trap: Trap | undefined
  #inspector: ((seen: ObservedRequest) => Promise<void>) | undefined
  #inspecting: Promise<void> = Promise.resolve()
  #pace: ((seen: ObservedRequest) => Promise<void>) | undefined

  private constructor(target: string) {
    this.#target = target
  }

  /** `target` is the service's origin. */
  static async start(target: string): Promise<Proxy> {
    const proxy = new Proxy(target)
    proxy.#server.listen(0, "127.0.0.1")
    await once(proxy.#server, "listening")
    return proxy
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${PREFIX}`
  }

  /** The requests that changed something at the service; a dry run changes nothing. */
  mutations(): ReadonlyArray<string> {
    return this.forwarded
      .filter(({ method, path }) => method !== "GET" && !path.includes("dry_run=true"))
      .map(({ method, path }) => `${method} ${path}`)
  }

  /** Holds the next request that matches. */
  hold(matches: (seen: ObservedRequest) => boolean): Held {
    const reached = Promise.withResolvers<void>()
    let exchange: Exchange | undefined
    let answer: Answer | undefined
    this.#trap = {
      matches,
      spring: (caught) => {
        exchange = caught
        reached.resolve()
      }
    }
    return {
      reached: reached.promise,
      carryOut: async () => {
        answer = await this.#forward(exchange!)
      },
      answer: () => reply(exchange!.outgoing, answer!)
    }
  }

  /** Shows each request before it is forwarded, one at a time, until it is called with nothing. */
  inspect(inspector?: (seen: ObservedRequest) => Promise<void>): void {
    this.#inspector = inspector
  }

  /** A hook that runs right before a request reaches the service. */
  pace(work: (seen: ObservedRequest) => Promise<void>): void {
    this.#pace = work
  }

  /** Nothing is held any more that has not arrived yet. */
  release(): void {
    this.#trap = undefined
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await collect(incoming)
    const seen = { method: incoming.method ?? "", path: (incoming.url ?? "").slice(PREFIX.length) }
    this.seen.push(seen)
    this.#inspecting = this.#inspecting.then(() => this.#inspector?.(seen))
    await this.#inspecting
    const exchange = { incoming, outgoing, body }
    const trap = this.#trap
    if (trap?.matches(seen) === true) {
      this.#trap = undefined
      return trap.spring(exchange)
    }
    try {
      reply(outgoing, await this.#forward(exchange))
    } catch {
      // The service has hung up: so does this.
      outgoing.destroy()
    }
  }

  async #forward({ body, incoming }: Exchange): Promise<Answer> {
    const { headers, method = "GET", url = "" } = incoming
    const seen = { method, path: url.slice(PREFIX.length) }
    await this.#pace?.(seen)
    this.forwarded.push(seen)
    const outgoing = send(new URL(url, this.#target), {
      method,
      headers: { ...headers, host: new URL(this.#target).host }
    })
    outgoing.end(body)
    const [message] = await once(outgoing, "response") as [IncomingMessage]
    return { status: message.statusCode ?? 0, headers: message.headers, body: await collect(message) }
  }
}

/** The client may have been killed meanwhile; then the response is dropped. */
const reply = (outgoing: ServerResponse, { body, headers, status }: Answer): void => {
  if (outgoing.destroyed) return
  outgoing.writeHead(status, headers)
  outgoing.end(body)
}
