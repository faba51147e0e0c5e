/** A name of a database that moves: open connections stay where they are, new ones go to its present target. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/** Takes a connection, as a server would. */
export type Target = (client: Socket) => void

/** The server of a URL. */
export const serverAt = (url: string): Target => (client) => {
  const server = connect(Number(new URL(url).port), "127.0.0.1")
  for (const side of [client, server]) side.on("error", () => undefined)
  client.pipe(server).pipe(client)
  client.once("close", () => void server.destroy())
  server.once("close", () => void client.destroy())
}

/** A server that refuses every session with this SQLSTATE. */
export const refusing = (code: string, message: string): Target => (client) => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(fields.length + 4, 1)
  client.on("error", () => undefined)
  // A request for TLS has eight bytes; what follows its refusal is the start of a session.
  client.on(
    "data",
    (chunk) => void (chunk.length === 8 ? client.write("N") : client.end(Buffer.concat([head, fields])))
  )
}

/** A server that closes every connection. */
export const closing: Target = (client) => void client.destroy()

/** A server that never answers. */
export const silent: Target = (client) => void client.on("error", () => undefined)

export interface MovingName {
  /** A URL with the name in the place of its server. */
  readonly in: (url: string) => string
  readonly moveTo: (target: Target) => void
}

/** Listens until the test is finished. */
export const movingName = async (first: Target): Promise<MovingName> => {
  let target = first
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    client.once("close", () => open.delete(client))
    target(client)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  onTestFinished(() => {
    server.close()
    for (const client of open) client.destroy()
  })
  return {
    in: (url) => {
      const named = new URL(url)
      named.port = String(port)
      return named.href
    },
    moveTo: (to) => {
      target = to
    }
  }
}
