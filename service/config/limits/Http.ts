/** The limits of connections, requests and answers. */
import type { LimitTable } from "../Limit.ts"

export const HTTP_LIMITS = {
  HEADER_BYTES_MAX: {
    fallback: 16 * 1024,
    min: 4 * 1024,
    max: 1024 * 1024,
    unit: "bytes",
    reason: "Request line and headers together: four times what a client behind two proxies sends. Above it: 431."
  },
  HEADERS_MAX: {
    fallback: 100,
    min: 16,
    max: 2_000,
    unit: "headers",
    reason: "Header lines of a request: programs send about twenty. Above it: 431; none is dropped silently."
  },
  URL_BYTES_MAX: {
    fallback: 8 * 1024,
    min: 1024,
    max: 1024 * 1024,
    unit: "bytes",
    reason: "Path and query, which log lines repeat: the longest that the API reads has about 60 bytes. Above it: 414."
  },
  HEADERS_MILLIS: {
    fallback: 10_000,
    unit: "milliseconds",
    reason:
      "Time to receive a request's headers, or to start the first request of a connection: one packet on any network."
  },
  REQUEST_MILLIS: {
    fallback: 30_000,
    unit: "milliseconds",
    reason: "Time to receive a whole request: 64 KiB at 2 KiB per second. Slower clients are treated as an attack."
  },
  KEEP_ALIVE_MILLIS: {
    fallback: 75_000,
    unit: "milliseconds",
    reason:
      "How long an idle connection stays open. Proxies keep theirs for 60 s, and must not reuse one that is closing."
  },
  SILENCE_MILLIS: {
    fallback: 30_000,
    unit: "milliseconds",
    reason: "How long a client may leave its response unread: the response is buffered in our memory."
  },
  CLOSE_GRACE_MILLIS: {
    fallback: 500,
    min: 0,
    max: 10_000,
    unit: "milliseconds",
    reason:
      "Delay between the response to a malformed request and closing its connection: else the response may be lost."
  },
  CONNECTIONS_MAX: {
    fallback: 10_000,
    unit: "connections",
    reason: "Open connections. More are dropped, so that file descriptors remain for the database."
  },
  BODY_BYTES_MAX: {
    fallback: 64 * 1024,
    min: 16 * 1024,
    max: 64 * 1024 * 1024,
    unit: "bytes",
    reason: "Largest request body: 16 times the longest valid one, small enough to reject a flood."
  },
  BUSY_RETRY_AFTER_SECONDS: {
    fallback: 2,
    unit: "seconds",
    reason: "Retry-After when an instance is busy: most operations take about this long."
  },
  SHUTDOWN_MILLIS: {
    fallback: 8_000,
    min: 0,
    unit: "milliseconds",
    reason: "Time to finish open requests after SIGTERM: supervisors usually allow 10 s."
  },
  IN_PROGRESS_RETRY_AFTER_SECONDS: {
    fallback: 1,
    unit: "seconds",
    reason: "Retry-After of a create that timed out waiting for another one with its Idempotency-Key."
  }
} satisfies LimitTable
