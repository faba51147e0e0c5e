/**
 * Traces of requests and tasks, if a collector is configured. The exporter is loaded only then, because it would slow
 * down every start.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { redactKeys } from "../auth/ApiKeyToken.ts"
import { Tracing } from "../runtime/Tracing.ts"

const load = (endpoint: string) =>
  Effect.promise(async () => {
    const { start } = await import("./Otlp.ts")
    return await start(endpoint)
  })

/** Decorates a tracer: API keys are redacted from attributes. */
const redacting = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) => attribute(name, typeof value === "string" ? redactKeys(value) : value)
      return span
    }
  })

/** Sends traces to an OTLP endpoint until the scope ends. */
export const layer = (endpoint: string): Layer.Layer<never> =>
  Layer.effectContext(
    Effect.map(
      Effect.acquireRelease(load(endpoint), ({ stop }) => Effect.promise(stop)),
      ({ tracer }) => Context.add(Context.make(Tracing, true), Tracer.Tracer, redacting(tracer))
    )
  )
