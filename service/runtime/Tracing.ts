/** The trace context that requests and tasks share; `service/observability` exports the spans. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/** True when spans are exported. Creating them otherwise would be a waste. */
export class Tracing extends Context.Reference<boolean>("@pulumi-vps/service/Tracing", { defaultValue: () => false }) {}

/** The current span as a W3C traceparent, which is stored to link to it later. */
export const currentTrace: Effect.Effect<string | undefined> = Effect.match(Effect.currentSpan, {
  onFailure: () => undefined,
  onSuccess: ({ sampled, spanId, traceId }) => `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
})

/** A link to the span of a stored traceparent. */
export const linkTo = (trace: string): Tracer.SpanLink => {
  const [, traceId = "", spanId = "", flags] = trace.split("-")
  return { span: Tracer.externalSpan({ traceId, spanId, sampled: flags === "01" }), attributes: {} }
}
