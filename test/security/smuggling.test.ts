/**
 * Requests whose end two parsers could find in different places: the bytes after our end must never be executed as a
 * request, because a proxy in front may have treated them as part of another client's body.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { head } from "./raw.ts"
import { startTarget, type Target } from "./target.ts"

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.service.end())

const JSON_TYPE = "Content-Type: application/json"
const BODY = "{\"service_id\":1}"
const LENGTH = `Content-Length: ${BODY.length}`
const CHUNKED = "Transfer-Encoding: chunked"
const CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
const EMPTY = "0\r\n\r\n"

/** A request that changes nothing, framed by these headers. */
const preview = (...framing: ReadonlyArray<string>) => (key: string) =>
  head("POST /api/v1/instances?dry_run=true", key, JSON_TYPE, ...framing)

/** A purchase that must not be executed. */
const smuggled = (key: string) => head("POST /api/v1/instances", key, JSON_TYPE, LENGTH) + BODY

type Row = readonly [name: string, status: number, framed: (key: string) => string, body: string]

const LENGTHS: ReadonlyArray<Row> = [
  ["two lengths that differ", 400, preview(LENGTH, `Content-Length: ${BODY.length + 1}`), BODY],
  ["two lengths that agree", 400, preview(LENGTH, LENGTH), BODY],
  ["a list of lengths", 400, preview(`${LENGTH}, ${BODY.length}`), BODY],
  ...["+16", "-1", "0x10", "1e1", "16.0", "", "99999999999999999999"].map((value): Row => [
    `the length "${value}"`,
    400,
    preview(`Content-Length: ${value}`),
    BODY
  ]),
  ["a blank before the colon of a length", 400, preview(`Content-Length : ${BODY.length}`), BODY],
  ["a length and chunks", 400, preview(LENGTH, CHUNKED), EMPTY],
  ["chunks and a length", 400, preview(CHUNKED, "Content-Length: 4"), CHUNKS]
]

const CODINGS: ReadonlyArray<Row> = [
  ...["identity", "xchunked", "gzip, chunked", "chunked2"].map((value): Row => [
    `the coding "${value}"`,
    501,
    preview(`Transfer-Encoding: ${value}`),
    EMPTY
  ]),
  ...["chunked, identity", "\u000bchunked", "chunked, chunked"].map((value): Row => [
    `the coding ${JSON.stringify(value)}`,
    400,
    preview(`Transfer-Encoding: ${value}`),
    EMPTY
  ]),
  ["chunked twice", 400, preview(CHUNKED, CHUNKED), EMPTY],
  ["chunked, then another coding", 400, preview(CHUNKED, "Transfer-Encoding: identity"), EMPTY],
  ["a blank before the colon of a coding", 400, preview("Transfer-Encoding : chunked"), EMPTY],
  ["a coding on a folded line", 400, preview("Transfer-Encoding:\r\n chunked", LENGTH), BODY],
  ["a folded line", 400, preview("X-Note: a\r\n b", LENGTH), BODY]
]

const CHUNK_FORMS: ReadonlyArray<Row> = [
  ["a chunk of no size", 400, preview(CHUNKED), `zz\r\n${BODY}\r\n${EMPTY}`],
  ["a chunk of negative size", 400, preview(CHUNKED), `-1\r\n${BODY}\r\n${EMPTY}`],
  ["a chunk of 17 digits", 400, preview(CHUNKED), `fffffffffffffffff\r\n${BODY}\r\n${EMPTY}`],
  ["a chunk that is longer than it says", 400, preview(CHUNKED), `5\r\n${BODY}\r\n${EMPTY}`],
  ["chunks that end in bare line feeds", 400, preview(CHUNKED), CHUNKS.replaceAll("\r\n", "\n")],
  ["a chunk with 40,000 bytes of extensions", 413, preview(CHUNKED), `10;${"a".repeat(40_000)}\r\n${BODY}\r\n${EMPTY}`]
]

const bareFeeds = (key: string) => preview(LENGTH)(key).replaceAll("\r\n", "\n")

