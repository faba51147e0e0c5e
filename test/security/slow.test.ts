/** Slow and endless clients: each is disconnected, and other clients do not wait for them. */
import { once } from "node:events"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { head, linger } from "./raw.ts"
import { startTarget, type Target } from "./target.ts"
import { startServiceWith } from "../support/serviceProcess.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { BODY_BYTES_MAX, HEADERS_MILLIS, KEEP_ALIVE_MILLIS, REQUEST_MILLIS, SILENCE_MILLIS } = DEFAULT_LIMITS

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.service.end())

const JSON_TYPE = "Content-Type: application/json"

/** Sends one byte after the other for as long as the connection is open. */
const drip = (socket: { destroyed: boolean; write: (text: string, done: () => void) => unknown }): void => {
  if (!socket.destroyed) socket.write("a", () => setImmediate(() => drip(socket)))
}

/** Requests more than all buffers on the way can hold, and reads none of it. */
const deaf = async (origin: string) => {
  const { ended, socket } = await linger(origin)
  const begun = once(socket, "data")
  for (let count = 0; count < 4; count++) socket.write(head("GET /docs/reference.js"))
  await begun
  socket.pause()
  // Without reading, only a write error reveals that the other end has closed: so it keeps writing.
  drip(socket)
  return { ended }
}

describe("a client that takes its time", () => {
  it("with its first byte is disconnected", async () => {
    const { ended, listen } = await linger(target.service.origin)
    listen()
    assert.deepStrictEqual((await ended).statuses, [408])
  })

  it.each([
    ["the request line", () => "GET /api/v1/wh"],
    ["the headers, one at a time", () => "GET /api/v1/whoami HTTP/1.1\r\nHost: x\r\nX-A: "]
  ])("with %s is answered 408", async (_, begun) => {
    const { ended, listen, socket } = await linger(target.service.origin, begun())
    listen()
    socket.write("b")
    assert.deepStrictEqual((await ended).statuses, [408])
  })

  it.each([
    ["a body of known length", "Content-Length: 60000", "{\"service_id\":"],
    ["the chunks of a body", "Transfer-Encoding: chunked", "5\r\n{\"ser"]
  ])("with %s is answered 408", async (_, framing, begun) => {
    const request = head("POST /api/v1/instances", target.key, JSON_TYPE, framing)
    const { ended, listen } = await linger(target.service.origin, request + begun)
    listen()
    assert.deepStrictEqual((await ended).statuses, [408])
    assert.isTrue(await target.isWell())
  })

  it("between two requests is disconnected", async () => {
    const { ended, listen } = await linger(target.service.origin, head("GET /api/v1/whoami", target.key))
    listen()
    const heard = await ended
    assert.deepStrictEqual(heard.statuses, [200])
    assert.match(heard.text, /\r\nkeep-alive: timeout=/i)
  })

  it("with reading the responses is disconnected", async () => {
    const { ended } = await deaf(target.service.origin)
    await ended
    assert.isTrue(await target.isWell())
  })

  it("with reading the responses does not delay the shutdown", async () => {
    const service = await startServiceWith({ env: { VPS_SERVICE_SHUTDOWN_MILLIS: "50" } }, ["--emulator"])
    const { ended } = await deaf(service.origin)
    assert.strictEqual(await service.end(), 0)
    await ended
  })

  it("does not affect others, even in large numbers", async () => {
    const slow = await Promise.all(
      Array.from({ length: 300 }, () => linger(target.service.origin, "GET /api/v1/whoami HTTP/1.1\r\nHost: x\r\n"))
    )
    assert.isTrue(await target.isWell())
    const heard = await Promise.all(slow.map(({ ended, listen }) => {
      listen()
      return ended
    }))
    for (const { statuses } of heard) assert.deepStrictEqual(statuses, [408])
  })

  it("may wait for the service: only a client that does not read or write is slow", async () => {
    const fault = { operation: "account.whoami", latency_ms: 900 }
    const headers = { "content-type": "application/json" }
    const faults = `${target.service.origin}/_emulator/faults`
    await fetch(faults, { method: "POST", headers, body: JSON.stringify(fault) })
    assert.isTrue(await target.isWell())
    await fetch(faults, { method: "DELETE" })
  })
})

describe("a body that never ends", () => {
  const chunk = `1000\r\n${"x".repeat(0x1000)}\r\n`

  it.each([
    ["in chunks", (key: string) => head("POST /api/v1/instances", key, JSON_TYPE, "Transfer-Encoding: chunked"), 413],
    [
      "of a length that is a lie",
      (key: string) => head("POST /api/v1/instances", key, JSON_TYPE, "Content-Length: 9007199254740991"),
      413
    ],
    ["from a stranger", () => head("POST /api/v1/instances", JSON_TYPE, "Transfer-Encoding: chunked"), 401]
  ])("%s gets a response, and its connection ends though the client continues", async (_, request, status) => {
    const { ended, listen, socket } = await linger(target.service.origin, request(target.key))
    listen()
    const flood = (): void => {
      if (!socket.destroyed) socket.write(chunk, () => setImmediate(flood))
    }
    flood()
    assert.deepStrictEqual((await ended).statuses, [status])
    // The amount that the service accepts before it closes is bounded, not the amount that the client would send.
    assert.isBelow(socket.bytesWritten, 64 * 1024 * 1024)
  })

  it("has a limit of 64 KiB", () => assert.strictEqual(BODY_BYTES_MAX, 64 * 1024))
})

describe("the default limits", () => {
  it("allow slow networks, but not deliberate delays", () => {
    assert.isAtMost(HEADERS_MILLIS, REQUEST_MILLIS)
    for (const millis of [HEADERS_MILLIS, REQUEST_MILLIS, SILENCE_MILLIS]) {
      assert.isAtLeast(millis, 5_000)
      assert.isAtMost(millis, 60_000)
    }
    // Proxies keep an idle connection for 60 s: one that the service closes earlier is a sporadic 502.
    assert.isAbove(KEEP_ALIVE_MILLIS, 60_000)
    assert.isAtMost(KEEP_ALIVE_MILLIS, 120_000)
  })
})
