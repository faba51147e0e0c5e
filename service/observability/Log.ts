/** The service's log: one JSON object per line on standard error. Standard output has the ready line only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** Receives lines without their line break: standard error, unless the service is embedded in another program. */
export class LogSink extends Context.Reference<(line: string) => void>("pulumi-vps/service/LogSink", {
  defaultValue: () => (line) => void process.stderr.write(`${line}\n`)
}) {}

/** Replaces the default logger. */
export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.map(LogSink, (write) => Logger.layer([Logger.map(Logger.formatJson, write)]))
)

/** The time of a log line. */
export const logTime = (): string => new Date(performance.timeOrigin + performance.now()).toISOString()
