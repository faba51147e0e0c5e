/** Sends one request on an undici dispatcher. */
import * as Effect from "effect/Effect"
import type { Dispatcher } from "undici"
import { environment } from "../options/Config.ts"
import { RESPONSE_MAX_BYTES } from "../options/Limits.ts"
import type { RequestDispatcher } from "../options/Options.ts"
import { decompress } from "./ContentEncoding.ts"
import {
  asError,
  hasReceived,
  needsProxyPassword,
  type RawResponse,
  type SendFailure,
  type Transport
} from "./Transport.ts"
import type { Progress, Request } from "./Request.ts"

/** Loads undici and makes its agent with the first request: many programs that import a client send none. */
export const dispatcherTransport = (custom: RequestDispatcher | undefined): Transport => {
  let own: Promise<Dispatcher> | undefined
  let ready: RequestDispatcher | undefined = custom
  let closing: Promise<void> | undefined

  const open = async (origin: string) => {
    const dispatcher = await (own ??= makeAgent(origin))
    ready = dispatcher
    return dispatcher
  }
  const unusable = (error: unknown): SendFailure => ({ _tag: "Unusable", error: asError(error) })
  const close = async () => {
    // An agent that could not be made has nothing to close.
    const agent = await own?.catch(() => undefined)
    await agent?.close()
  }

  return {
    send: (request) =>
      Effect.suspend(() => {
        if (ready !== undefined) return exchange(ready, request)
        const opened = Effect.tryPromise({ try: () => open(request.origin), catch: unusable })
        return Effect.flatMap(opened, (dispatcher) => exchange(dispatcher, request))
      }),
    close: Effect.promise(() => closing ??= close())
  }
}

const ADVICE = "If a bundler made this program, let it include every module of the package"

const makeAgent = async (origin: string): Promise<Dispatcher> => {
  const agent = await import("#sdk/client/chain/Agent").catch((cause: unknown) => {
    throw new Error(`The HTTP client could not be loaded (${asError(cause).message}). ${ADVICE}`, { cause })
  })
  return agent.makeAgent(origin, environment())
}

const exchange = (dispatcher: RequestDispatcher, request: Request): Effect.Effect<RawResponse, SendFailure> =>
  Effect.callback((resume) => {
    // A Node timer: racing two fibers, one of them sleeping, would be the most expensive part of a call.
    const timer = setTimeout(() => running.timeOut(), request.limits.timeout)
    const running = new Exchange(request.progress, (outcome) => {
      clearTimeout(timer)
      resume(outcome)
    })
    try {
      dispatcher.dispatch(
        {
          origin: request.origin,
          path: request.target,
          method: request.operation.method,
          headers: request.headers as Record<string, string>,
          body: request.body ?? null,
          // The timer above covers both.
          headersTimeout: 0,
          bodyTimeout: 0
        },
        running
      )
    } catch (error) {
      running.onResponseError(undefined, asError(error))
    }
    return Effect.sync(() => {
      clearTimeout(timer)
      running.cancel()
    })
  })

class Cancelled extends Error {}

/** Handles one exchange. undici calls `onRequestStart` just before it writes: before that, nothing was sent. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #progress: Progress
  readonly #resume: (effect: Effect.Effect<RawResponse, SendFailure>) => void
  readonly #lostBefore: boolean
  readonly #chunks: Array<Buffer> = []
  #size = 0
  #status = 0
  #headers: Record<string, string> = {}
  #controller: Dispatcher.DispatchController | undefined
  #cancelled = false

  constructor(progress: Progress, resume: (effect: Effect.Effect<RawResponse, SendFailure>) => void) {
    this.#progress = progress
    this.#resume = resume
    this.#lostBefore = progress.responseLost
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#cancelled) return controller.abort(new Cancelled())
    this.#progress.responseLost = true
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    // The response follows an interim 1xx.
    if (status < 200) return
    this.#status = status
    for (const name in headers) this.#headers[name] = String(headers[name])
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size <= RESPONSE_MAX_BYTES) this.#chunks.push(chunk)
    else {
      this.#resume(Effect.fail({ _tag: "TooLarge", status: this.#status }))
      controller.abort(new Cancelled())
    }
  }

  onResponseEnd(): void {
    this.#progress.responseLost = this.#lostBefore
    const [first] = this.#chunks
    const sent = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
    const encoding = this.#headers["content-encoding"]
    const body = encoding === undefined ? sent : decompress(sent, encoding)
    if (body === "too large") return this.#resume(Effect.fail({ _tag: "TooLarge", status: this.#status }))
    if (body === undefined) {
      return this.#resume(Effect.fail({ _tag: "Encoded", status: this.#status, encoding: encoding ?? "" }))
    }
    this.#resume(
      Effect.succeed({ status: this.#status, headers: this.#headers, text: body.toString("utf8"), size: body.length })
    )
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (error instanceof Cancelled) return
    if (needsProxyPassword(error)) this.#progress.responseLost = this.#lostBefore
    // Without a status, the received bytes belong to an earlier response.
    this.#resume(Effect.fail({ _tag: "Broken", error, staleConnection: this.#status === 0 && hasReceived(error) }))
  }

  /** Ends the exchange at the timeout. */
  timeOut(): void {
    this.cancel()
    this.#resume(Effect.fail({ _tag: "TimedOut" }))
  }

  /** Ends the exchange when nothing awaits the response any more. */
  cancel(): void {
    this.#cancelled = true
    this.#controller?.abort(new Cancelled())
  }
}
