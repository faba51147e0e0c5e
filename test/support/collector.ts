/** A place to send traces to, as OTLP/HTTP has it. */
import * as Effect from "effect/Effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Record<string, unknown> }>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

interface Export {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: Span["attributes"] }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}

interface Collector {
  readonly url: string
  readonly paths: Set<string>
  readonly exports: Array<Export>
}

const collect = (collector: Omit<Collector, "url">): Server =>
  createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => body += chunk).on("end", () => {
      collector.paths.add(request.url!)
      collector.exports.push(JSON.parse(body))
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })

/** Listens while its scope is open. */
export const collector = Effect.acquireRelease(
  Effect.promise(async () => {
    const got = { paths: new Set<string>(), exports: [] }
    const server = collect(got)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { ...got, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
)

/** All that has arrived so far. */
export const spansOf = ({ exports }: Collector): ReadonlyArray<Span> =>
  exports.flatMap(({ resourceSpans }) => resourceSpans.flatMap((each) => each.scopeSpans.flatMap(({ spans }) => spans)))

export const attribute = (span: Span, name: string): unknown => {
  const value = span.attributes.find(({ key }) => key === name)?.value
  return value === undefined ? undefined : Object.values(value)[0]
}
