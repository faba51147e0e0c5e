/** The client of libvirt's protocol, against recorded answers and a peer that misbehaves. */
import { afterEach, assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { Writable } from "node:stream"
import { connect, type Connection, type ConnectionOptions } from "#service/provisioning/drivers/libvirt/rpc/Connection"
import { ConnectionLost, LibvirtError } from "#service/provisioning/drivers/libvirt/rpc/Faults"
import { STATUS, toBytes, TYPE } from "#service/provisioning/drivers/libvirt/rpc/Packets"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import * as Xdr from "#service/provisioning/drivers/libvirt/rpc/Xdr"
import { makeAuthority, noOpenssl } from "../../support/certificates.ts"
import { type FakeDaemon, recorded, type Respond, result, startDaemon } from "./FakeDaemon.ts"
import { assertLike } from "../../support/like.ts"

const OPTIONS: ConnectionOptions = { timeoutMillis: 10_000, keepaliveMillis: 10_000 }
const UUID = "11111111-2222-5333-8444-555555555555"
const VOLUME = { pool: "p", name: "v", key: "/v" }
const { create, destroy, hostname, list, lookup, nodeInfo, state, stats, version, volumeDownload, volumeUpload } =
  PROCEDURES

const opened: Array<{ readonly close: () => unknown }> = []

const daemon = async (...args: Parameters<typeof startDaemon>): Promise<FakeDaemon> => {
  const started = await startDaemon(...args)
  opened.push(started)
  return started
}

const client = async (
  respond: Respond,
  options: Partial<ConnectionOptions> = {},
  part?: number
): Promise<Connection> => {
  const { path } = await daemon(respond, part === undefined ? {} : { part })
  const connection = await connect({ kind: "unix", path }, { ...OPTIONS, ...options })
  opened.push(connection)
  return connection
}

const rejection = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(() => assert.fail("it succeeded"), (error: unknown) => error as Error)

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close()
})

const domain = { name: "instance-1", uuid: UUID, id: 1 }

const STEPS = new Map<number, string>(
  [version, nodeInfo, lookup, create, state, list, stats, destroy].map(({ name, number }) => [number, name])
)

const replay: Respond = (packet, reply) => {
  const step = STEPS.get(packet.procedure)
  if (step !== undefined && packet.type === TYPE.call) reply(recorded(step, packet))
}

describe("recorded answers of libvirt 9.0.0", () => {
  it.each([undefined, 1, 7])("are decoded, however they are split (%s bytes)", async (part) => {
    const events: Array<unknown> = []
    const connection = await client(replay, { onEvent: (...event) => void events.push(event) }, part)
    assert.strictEqual(await connection.call(version, []), 9_000_000)
    const [, memory, cpus] = await connection.call(nodeInfo, [])
    assert.deepStrictEqual([memory, cpus], [16_083_156, 2])
    assert.deepStrictEqual(await connection.call(create, [{ ...domain, id: -1 }, 0]), domain)
    assert.deepStrictEqual(await connection.call(state, [domain, 0]), [1, 1])
    assert.deepStrictEqual(await connection.call(list, [1, 0]), [[domain], 1])
    const [one] = await connection.call(stats, [[], 0, 0])
    assert.deepStrictEqual(one!.domain, domain)
    const names = one!.parameters.map(({ name }) => name)
    assert.includeMembers(names, ["cpu.time", "balloon.current"])
    assert.deepInclude(events, ["lifecycle", domain, [2, 0]])
  })

  it("reject a call with libvirt's number and text", async () => {
    const connection = await client(replay)
    const error = await rejection(connection.call(lookup, [UUID]))
    assert.instanceOf(error, LibvirtError)
    assertLike(error, { code: 42, procedure: "lookup" })
    assert.include(error.message, "no domain with matching uuid")
  })
})

