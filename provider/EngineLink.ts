/** Is the engine that started this process still there? After a kill -9 of `pulumi` its providers live on. */
import { connect } from "node:net"

const ADDRESS = /^(.+):(\d+)$/
/** ms; the engine is on this machine: an answer that takes longer is a busy machine, not a dead engine. */
const PATIENCE = 5_000

/**
 * Does anything listen where the engine said it does? Only a refused connection counts as gone: ending the process by
 * mistake would lose work, going on by mistake does at most one idempotent step.
 */
export const engineIsThere = (address: string | undefined): Promise<boolean> => {
  const [, host, port] = ADDRESS.exec(address ?? "") ?? []
  if (host === undefined || port === undefined) return Promise.resolve(true)
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: PATIENCE })
    const answer = (there: boolean): void => {
      socket.destroy()
      resolve(there)
    }
    socket.once("connect", () => answer(true))
    socket.once("timeout", () => answer(true))
    socket.once("error", (error: NodeJS.ErrnoException) => answer(error.code !== "ECONNREFUSED"))
  })
}
