/** The limits of connections, requests and answers. */
import { limit, millis } from "../Limit.ts"

export const HTTP_LIMITS = {
  HEADER_BYTES_MAX: limit(
    16 * 1024,
    "bytes",
    "Request line and headers together: four times what a client behind two proxies sends. Above it: 431.",
    { min: 4 * 1024, max: 1024 * 1024 }
  ),
  HEADERS_MAX: limit(
    100,
    "headers",
    "Header lines of a request: programs send about twenty. Above it: 431; none is dropped silently.",
    { min: 16, max: 2_000 }
  ),
  URL_BYTES_MAX: limit(
    8 * 1024,
    "bytes",
    "Path and query, which log lines repeat: the longest that the API reads has about 60 bytes. Above it: 414.",
    { min: 1024, max: 1024 * 1024 }
  ),
  HEADERS_MILLIS: millis(
    10_000,
    "Time to receive a request's headers, or to start the first request of a connection: one packet on any network."
  ),
  REQUEST_MILLIS: millis(
    30_000,
    "Time to receive a whole request: 64 KiB at 2 KiB per second. Slower clients are treated as an attack."
  ),
  KEEP_ALIVE_MILLIS: millis(
    75_000,
    "How long an idle connection stays open. Proxies keep theirs for 60 s, and must not reuse one that is closing."
  ),
  SILENCE_MILLIS: millis(
    30_000,
    "How long a client may leave its response unread: the response is buffered in our memory."
  ),
  CLOSE_GRACE_MILLIS: millis(
    500,
    "Delay between the response to a malformed request and closing its connection: else the response may be lost.",
    { min: 0, max: 10_000 }
  ),
  UNREAD_BYTES_MAX: limit(
    64 * 1024 * 1024,
    "bytes",
    "Responses over 64 KiB that clients have not read yet, in total. Above it, the one unread for longest is dropped.",
    { min: 1024 * 1024 }
  ),
  CONNECTIONS_MAX: limit(
    10_000,
    "connections",
    "Open connections. More are dropped, so that file descriptors remain for the database."
  ),
  CONNECTIONS_PER_ADDRESS_MAX: limit(
    256,
    "connections",
    "Open connections of one address: four programs with all 64 of the SDK. Connections of trusted proxies are exempt."
  ),
  HEALTH_CONNECTIONS_MAX: limit(
    64,
    "connections",
    "Places for health checks, and nothing else, when the others are taken: a flood must not look like a dead service."
  ),
  HEALTH_CONNECTIONS_PER_ADDRESS_MAX: limit(
    4,
    "connections",
    "Places for health checks of one address: a supervisor and a balancer, each with two overlapping checks."
  ),
  HEALTH_CONNECTION_MILLIS: millis(
    2_000,
    "How long a connection may use a place for health checks: a check takes milliseconds."
  ),
  PIPELINED_REQUESTS_MAX: limit(
    16,
    "requests",
    "Requests that wait for an earlier one on their connection. Reading stops above it: pipelining clients send a few.",
    { max: 1_000 }
  ),
  WAITING_REQUESTS_MAX: limit(
    20_000,
    "requests",
    "Requests that wait on all connections, about 80 MB. Above it, connections that send more are dropped."
  ),
  DROP_LOG_MILLIS: millis(
    10_000,
    "Interval of log lines about dropped connections, for each reason: a flood must not fill the log."
  ),
  BODY_BYTES_MAX: limit(
    64 * 1024,
    "bytes",
    "Largest request body: 16 times the longest valid one, small enough to reject a flood.",
    { min: 16 * 1024, max: 64 * 1024 * 1024 }
  ),
  OVERLOAD_RETRY_AFTER_SECONDS: limit(
    5,
    "seconds",
    "Retry-After when a client's connection is above a limit: by then idle ones may have been closed."
  ),
  BUSY_RETRY_AFTER_SECONDS: limit(
    2,
    "seconds",
    "Retry-After when an instance is busy: most operations take about this long."
  ),
  LAME_DUCK_MILLIS: millis(
    5_000,
    "Part of SHUTDOWN_MILLIS in which idle connections stay open after SIGTERM, so that no request on them is lost: "
      + "more than a proxy keeps an idle connection. It ends with the last connection. 0 in the emulator.",
    { min: 0 }
  ),
  SHUTDOWN_MILLIS: millis(8_000, "Time to finish open requests after SIGTERM: supervisors usually allow 10 s.", {
    min: 0
  }),
  IN_PROGRESS_RETRY_AFTER_SECONDS: limit(
    1,
    "seconds",
    "Retry-After of a create that timed out waiting for another one with its Idempotency-Key."
  )
}
