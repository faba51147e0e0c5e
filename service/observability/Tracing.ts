/**
 * Traces of requests and tasks, for services that are told where to send them. What sends them is loaded only then: it
 * would cost every start, and a literal `import()` would make the bundler wrap each module in a function.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { withoutKeys } from "../auth/ApiKeyToken.ts"

/** Whether spans go anywhere; making them for nobody would cost. */
export class Tracing extends Context.Reference<boolean>("pulumi-vps/service/Tracing", { defaultValue: () => false }) {}

/** The span that we are in, as a W3C traceparent: what is stored to find back to it. */
export const currentTrace: Effect.Effect<string | undefined> = Effect.match(Effect.currentSpan, {
  onFailure: () => undefined,
  onSuccess: ({ sampled, spanId, traceId }) => `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
})

/** A link to the span of a stored traceparent. */
export const linkTo = (trace: string): Tracer.SpanLink => {
  const [, traceId = "", spanId = "", flags] = trace.split("-")
  return { span: Tracer.externalSpan({ traceId, spanId, sampled: flags === "01" }), attributes: {} }
}

const EXPORTER: string = "#service/observability/Otlp"

const load = (endpoint: string) =>
  Effect.promise(async () => {
    const { start } = await (import(EXPORTER) as Promise<typeof import("./Otlp.ts")>)
    return await start(endpoint)
  })

/** The same tracer; whatever a span is told of, keys are no part of it. */
const discreet = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) => attribute(name, typeof value === "string" ? withoutKeys(value) : value)
      return span
    }
  })

/** Sends traces to an OTLP endpoint until the scope ends. */
export const layer = (endpoint: string): Layer.Layer<never> =>
  Layer.effectContext(
    Effect.map(
      Effect.acquireRelease(load(endpoint), ({ stop }) => Effect.promise(stop)),
      ({ tracer }) => Context.add(Context.make(Tracing, true), Tracer.Tracer, discreet(tracer))
    )
  )