describe("a connection", () => {
  it("says what to do when nothing listens", async () => {
    const error = await rejection(connect({ kind: "unix", path: "/nonexistent/libvirt-sock" }, OPTIONS))
    assert.instanceOf(error, ConnectionLost)
    assert.match(error.message, /\/nonexistent\/libvirt-sock.*systemctl start libvirtd/)
  })

  it("fails its calls when the daemon dies, and all later ones", async () => {
    const connection = await client((_, __, socket) => void socket.destroy())
    assert.instanceOf(await rejection(connection.call(hostname, [])), ConnectionLost)
    assert.isFalse(connection.isOpen())
    assert.instanceOf(await rejection(connection.call(hostname, [])), ConnectionLost)
  })

  it("gives up a call at its deadline, ignores the late reply, and remains usable", async () => {
    const late: Array<() => void> = []
    const connection = await client((packet, reply) => {
      if (packet.procedure === version.number) late.push(() => reply(result(version, packet, 1)))
      else reply(result(hostname, packet, "alpha"))
    })
    const error = await rejection(connection.call(version, [], 20))
    assert.instanceOf(error, ConnectionLost)
    assert.strictEqual(error.message, "version: libvirt did not answer within 20 ms.")
    for (const each of late) each()
    assert.strictEqual(await connection.call(hostname, []), "alpha")
  })

  it("is lost when the daemon is frozen: three checks have no answer", async () => {
    const connection = await client(() => {}, { keepaliveMillis: 10 })
    const error = await rejection(connection.call(hostname, []))
    assert.include(error.message, "the daemon does not answer")
  })

  it("replies to the daemon's own checks", async () => {
    const PING = { program: 0x6b656570, procedure: 1, type: TYPE.message, serial: 0, status: STATUS.ok }
    const answered = Promise.withResolvers<number>()
    const connection = await client((packet, reply) => {
      if (packet.program === PING.program) answered.resolve(packet.procedure)
      else reply(Buffer.concat([toBytes(PING, Buffer.alloc(0)), result(hostname, packet, "alpha")]))
    })
    await connection.call(hostname, [])
    assert.strictEqual(await answered.promise, 2)
  })

  it.each([
    ["text", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"), "not a libvirt daemon"],
    ["a truncated reply", undefined, "its reply cannot be read"]
  ])("rejects a peer that sends %s", async (_, bytes, message) => {
    const { path } = await daemon((packet, reply) => {
      const short = toBytes({ ...packet, type: TYPE.reply, status: STATUS.error }, Buffer.alloc(3))
      reply(bytes ?? short)
    }, { raw: true })
    const error = await rejection(connect({ kind: "unix", path }, OPTIONS))
    assert.instanceOf(error, ConnectionLost)
    assert.include(error.message, message)
  })
})

describe("a download", () => {
  /** The daemon's threads may send the first part before the reply to the call. */
  const early: Respond = (packet, reply) => {
    const part = (text: string) =>
      reply(toBytes({ ...packet, type: TYPE.stream, status: STATUS.continue }, Buffer.from(text)))
    if (packet.type === TYPE.call) {
      part("first, ")
      reply(toBytes({ ...packet, type: TYPE.reply }, Buffer.alloc(0)))
      part("second")
      part("")
    } else if (packet.type === TYPE.stream) reply(toBytes({ ...packet, status: STATUS.ok }, Buffer.alloc(0)))
  }

  it("has the parts that arrive before the reply to its call", async () => {
    const connection = await client((packet, reply, socket) =>
      (packet.procedure === volumeDownload.number ? early : replay)(packet, reply, socket)
    )
    const received: Array<Buffer> = []
    const into = new Writable({ write: (part: Buffer, _, next) => (received.push(part), next()) })
    await connection.download(volumeDownload, [VOLUME, 0, 0, 0], into, 10_000)
    assert.strictEqual(Buffer.concat(received).toString(), "first, second")
  })
})

describe("an upload", () => {
  /** Receives a stream, and ends it like the daemon does. */
  const receiving = (received: Array<Buffer>, status: Array<number> = []): Respond => (packet, reply) => {
    const answer = (type: number) => reply(toBytes({ ...packet, type, status: STATUS.ok }, Buffer.alloc(0)))
    if (packet.type === TYPE.call) return answer(TYPE.reply)
    status.push(packet.status)
    if (packet.status === STATUS.continue) received.push(Buffer.from(packet.body))
    else if (packet.status === STATUS.ok) answer(TYPE.stream)
  }

  it("sends all data in packets that the daemon accepts", async () => {
    const received: Array<Buffer> = []
    const connection = await client(receiving(received))
    const data = Buffer.alloc(600_000, "abc")
    await connection.upload(volumeUpload, [VOLUME, 0, data.length, 0], [data, Buffer.from("end")], 10_000)
    assert.isTrue(Buffer.concat(received).equals(Buffer.concat([data, Buffer.from("end")])))
    assert.isAtMost(Math.max(...received.map(({ length }) => length)), 262_000)
  })

  it("is aborted when its source fails, and rejects with that error", async () => {
    const status: Array<number> = []
    const connection = await client(receiving([], status))
    const failing = async function*() {
      yield Buffer.from("a")
      throw new Error("the file cannot be read")
    }
    const error = await rejection(connection.upload(volumeUpload, [VOLUME, 0, 1, 0], failing(), 10_000))
    assert.strictEqual(error.message, "the file cannot be read")
    await connection.call(hostname, [], 20).catch(() => {})
    assert.include(status, STATUS.error)
  })

  it("stops when the daemon rejects it in the middle", async () => {
    const connection = await client((packet, reply) => {
      if (packet.type === TYPE.call) return reply(toBytes({ ...packet, type: TYPE.reply }, Buffer.alloc(0)))
      const error = recorded("lookup", packet)
      const [body] = [error.subarray(28)]
      reply(toBytes({ ...packet, type: TYPE.stream, status: STATUS.error }, body))
    })
    const parts = Array.from({ length: 50 }, () => Buffer.alloc(100_000))
    const error = await rejection(connection.upload(volumeUpload, [VOLUME, 0, 1, 0], parts, 10_000))
    assert.instanceOf(error, LibvirtError)
  })
})

describe.skipIf(noOpenssl)("TLS (needs openssl)", () => {
  const certified = (accepts: boolean, name = "DNS:localhost") => {
    const authority = makeAuthority("fleet")
    opened.push({ close: authority.remove })
    const server = { ...authority.sign("alpha", name), authority: authority.cert, accepts }
    const { cert, key } = authority.sign("service")
    const read = (path: string) => readFileSync(path, "utf8")
    return { server, credentials: { certificate: read(cert), key: read(key), authority: read(authority.cert) } }
  }

  it("is used once the daemon accepts the certificate", async () => {
    const { credentials, server } = certified(true)
    const { port } = await daemon(replay, { tls: server })
    const connection = await connect({ kind: "tls", host: "localhost", port, credentials }, OPTIONS)
    opened.push(connection)
    assert.strictEqual(await connection.call(version, []), 9_000_000)
  })

  it("says that the daemon rejects the certificate", async () => {
    const { credentials, server } = certified(false)
    const { port } = await daemon(replay, { tls: server })
    const error = await rejection(connect({ kind: "tls", host: "localhost", port, credentials }, OPTIONS))
    assert.include(error.message, "tls_allowed_dn_list")
  })

  it("rejects a daemon whose certificate is for another host", async () => {
    const { credentials, server } = certified(true, "DNS:elsewhere")
    const { port } = await daemon(replay, { tls: server })
    const error = await rejection(connect({ kind: "tls", host: "localhost", port, credentials }, OPTIONS))
    assert.include(error.message, "ERR_TLS_CERT_ALTNAME_INVALID")
  })

  it("rejects a daemon that another authority signed", async () => {
    const { credentials } = certified(true)
    const { port } = await daemon(replay, { tls: certified(true).server })
    const error = await rejection(connect({ kind: "tls", host: "localhost", port, credentials }, OPTIONS))
    assert.instanceOf(error, ConnectionLost)
    assert.include(error.message, "Check both certificates")
  })
})

describe("XDR", () => {
  it("reads back what it writes", () => {
    const all = Xdr.struct({
      int: Xdr.int,
      big: Xdr.uhyper,
      text: Xdr.optional(Xdr.string),
      bytes: Xdr.array(Xdr.opaque),
      uuid: Xdr.uuid
    })
    const values = fc.record({
      int: fc.integer(),
      big: fc.maxSafeNat(),
      text: fc.option(fc.string({ unit: "grapheme" })),
      bytes: fc.array(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
      uuid: fc.uuid()
    })
    fc.assert(fc.property(values, (value) => {
      const bytes = Xdr.encode(all, value)
      assert.strictEqual(bytes.length % 4, 0)
      assert.deepStrictEqual(Xdr.decode(all, bytes), value)
    }))
  })

  it.each(["00000001", "ffffffff", "00000002000000", "7fffffff00000000"])("rejects %s as an array of texts", (hex) => {
    assert.throws(() => Xdr.decode(Xdr.array(Xdr.string), Buffer.from(hex, "hex")), Xdr.Malformed)
  })
})
