/**
 * The address of the service while its start waits for the database: a supervisor that checks `/livez` does not kill
 * the process, and clients learn why they are refused. It knows no routes, because the service does not exist yet.
 */
import * as Effect from "effect/Effect"
import { createServer, type ServerResponse } from "node:http"
import { PERSISTENCE_LIMITS } from "../../config/limits/Persistence.ts"

const HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close"
}

/** Not the reason itself, which names hosts: the log and the service manager have it. */
const DETAIL = "The service is starting: it waits for its database. Its log has the reason. Retry shortly."

const answer = (response: ServerResponse, status: number, body: object, headers = {}): void => {
  response.writeHead(status, { ...HEADERS, ...headers }).end(JSON.stringify(body))
}

const RETRY = { "retry-after": String(PERSISTENCE_LIMITS.DATABASE_RETRY_AFTER_SECONDS.fallback) }

/** Listens until its scope is closed. An address that is in use is reported when the service itself listens. */
export const listen = ({ host, port }: { readonly host: string; readonly port: number }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const server = createServer((request, response) => {
        request.resume()
        if (request.url === "/livez") answer(response, 200, { status: "alive" })
        else answer(response, 503, { detail: DETAIL }, RETRY)
      })
      server.on("error", () => undefined)
      return server.listen(port, host)
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.asVoid)
