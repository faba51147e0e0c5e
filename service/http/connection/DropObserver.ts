/** Reports what the server drops to protect other clients. */
import * as Context from "effect/Context"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { bare } from "../../config/Networks.ts"

export const DROP_REASONS = {
  address: "more connections than one address may open",
  connections: "more connections than the service accepts",
  pipelining: "more requests waiting on connections than the service holds",
  unread: "more unread responses than the service holds"
}

export type DropReason = keyof typeof DROP_REASONS

/** Must be cheap and synchronous, because a flood causes many. */
export type ObserveDrop = (reason: DropReason, address: string) => void

export class DropObserver extends Context.Reference<ObserveDrop>("pulumi-vps/service/http/DropObserver", {
  defaultValue: () => () => undefined
}) {}

/** The address at the other end of a connection; empty if it is gone. */
export const addressOf = (socket: Duplex): string =>
  socket instanceof Socket ? bare(socket.remoteAddress ?? "") ?? "" : ""

/** Closes a connection without a response. */
export type Drop = (reason: DropReason, socket: Duplex) => void

export const makeDrop = (observe: ObserveDrop): Drop => (reason, socket) => {
  observe(reason, addressOf(socket))
  socket.destroy()
}
