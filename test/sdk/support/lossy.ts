/** A proxy that can lose a response: the request reaches the service, but the connection breaks before the response. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface LossyWire {
  /** The service's base URL, through the proxy. */
  readonly baseUrl: string
  /** Loses the next response. */
  readonly loseNext: () => void
  readonly close: () => Promise<void>
}

export const startLossyWire = async (target: string): Promise<LossyWire> => {
  const { hostname, pathname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let lose = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) sockets.add(socket.on("error", () => {}))
    near.pipe(far).on("close", () => near.destroy())
    near.on("close", () => far.destroy())
    far.on("data", (chunk) => {
      if (lose === 0) return near.write(chunk)
      lose--
      near.destroy()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    loseNext: () => {
      lose++
    },
    close: async () => {
      const closed = once(server, "close")
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    }
  }
}
