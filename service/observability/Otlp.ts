/**
 * Exports spans over OTLP/HTTP (JSON). Loaded only if a collector is configured.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Tracer from "effect/Tracer"
import { API_VERSION } from "@pulumi-vps/contract/Api"

/** The endpoint is a setting of the service; everything else comes from the variables of OpenTelemetry. */
const variables = (endpoint: string) =>
  ConfigProvider.fromUnknown({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).pipe(
    ConfigProvider.orElse(ConfigProvider.fromEnv()),
    ConfigProvider.orElse(
      ConfigProvider.fromUnknown({ OTEL_TRACES_EXPORTER: "otlp", OTEL_SERVICE_NAME: "vps-service" })
    )
  )

const exporter = (endpoint: string) =>
  OtlpTracer.layerFromConfig({ resource: { serviceVersion: API_VERSION } }).pipe(
    Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer, ConfigProvider.layer(variables(endpoint))])
  )

/** Starts exporting; `stop` flushes the remaining spans. */
export const start = async (endpoint: string): Promise<{
  readonly tracer: Tracer.Tracer
  readonly stop: () => Promise<void>
}> => {
  const runtime = ManagedRuntime.make(exporter(endpoint))
  const context = await runtime.runPromise(Effect.context())
  return { tracer: Context.get(context, Tracer.Tracer), stop: () => runtime.dispose() }
}
