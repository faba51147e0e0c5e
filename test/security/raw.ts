/** Bytes on a socket, as no well-behaved client would send them. */
import { connect, type Socket } from "node:net"

export interface Heard {
  /** Everything that came, until the server ended the connection. */
  readonly text: string
  /** The statuses of all answers, in their order. */
  readonly statuses: ReadonlyArray<number>
}

const opened = (port: number, host: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket))
    socket.once("error", reject)
  })

const heardFrom = (text: string): Heard => ({
  text,
  statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
})

/**
 * Sends the parts in sequence, and returns the received data once the server has closed the connection, which every
 * test with it requires. The client leaves its own side open.
 */
export const send = async (
  origin: string,
  parts: string | Buffer | ReadonlyArray<string | Buffer>,
  host = "127.0.0.1"
): Promise<Heard> => {
  const socket = await opened(Number(new URL(origin).port), host)
  let text = ""
  socket.on("data", (chunk) => text += chunk.toString("latin1"))
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  // A reset after an answer is an end like any other.
  socket.removeAllListeners("error").on("error", () => undefined)
  for (const part of Array.isArray(parts) ? parts : [parts]) socket.write(part)
  await closed
  return heardFrom(text)
}

/** Connects without sending anything by itself; `ended` resolves when the server has closed the connection. */
export const linger = async (origin: string, first = "") => {
  const socket = await opened(Number(new URL(origin).port), "127.0.0.1")
  let text = ""
  const ended = new Promise<Heard>((resolve) => socket.once("close", () => resolve(heardFrom(text))))
  socket.removeAllListeners("error").on("error", () => undefined)
  if (first !== "") socket.write(first)
  return { socket, ended, listen: () => void socket.on("data", (chunk) => text += chunk.toString("latin1")) }
}

/** The head of a request with these lines and `Host`. */
export const head = (line: string, ...headers: ReadonlyArray<string>): string =>
  [`${line} HTTP/1.1`, "Host: 127.0.0.1", ...headers, "", ""].join("\r\n")
