/** Sends one request with `fetch`: for runtimes without Node's sockets, and for tests that replace `fetch`. */
import * as Effect from "effect/Effect"
import { RESPONSE_MAX_BYTES } from "../options/Limits.ts"
import type { FetchInit, FetchLike, FetchResponse, RequestDispatcher } from "../options/Options.ts"
import { causeOf, hasReceived, isUnsent, type RawResponse, type SendFailure, type Transport } from "./Transport.ts"
import type { Request as ApiRequest } from "./Request.ts"

/** `own` is read for each request, so that a library may replace the global one after the client was made. */
export const fetchTransport = (own: FetchLike | undefined): Transport => ({
  send: (request) => exchange(own ?? globalThis.fetch as unknown as FetchLike, request),
  close: Effect.void
})

/**
 * Takes the place of the dispatcher in the build for other runtimes: see .config/build/clientBundles.ts.
 * @public
 */
export const fetchOnly = (dispatcher: RequestDispatcher | undefined): Transport => {
  if (dispatcher === undefined) return fetchTransport(undefined)
  const error = new Error("A dispatcher needs Node.js. Pass fetch instead")
  return { send: () => Effect.fail({ _tag: "Unusable", error }), close: Effect.void }
}

const exchange = (send: FetchLike, request: ApiRequest): Effect.Effect<RawResponse, SendFailure> =>
  Effect.callback((resume) => {
    const { progress } = request
    const lostBefore = progress.responseLost
    const controller = new AbortController()
    const end = (outcome: Effect.Effect<RawResponse, SendFailure>) => {
      clearTimeout(timer)
      resume(outcome)
    }
    const timer = setTimeout(() => {
      controller.abort()
      end(Effect.fail({ _tag: "TimedOut" }))
    }, request.limits.timeout)
    // `fetch` does not say when it writes: from here on, the request counts as sent unless the error says otherwise.
    progress.responseLost = true
    const started = { status: 0 }
    const succeed = (raw: RawResponse): void => {
      if (raw.size > RESPONSE_MAX_BYTES) {
        controller.abort()
        return end(Effect.fail({ _tag: "TooLarge", status: raw.status }))
      }
      progress.responseLost = lostBefore
      end(Effect.succeed(raw))
    }
    const fail = (cause: unknown): void => {
      if (controller.signal.aborted) return
      const error = causeOf(cause)
      const hasNoStatus = started.status === 0
      if (hasNoStatus && isUnsent(error)) progress.responseLost = lostBefore
      end(Effect.fail({ _tag: "Broken", error, staleConnection: hasNoStatus && hasReceived(error) }))
    }
    receive(send, request, controller.signal, started).then(succeed, fail)
    return Effect.sync(() => {
      clearTimeout(timer)
      controller.abort()
    })
  })

const receive = async (
  send: FetchLike,
  { body, headers, operation, origin, target }: ApiRequest,
  signal: AbortSignal,
  started: { status: number }
): Promise<RawResponse> => {
  const response = await send(origin + target, {
    method: operation.method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal,
    ...supported()
  })
  if (response.type === "opaqueredirect") {
    throw new Error("the server redirects to another address; correct the base URL")
  }
  started.status = response.status
  return { status: response.status, headers: headersOf(response), ...await bodyOf(response) }
}

/** Some runtimes throw for an option that they do not know, even if its value is what they do anyway. */
const supported = (): Partial<FetchInit> => {
  const knows = (name: string) => typeof Request === "function" && name in Request.prototype
  return {
    redirect: "manual",
    ...(knows("cache") ? { cache: "no-store" } : {}),
    ...(knows("credentials") ? { credentials: "omit" } : {})
  }
}

const headersOf = (response: FetchResponse): Record<string, string> => {
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    headers[name] = name in headers ? `${headers[name]},${value}` : value
  })
  return headers
}

const bodyOf = async (response: FetchResponse): Promise<{ readonly text: string; readonly size: number }> => {
  // Not every replacement of `fetch` streams.
  if (response.body === null || typeof response.body?.getReader !== "function") {
    const text = await response.text()
    return { text, size: new TextEncoder().encode(text).length }
  }
  const reader = response.body.getReader()
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let text = ""
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || value === undefined) return { text: text + decoder.decode(), size }
    size += value.byteLength
    if (size > RESPONSE_MAX_BYTES) return { text: "", size }
    text += decoder.decode(value, { stream: true })
  }
}
