/** The limits of connections, requests and answers. */
import type { LimitTable } from "../config/Limit.ts"

export const HTTP_LIMITS = {
  HEADER_BYTES_MAX: {
    fallback: 16 * 1024,
    min: 4 * 1024,
    max: 1024 * 1024,
    unit: "bytes",
    reason: "Request line and headers together: four times what a client behind two proxies sends; above it 431."
  },
  HEADERS_MAX: {
    fallback: 100,
    min: 16,
    max: 2_000,
    unit: "headers",
    reason: "Header lines of a request: programs send some twenty; above it 431, none is dropped in silence."
  },
  URL_BYTES_MAX: {
    fallback: 8 * 1024,
    min: 1024,
    max: 1024 * 1024,
    unit: "bytes",
    reason: "Path and query, which log lines repeat: the longest that the API reads has some 60; above it 414."
  },
  HEADERS_MILLIS: {
    fallback: 10_000,
    unit: "milliseconds",
    reason: "How long the head of a request may take, or a new connection wait for one: one packet on any network."
  },
  REQUEST_MILLIS: {
    fallback: 30_000,
    unit: "milliseconds",
    reason: "How long a whole request may take to arrive: 64 KiB at 2 KiB a second; slower is an attack."
  },
  KEEP_ALIVE_MILLIS: {
    fallback: 5_000,
    unit: "milliseconds",
    reason: "How long a connection waits for its next request; answers name it, so that clients don't use a dying one."
  },
  SILENCE_MILLIS: {
    fallback: 30_000,
    unit: "milliseconds",
    reason: "How long a client may leave its answer unread: the answer waits in our memory."
  },
  CLOSE_GRACE_MILLIS: {
    fallback: 500,
    min: 0,
    max: 10_000,
    unit: "milliseconds",
    reason: "From the answer to a broken request to the end of its connection: else the answer can be lost with it."
  },
  CONNECTIONS_MAX: {
    fallback: 10_000,
    unit: "connections",
    reason: "Open at once; more are dropped, so that the files of the database can still be opened."
  },
  BODY_BYTES_MAX: {
    fallback: 64 * 1024,
    min: 16 * 1024,
    max: 64 * 1024 * 1024,
    unit: "bytes",
    reason: "Largest request body: 16 times the longest legal one, small enough to refuse a flood."
  },
  BUSY_RETRY_AFTER_SECONDS: {
    fallback: 2,
    unit: "seconds",
    reason: "What a client that meets a busy instance is told to wait: most operations take about this long."
  },
  SHUTDOWN_MILLIS: {
    fallback: 8_000,
    min: 0,
    unit: "milliseconds",
    reason: "How long finishing requests may take after SIGTERM: the supervisor's usual patience is 10 s."
  },
  IN_PROGRESS_RETRY_AFTER_SECONDS: {
    fallback: 1,
    unit: "seconds",
    reason: "What a create that has waited in vain for another one with its key is told to wait."
  }
} satisfies LimitTable
