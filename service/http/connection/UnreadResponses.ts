/**
 * Bounds the memory of responses that their clients do not read. Above the bound, the connection of the response that
 * has been unread for longest is closed: a client that reads finishes before.
 */
import type { ServerResponse } from "node:http"
import type { LimitValues } from "../../config/Limits.ts"
import type { Drop } from "./DropObserver.ts"

/** Bytes. The operating system buffers smaller responses. */
const SMALL = 64 * 1024

/** Must be called with the size of each response before it is sent. */
export const boundUnread = (
  { UNREAD_BYTES_MAX }: LimitValues,
  drop: Drop
): (response: ServerResponse, bytes: number) => void => {
  const unread = new Map<ServerResponse, number>()
  let total = 0
  const release = (response: ServerResponse): void => {
    total -= unread.get(response) ?? 0
    unread.delete(response)
  }
  return (response, bytes) => {
    if (bytes < SMALL) return
    unread.set(response, bytes)
    total += bytes
    response.once("close", () => release(response))
    for (const oldest of unread.keys()) {
      if (total <= UNREAD_BYTES_MAX || oldest === response) return
      release(oldest)
      if (oldest.socket !== null) drop("unread", oldest.socket)
    }
  }
}
