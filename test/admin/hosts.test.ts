/** The operators' commands for hosts and their images, with a daemon that replies as each case needs. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { COMMANDS } from "#service/admin/Commands"
import { serviceLayer } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { add, daemon, type Faulty, message } from "./FakeHost.ts"

describe("hosts add", () => {
  it.live("reads the capacity of the host, which is listed and can be drained", () =>
    Effect.gen(function*() {
      const { path } = yield* daemon()
      const added = yield* add(path)
      assert.deepInclude(added, {
        name: "alpha",
        state: "active",
        cpus: { used: 0, total: 16 },
        memory_mib: { used: 0, total: 7168 },
        disk_gib: { used: 0, total: 100 }
      })
      assert.deepStrictEqual(yield* COMMANDS["hosts.list"].run({}), [added])
      assert.deepInclude(yield* COMMANDS["hosts.drain"].run({ name: "alpha" }), { state: "draining" })
      assert.deepInclude(yield* COMMANDS["hosts.activate"].run({ name: "alpha" }), { state: "active" })
      assert.match(yield* message(add(path)), /Host alpha already exists/)
      assert.match(
        yield* message(COMMANDS["hosts.drain"].run({ name: "beta" })),
        /beta does not exist. Available: alpha/
      )
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live.each([
    [{ fails: { poolLookup: 49 } }, /no storage pool "default". Create it with "virsh pool-define-as default/],
    [{ poolState: 0 }, /not running. Run "virsh pool-start default"/],
    [{ fails: { filterLookup: 62 } }, /Install the package libvirt-daemon-config-nwfilter/],
    [{ fails: { nodeInfo: 38 } }, /libvirt's own text/]
  ])("says what is missing with %j, and writes nothing", ([faulty, expected]) =>
    Effect.gen(function*() {
      const { path } = yield* daemon(faulty as Faulty)
      assert.match(yield* message(add(path)), expected as RegExp)
      assert.deepStrictEqual(yield* COMMANDS["hosts.list"].run({}), [])
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live.each([
    [{ uri: "unix:/nonexistent/libvirt-sock" }, /Start the daemon/],
    [{ uri: "ssh://alpha" }, /Expected unix:\/run\/libvirt\/libvirt-sock or tls:host.internal:16514/],
    [{ uri: "tls:alpha:16514" }, /needs certificates: a folder with clientcert.pem/],
    [{ uri: "tls:alpha:16514", certificates: "/nonexistent" }, /Cannot read \/nonexistent\/clientcert.pem/],
    [{ data_center: "Atlantis" }, /Unknown data center "Atlantis"/],
    [{ name: "Alpha!" }, /lower-case letters/],
    [{ reserved_mib: 1e9 }, /has no memory left. Reserve less/]
  ])("rejects %j", ([wrong, expected]) =>
    Effect.gen(function*() {
      const { path } = yield* daemon()
      assert.match(yield* message(add(path, wrong as object)), expected as RegExp)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))
})

describe("images import", () => {
  const header = (backing: bigint) => {
    const bytes = Buffer.alloc(1_000, "x")
    bytes.write("QFI\u{fb}", 0, "latin1")
    bytes.writeBigUInt64BE(backing, 8)
    return bytes
  }

  const imported = Effect.fnUntraced(function*(content: Buffer, more: object = {}, faulty: Faulty = {}) {
    const uploaded: Array<Buffer> = []
    const { path } = yield* daemon({ uploaded, ...faulty })
    yield* add(path)
    const file = `${yield* temporaryFolder}/image`
    writeFileSync(file, content)
    const input = { name: "debian-12", file, sha256: hash("sha256", content), kind: "disk", ...more }
    return { input, upload: COMMANDS["images.import"].run(input as never), uploaded }
  })

  it.live("uploads an image whose digest is right", () =>
    Effect.gen(function*() {
      const content = header(0n)
      const { input, upload, uploaded } = yield* imported(content)
      const volume = `image-debian-12-${input.sha256.slice(0, 8)}.qcow2`
      const expected = [{ host: "alpha", name: "debian-12", kind: "disk" as const, volume, bytes: content.length }]
      assert.deepStrictEqual(yield* upload, expected)
      assert.isTrue(Buffer.concat(uploaded).equals(content))
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live("never writes to a volume that it has already", () =>
    Effect.gen(function*() {
      const stored = { content: header(0n), hasDisk: true }
      const { input, upload, uploaded } = yield* imported(header(0n), {}, { stored })
      const [row] = yield* upload
      assert.strictEqual(row!.volume, `image-debian-12-${input.sha256.slice(0, 8)}.qcow2`)
      assert.deepStrictEqual(yield* upload, [row!])
      assert.deepStrictEqual(uploaded, [])
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live("replaces what an interrupted import has left", () =>
    Effect.gen(function*() {
      const part = header(0n).subarray(0, 500)
      const left = { content: part, hasDisk: false }
      const { upload, uploaded } = yield* imported(header(0n), {}, { stored: left })
      yield* upload
      assert.isTrue(Buffer.concat(uploaded).equals(header(0n)))
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live("rejects to replace another content that disks depend on", () =>
    Effect.gen(function*() {
      const part = header(0n).subarray(0, 500)
      const used = { content: part, hasDisk: true }
      const { upload, uploaded } = yield* imported(header(0n), {}, { stored: used })
      assert.match(yield* message(upload), /disks depend on it: instance-1\.\S+qcow2\. Restore \/v from a copy/)
      assert.deepStrictEqual([used.content, uploaded], [part, []])
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live("leaves nothing of an upload that fails", () =>
    Effect.gen(function*() {
      const stored: { content: Buffer | undefined; hasDisk: boolean } = { content: undefined, hasDisk: false }
      const { upload } = yield* imported(header(0n), {}, { stored, fails: { volumeUpload: 38 } })
      assert.match(yield* message(upload), /Host alpha: volumeUpload: libvirt's own text/)
      assert.strictEqual(stored.content, undefined)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live.each([
    [header(0n), { sha256: "0".repeat(64) }, /has the SHA-256 digest [\da-f]{64}. Download it again/],
    [header(104n), {}, /has a backing file/],
    [Buffer.from("text"), {}, /not a qcow2 image. Convert it/],
    [header(0n), { file: "/nonexistent" }, /ENOENT/],
    [header(0n), { host: "beta" }, /Host beta does not exist/],
    [header(0n), { name: "../x" }, /letters, digits, dots/]
  ])("rejects others", ([content, more, expected]) =>
    Effect.gen(function*() {
      const { upload, uploaded } = yield* imported(content as Buffer, more as object)
      assert.match(yield* message(upload), expected as RegExp)
      assert.deepStrictEqual(uploaded, [])
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))
})