const HEADS: ReadonlyArray<Row> = [
  ["bare line feeds", 400, bareFeeds, BODY],
  ["one bare line feed", 400, preview(`X-Note: a\n${CHUNKED}`, LENGTH), BODY],
  ["a bare carriage return", 400, preview(`X-Note: a\r${CHUNKED}`, LENGTH), BODY],
  ["a NUL in a header", 400, preview("X-Note: a\0b", LENGTH), BODY],
  ["a blank in a header's name", 400, preview("X Note: a", LENGTH), BODY],
  ["no host", 400, (key) => preview(LENGTH)(key).replace("Host: 127.0.0.1\r\n", ""), BODY],
  ["two hosts", 400, preview("Host: evil.example", LENGTH), BODY],
  ["two keys", 400, preview("authorization: Bearer x", LENGTH), BODY],
  ["two content types", 400, preview("content-type: text/plain", LENGTH), BODY],
  ["HTTP/0.9", 505, () => "GET /api/v1\r\n\r\n", ""],
  ["HTTP/2.0 in clear", 505, (key) => preview(LENGTH)(key).replace("HTTP/1.1", "HTTP/2.0"), BODY],
  ["HTTP/9.9", 400, (key) => preview(LENGTH)(key).replace("HTTP/1.1", "HTTP/9.9"), BODY],
  ["an expectation", 417, preview("Expect: magic", LENGTH), BODY],
  ["an unknown method", 400, (key) => head("BUY /api/v1/instances", key), ""],
  ["a tunnel", 405, () => "CONNECT db.internal:5432 HTTP/1.1\r\nHost: db.internal:5432\r\n\r\n", ""]
]

describe("a request that two readers could read differently", () => {
  it.each([...LENGTHS, ...CODINGS, ...CHUNK_FORMS, ...HEADS])(
    "%s: %i, and no request after it is executed",
    async (_, status, framed, body) => {
      const before = await target.bought()
      const heard = await target.send(framed(target.key) + body + smuggled(target.key))
      assert.deepStrictEqual(heard.statuses, [status])
      assert.include(heard.text, "{\"detail\":")
      assert.match(heard.text, /\r\nconnection: close\r\n/i)
      assert.strictEqual(await target.bought(), before)
    }
  )

  it("bytes that are not a request get one response", async () => {
    for (
      const noise of ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Buffer.from("16030100a5010000a10303", "hex"), "\0\0\0\0"]
    ) {
      assert.deepStrictEqual((await target.send(noise)).statuses, [400])
    }
  })
})

describe("requests that are sent ahead", () => {
  const whoami = (key: string, ...more: ReadonlyArray<string>) => head("GET /api/v1/whoami", key, ...more)

  it("are answered in their order", async () => {
    const { key } = target
    const { statuses } = await target.send(
      whoami(key) + head("GET /api/v1/nothing", key) + preview(CHUNKED)(key) + CHUNKS + whoami(key, "Connection: close")
    )
    assert.deepStrictEqual(statuses, [200, 404, 200, 200])
  })

  it("are executed in sequence: each observes the effects of the previous one", async () => {
    const { key } = target
    const before = await target.bought()
    const { text } = await target.send(
      smuggled(key) + head("GET /api/v1/instances", key) + smuggled(key)
        + head("GET /api/v1/instances", key, "Connection: close")
    )
    const counts = text.split("HTTP/1.1 ").filter((answer) => answer.startsWith("200")).map((answer) =>
      answer.split("\"order_id\"").length - 1
    )
    assert.deepStrictEqual(counts.map((count) => count - before), [1, 2])
  })

  it.each([
    ["that ends the connection", (key: string) => whoami(key, "Connection: close"), [200]],
    ["of HTTP/1.0", (key: string) => whoami(key).replace("HTTP/1.1", "HTTP/1.0"), [200]],
    ["with a body that is too large", (key: string) => preview("Content-Length: 70000")(key) + "x".repeat(70_000), [
      413
    ]]
  ])("are not executed after a request %s", async (_, first, expected) => {
    const before = await target.bought()
    const { statuses } = await target.send(first(target.key) + smuggled(target.key))
    assert.deepStrictEqual(statuses, expected)
    assert.strictEqual(await target.bought(), before)
  })

  it("a broken one does not change the answer to the one before it", async () => {
    const before = await target.bought()
    const { statuses } = await target.send(smuggled(target.key) + "NONSENSE\r\n\r\n" + smuggled(target.key))
    assert.deepStrictEqual(statuses, [201])
    assert.strictEqual(await target.bought(), before + 1)
  })

  it("an upgrade to another protocol is ignored, and the connection closes after the response", async () => {
    const upgrade = ["Connection: Upgrade", "Upgrade: h2c"]
    const before = await target.bought()
    const { statuses } = await target.send(preview(LENGTH, ...upgrade)(target.key) + BODY + smuggled(target.key))
    assert.deepStrictEqual(statuses, [200])
    assert.strictEqual(await target.bought(), before)
  })
})
