/**
 * Handles one request at a time on each connection. Node emits pipelined requests at once, so a response that closes
 * the connection would come too late for those behind it: they would be executed and their responses discarded.
 * RFC 9112 §9.6 forbids that, and request smuggling depends on it.
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

/** Completes when the response is sent, or the client is gone. */
const finished = ({ response, socket }: Exchange): Effect.Effect<void> =>
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
  /** Waits for the previous request of the connection; undefined if there is none in progress, as nearly always. */
  readonly waitForPrevious: (request: HttpServerRequest) => Effect.Effect<void> | undefined
  /** Nothing more is read from the request's connection. */
  readonly stopReading: (request: HttpServerRequest) => void
  /** True if the connection was closed before the request could be handled. */
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
      const previous = newest.get(socket)
      newest.set(socket, { socket, response: NodeHttpServerRequest.toServerResponse(request) as ServerResponse })
      return previous === undefined || previous.response.writableFinished ? undefined : finished(previous)
    },
    stopReading: (request) => void ended.add(socketOf(request)),
    isClosed: (request) => {
      const socket = socketOf(request)
      return ended.has(socket) || socket.writableEnded || socket.destroyed
    }
  }
}
