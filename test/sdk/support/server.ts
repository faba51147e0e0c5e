/** A real server on loopback, for tests on sockets. Its scope closes it. */
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { makeClient } from "#sdk/client/Client"
import type { ClientOptions } from "#sdk/client/options/Options"

export interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly key: string | Array<string> | undefined
  readonly authorization: string | undefined
}

/** Starts a server that calls `behave` for each whole request. */
export const startServer = (behave: (request: IncomingMessage, response: ServerResponse, count: number) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<ReceivedRequest> = []
      const sockets = new Set<Socket>()
      const listener: RequestListener = (request, response) => {
        request.resume().on("end", () => {
          const { headers, method, url } = request
          seen.push({ method, url, key: headers["idempotency-key"], authorization: headers.authorization })
          behave(request, response, seen.length)
        })
      }
      const server = createServer(listener).on("connection", (socket) => {
        sockets.add(socket)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const { port } = server.address() as AddressInfo
      return { server, seen, sockets, baseUrl: `http://127.0.0.1:${port}/api/v1` }
    }),
    ({ server, sockets }) =>
      Effect.promise(async () => {
        const closed = once(server, "close")
        server.close()
        for (const socket of sockets) socket.destroy()
        await closed
      })
  )

/** A client that its scope closes. */
export const clientOf = (baseUrl: string, options: ClientOptions = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => makeClient({ apiKey: "key-1", baseUrl, ...options })),
    (client) => client.close
  )

export const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
