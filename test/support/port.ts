/** A port for what has to come back at the same one. */
import { once } from "node:events"
import { createServer } from "node:net"

/** Free now, but not reserved. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  server.close()
  return port
}
