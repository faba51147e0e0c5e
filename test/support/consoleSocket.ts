/** A browser's WebSocket to a console. */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { WebSocket } from "undici"
import type { PanelBrowser } from "./panel.ts"

export interface ConsoleSocket {
  /** The next so many bytes; fails when the connection ends before. */
  readonly read: (bytes: number) => Effect.Effect<Buffer>
  readonly write: (bytes: Uint8Array | string) => Effect.Effect<void>
  readonly closed: Effect.Effect<void>
}

const connected = (socket: WebSocket): ConsoleSocket => {
  let received = Buffer.alloc(0)
  let changed = Promise.withResolvers<void>()
  const state = { isOpen: true }
  const wake = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  socket.addEventListener("message", ({ data }) => {
    received = Buffer.concat([received, Buffer.from(data as ArrayBuffer)])
    wake()
  })
  socket.addEventListener("close", () => {
    state.isOpen = false
    wake()
  })
  return {
    read: (bytes) =>
      Effect.promise(async () => {
        while (received.length < bytes) {
          if (!state.isOpen) throw new Error("the console ended")
          await changed.promise
        }
        const taken = received.subarray(0, bytes)
        received = received.subarray(bytes)
        return taken
      }),
    write: (bytes) => Effect.sync(() => socket.send(bytes)),
    closed: Effect.promise(async () => {
      while (state.isOpen) await changed.promise
    })
  }
}

/** Opens a console, closed with the scope; undefined if the service refuses. */
export const openConsole = (
  { cookie, origin }: Pick<PanelBrowser, "cookie" | "origin">,
  path: string,
  from = origin
): Effect.Effect<ConsoleSocket | undefined, never, Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<WebSocket | undefined>((resolve) => {
        const headers = { origin: from, cookie: `__Host-session=${cookie}` }
        const socket = new WebSocket(`${origin.replace("http", "ws")}${path}`, { headers })
        socket.binaryType = "arraybuffer"
        socket.addEventListener("open", () => resolve(socket))
        socket.addEventListener("error", () => resolve(undefined))
      })
    ),
    (socket) => Effect.sync(() => socket?.close())
  ).pipe(Effect.map((socket) => socket && connected(socket)))

/** The response to a handshake that the service refuses. */
export const handshake = (
  { cookie, origin }: Pick<PanelBrowser, "cookie" | "origin">,
  path: string,
  from = origin
): Effect.Effect<{ readonly status: number; readonly detail: string }> =>
  Effect.promise(async () => {
    const { request } = await import("node:http")
    return new Promise((resolve, reject) => {
      const headers = {
        origin: from,
        cookie: `__Host-session=${cookie}`,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
      }
      const asked = request(`${origin}${path}`, { headers }, (response) => {
        let text = ""
        response.on("data", (chunk) => text += chunk)
        response.on("end", () => resolve({ status: response.statusCode!, detail: JSON.parse(text).detail }))
      })
      asked.on("upgrade", (response, socket) => {
        socket.destroy()
        resolve({ status: response.statusCode!, detail: "" })
      })
      asked.on("error", reject)
      asked.end()
    })
  })
