/** The service's log: one JSON object per line on standard error; standard output holds the ready line only. */
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { Answered } from "../http/Edge.ts"

const write = (line: string): void => void process.stderr.write(`${line}\n`)

const jsonLines = Logger.map(Logger.formatJson, write)

/** Replaces the default logger. */
export const layer: Layer.Layer<never> = Logger.layer([jsonLines])

/** The line of one request; never a body, a key or a password. */
const requestLine = (answered: Answered, at: string): string =>
  JSON.stringify({
    timestamp: at,
    level: "INFO",
    message: "request",
    request_id: answered.requestId,
    method: answered.method,
    url: answered.url,
    status: answered.status,
    ms: Math.round(answered.millis * 1000) / 1000,
    ...(answered.replayed ? { replayed: true } : {})
  })

/** Logs each answered request. Written directly: the logger of Effect would cost as much as the request itself. */
export const logRequest = (answered: Answered): void =>
  write(requestLine(answered, new Date(performance.timeOrigin + performance.now()).toISOString()))
