/** How much a connection may ask for, and for how long it may take its time. */
import { limit } from "../config/Config.ts"

export const HEADER_BYTES_MAX = limit("HEADER_BYTES_MAX", 16 * 1024, {
  min: 4 * 1024,
  max: 1024 * 1024,
  unit: "bytes",
  reason: "Request line and headers together: four times what a client behind two proxies sends; above it 431."
})

export const HEADERS_MAX = limit("HEADERS_MAX", 100, {
  min: 16,
  max: 2_000,
  unit: "headers",
  reason: "Header lines of a request: programs send some twenty; above it 431, none is dropped in silence."
})

export const URL_BYTES_MAX = limit("URL_BYTES_MAX", 8 * 1024, {
  min: 1024,
  max: 1024 * 1024,
  unit: "bytes",
  reason: "Path and query, which log lines repeat: the longest that the API reads has some 60; above it 414."
})

export const HEADERS_MILLIS = limit("HEADERS_MILLIS", 10_000, {
  unit: "milliseconds",
  reason: "How long the head of a request may take, or a new connection wait for one: one packet on any network."
})

export const REQUEST_MILLIS = limit("REQUEST_MILLIS", 30_000, {
  unit: "milliseconds",
  reason: "How long a whole request may take to arrive: 64 KiB at 2 KiB a second; slower is an attack."
})

export const KEEP_ALIVE_MILLIS = limit("KEEP_ALIVE_MILLIS", 5_000, {
  unit: "milliseconds",
  reason: "How long a connection waits for its next request; answers name it, so that clients don't use a dying one."
})

export const SILENCE_MILLIS = limit("SILENCE_MILLIS", 30_000, {
  unit: "milliseconds",
  reason: "How long a client may leave its answer unread: the answer waits in our memory."
})

export const CLOSE_GRACE_MILLIS = limit("CLOSE_GRACE_MILLIS", 500, {
  min: 0,
  max: 10_000,
  unit: "milliseconds",
  reason: "From the answer to a broken request to the end of its connection: else the answer can be lost with it."
})

export const CONNECTIONS_MAX = limit("CONNECTIONS_MAX", 10_000, {
  unit: "connections",
  reason: "Open at once; more are dropped, so that the files of the database can still be opened."
})
