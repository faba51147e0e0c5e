/** Streams of data, to and from the daemon. */
import type { Writable } from "node:stream"
import type { Procedure } from "./Procedures.ts"
import type { Codec } from "./Xdr.ts"

/** A procedure, independent of its arguments. */
export type Callee = Pick<Procedure<never, unknown>, "name" | "number" | "program"> & {
  readonly result: Pick<Codec<unknown>, "read">
}

interface Streaming {
  readonly stream: (procedure: Callee, serial: number, data: Buffer) => Promise<void>
  readonly endStream: (procedure: Callee, serial: number, error?: Error) => Promise<void>
}

/** Sends data in parts. A source that fails aborts the stream, and rejects the call with the source's error. */
export const sendAll = async (
  session: Streaming,
  procedure: Callee,
  serial: number,
  data: AsyncIterable<Buffer> | Iterable<Buffer>
): Promise<void> => {
  try {
    for await (const part of data) await session.stream(procedure, serial, part)
    await session.endStream(procedure, serial)
  } catch (error) {
    await session.endStream(procedure, serial, error as Error)
  }
}

/** A socket, as far as its data can be paused. */
interface Flow {
  readonly pause: () => unknown
  readonly resume: () => unknown
}

/** Writes the parts of a stream in order. The daemon waits while they are written. */
export const receiving = (into: Writable, flow: Flow, end: (error?: Error) => void): (part: Buffer) => void => {
  const failed = (error: Error) => end(error)
  into.once("error", failed)
  const finish = () => {
    into.off("error", failed)
    // One that ends does not drain any more, and the daemon's last reply is still to be read.
    flow.resume()
    into.end(() => end())
  }
  return (part) => {
    if (part.length === 0) return finish()
    // The part shares its memory with the socket's next data.
    if (into.write(Buffer.from(part))) return
    flow.pause()
    into.once("drain", () => flow.resume())
  }
}
