/**
 * One request at a time on each connection. Node hands out what a client sends ahead (pipelining) at once; then an
 * answer that ends the connection would come too late for what stands behind it: it would be carried out, and its
 * answer thrown away (RFC 9112 §9.6 forbids that, and smuggled requests live on it).
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

interface Exchange {
  readonly socket: Socket
  readonly response: ServerResponse
}

/** Ends when the answer is out, or nobody is left to hear it. */
const over = ({ response, socket }: Exchange): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (response.writableFinished || socket.destroyed) return resume(Effect.void)
    const done = () => {
      response.off("finish", done)
      socket.off("close", done)
      resume(Effect.void)
    }
    response.once("finish", done)
    socket.once("close", done)
  })

export interface PipeliningGuard {
  /** The wait for a request's turn; undefined when nothing is before it, as nearly always. */
  readonly waitForPrevious: (request: HttpServerRequest) => Effect.Effect<void> | undefined
  /** Nothing more is read from the request's connection. */
  readonly stopReading: (request: HttpServerRequest) => void
  /** Whether the connection came to its end before the request had its turn. */
  readonly isClosed: (request: HttpServerRequest) => boolean
}

const socketOf = (request: HttpServerRequest): Socket =>
  (NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage).socket

export const make = (): PipeliningGuard => {
  const newest = new WeakMap<Socket, Exchange>()
  const ended = new WeakSet<Socket>()
  return {
    waitForPrevious: (request) => {
      const socket = socketOf(request)
      const before = newest.get(socket)
      newest.set(socket, { socket, response: NodeHttpServerRequest.toServerResponse(request) as ServerResponse })
      return before === undefined || before.response.writableFinished ? undefined : over(before)
    },
    stopReading: (request) => void ended.add(socketOf(request)),
    isClosed: (request) => {
      const socket = socketOf(request)
      return ended.has(socket) || socket.writableEnded || socket.destroyed
    }
  }
}
