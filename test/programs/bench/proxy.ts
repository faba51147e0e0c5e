/**
 * A proxy before PostgreSQL, as slow as a network: it delays every chunk, and reads the protocol to count statements,
 * round trips, and transactions that fail. A round trip is what the client sends after it has received something.
 */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** The traffic of one connection between two idle states of the server's session. */
export interface Exchange {
  statements: number
  trips: number
  /** The statements' texts, in order. */
  readonly texts: Array<string>
  /** The first error, with its statement. */
  error?: string
}

export interface Proxy {
  /** The database's URL through the proxy. */
  readonly url: string
  /** Milliseconds that each chunk takes each way. */
  delay: number
  /** Returns what has ended since the last call. */
  readonly take: () => ReadonlyArray<Exchange>
  readonly close: () => void
}

/** Sends chunks in order after the delay, which timers of whole milliseconds are too coarse for. */
const delayed = (millis: () => number, send: (chunk: Buffer) => void) => {
  const queue: Array<{ readonly due: number; readonly chunk: Buffer }> = []
  const flush = (): void => {
    while (queue.length > 0 && queue[0]!.due <= performance.now()) send(queue.shift()!.chunk)
    if (queue.length === 0) return
    const rest = queue[0]!.due - performance.now()
    if (rest >= 1) setTimeout(flush, Math.floor(rest))
    else setImmediate(flush)
  }
  return (chunk: Buffer): void => {
    if (millis() === 0 && queue.length === 0) return send(chunk)
    queue.push({ due: performance.now() + millis(), chunk })
    if (queue.length === 1) flush()
  }
}

/** Cuts a stream into messages of a type, unless `untyped`, a length, and a body. */
const messages = (untyped: () => boolean, take: (type: string, body: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const start = untyped() ? 0 : 1
      if (rest.length < start + 4) return
      const end = start + rest.readUInt32BE(start)
      if (rest.length < end) return
      take(start === 0 ? "" : String.fromCharCode(rest[0]!), rest.subarray(start + 4, end))
      rest = rest.subarray(end)
    }
  }
}

const text = (body: Buffer, from = 0): string => body.toString("utf8", from, body.indexOf(0, from))

/** Follows one session: `sent` and `received` take the chunks of the client and of the server. */
const follow = (ended: (exchange: Exchange) => void) => {
  const fresh = (): Exchange => ({ statements: 0, trips: 0, texts: [] })
  const prepared = new Map<string, string>()
  const waiting: Array<string> = []
  let [exchange, isStarted, hasHeard, syncs, executed] = [fresh(), false, true, 0, 0]
  const statement = (sql: string): void => {
    exchange.statements += 1
    exchange.texts.push(sql)
    waiting.push(sql)
  }
  const fromClient = messages(() => !isStarted, (type, body) => {
    if (type === "") isStarted = true
    else if (type === "P") prepared.set(text(body), text(body, body.indexOf(0) + 1))
    else if (type === "B") statement(prepared.get(text(body, body.indexOf(0) + 1)) ?? "?")
    else if (type === "Q") statement(text(body))
    if (type === "Q" || type === "S") syncs++
  })
  const fromServer = messages(() => false, (type, body) => {
    if (type === "C") executed++
    if (type === "E") exchange.error ??= `${/C(.{5})\0/.exec(body.toString())?.[1]} ${waiting[executed] ?? "?"}`
    if (type !== "Z") return
    // The first one ends the session's start.
    syncs = Math.max(0, syncs - 1)
    if (syncs > 0 || body.toString() !== "I") return
    if (exchange.statements > 0) ended(exchange)
    waiting.length = 0
    exchange = fresh()
    executed = 0
  })
  return {
    sent: (chunk: Buffer): void => {
      if (hasHeard && isStarted) exchange.trips += 1
      hasHeard = false
      fromClient(chunk)
    },
    received: (chunk: Buffer): void => {
      hasHeard = true
      fromServer(chunk)
    }
  }
}

/** Starts one before the database of a URL. */
export const startProxy = async (database: string): Promise<Proxy> => {
  const target = new URL(database)
  const sockets = new Set<Socket>()
  let exchanges: Array<Exchange> = []
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const { received, sent } = follow((exchange) => exchanges.push(exchange))
    const forward = delayed(() => proxy.delay, (chunk) => upstream.write(chunk))
    const back = delayed(() => proxy.delay, (chunk) => {
      received(chunk)
      client.write(chunk)
    })
    for (const [socket, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(socket.setNoDelay())
      socket.on("error", () => other.destroy()).on("close", () => other.destroy())
    }
    client.on("data", (chunk) => {
      sent(chunk)
      forward(chunk)
    })
    upstream.on("data", back)
  }).listen(0, target.hostname)
  await once(server, "listening")
  const url = new URL(database)
  url.port = String((server.address() as { port: number }).port)
  const proxy: Proxy = {
    url: url.href,
    delay: 0,
    take: () => {
      const taken = exchanges
      exchanges = []
      return taken
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
  return proxy
}
