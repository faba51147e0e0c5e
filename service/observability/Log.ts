/**
 * The service's log: one JSON object per line on standard error. Standard output has the ready line only. The first and
 * the last lines say how the service is configured, and why it stops.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { VERSION } from "@pulumi-vps/contract/Version"
import type { Values } from "../config/Config.ts"
import { LIMITS, type LimitValues } from "../config/Limits.ts"
import { locate } from "../config/DatabaseLocation.ts"

/** Receives lines without their line break: standard error, unless the service is embedded in another program. */
export class LogSink extends Context.Reference<(line: string) => void>("@pulumi-vps/service/LogSink", {
  defaultValue: () => (line) => void process.stderr.write(`${line}\n`)
}) {}

/** Replaces the default logger. */
export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.map(LogSink, (write) => Logger.layer([Logger.map(Logger.formatJson, write)]))
)

/** The time of a log line. */
export const logTime = (): string => new Date(performance.timeOrigin + performance.now()).toISOString()

/** The limits that differ from their defaults, which the version determines: all of them would hide the rest. */
const changed = (limits: LimitValues): Partial<LimitValues> =>
  Object.fromEntries(
    Object.entries(LIMITS).flatMap(([name, { fallback }]) => {
      const value = limits[name as keyof LimitValues]
      return value === fallback ? [] : [[name, value]]
    })
  )

/** Logs what operators compare between two starts, without passwords. */
export const logStart = ({ database, driver, emulator, limits, rateLimits, smtpUrl }: Values): Effect.Effect<void> =>
  Effect.logInfo("Starting").pipe(Effect.annotateLogs({
    version: VERSION,
    node: process.version,
    database: locate(database).label,
    driver,
    emulator,
    mailer: smtpUrl === "" ? "log" : `smtp ${new URL(smtpUrl).host}`,
    rate_limits: rateLimits,
    limits: changed(limits)
  }))

/** Logs a phase of the shutdown. */
export const logStop = (phase: "Shutting down" | "Stopped", reason: string): Effect.Effect<void> =>
  Effect.logInfo(phase).pipe(Effect.annotateLogs({ reason }))

/** Returns a function that names the signal which ends the process. */
export const watchSignals = (): () => string => {
  let received: string | undefined
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // Before the listener that interrupts the service, and so ends it.
    process.prependOnceListener(signal, () => received ??= signal)
  }
  return () => received ?? "interrupted"
}
