/** Hosts: their capacity and settings, images, the name server, and how long a host may be silent. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as AdminSocket from "#service/admin/AdminSocket"
import { assert, describe, it } from "@effect/vitest"
import { hash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { COMMANDS } from "#service/admin/Commands"
import { buy, deployTime, serviceLayer } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { add, daemon, type Faulty, message } from "./FakeHost.ts"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { callService } from "#service/admin/cli/Dispatch"
import { resolve } from "#service/config/Resolve"
import { ServiceRuntime } from "#service/ServiceRuntime"
import { limitsLayer } from "../support/limits.ts"
import { Config } from "#service/config/Config"
import { KEY, startFake } from "../provisioning/rdns/FakePowerDns.ts"

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
        disk_gib: { used: 0, total: 100 },
        disk_left_gib: 99
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

describe("hosts set", () => {
  const set = (more: object) => COMMANDS["hosts.set"].run({ name: "alpha", no_backup_pool: false, ...more })
  const backups = (pool: string | null, shared: string | null) => ({ backup_pool: pool, shared_backups: shared })

  it.live("changes the pool for backups, which is shared only if that is said", () =>
    Effect.gen(function*() {
      const { path } = yield* daemon()
      assert.deepInclude(yield* add(path), backups(null, null))
      assert.deepInclude(yield* set({ backup_pool: "one" }), backups("one", null))
      assert.deepInclude(yield* set({ shared_backups: "nas" }), backups("one", "nas"))
      assert.deepInclude(yield* set({ backup_pool: "one" }), backups("one", "nas"))
      assert.deepInclude(yield* set({ backup_pool: "two" }), backups("two", null))
      assert.deepInclude(yield* set({ shared_storage: "ceph" }), { ...backups("two", null), shared_storage: "ceph" })
      assert.deepInclude(yield* set({ no_backup_pool: true }), { ...backups(null, null), shared_storage: "ceph" })
      const named = { name: "beta", backup_pool: "one", shared_backups: "nas" }
      assert.deepInclude(yield* add(path, named), backups("one", "nas"))
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live("rejects what cannot be, and changes nothing", () =>
    Effect.gen(function*() {
      const fails: Record<string, number> = {}
      const { path } = yield* daemon({ fails, volumes: ["instance-7.backup-1.qcow2", "instance-7.snapshot-1.qcow2"] })
      const rejects = <A, R>(attempt: Effect.Effect<A, { readonly message: string }, R>, expected: RegExp) =>
        Effect.map(message(attempt), (text) => assert.match(text, expected))
      yield* rejects(add(path, { shared_backups: "nas" }), /a shared --backup-pool. Give both/)
      yield* add(path, { backup_pool: "one" })
      yield* rejects(set({}), /Nothing to change/)
      yield* rejects(set({ backup_pool: "default" }), /"default" is the pool of the disks. Choose another one/)
      yield* rejects(set({ no_backup_pool: true, shared_backups: "nas" }), /excludes --backup-pool/)
      const left = /"one" of host alpha has backups of instance-7. Move their files to the new pool first/
      yield* rejects(set({ no_backup_pool: true }), left)
      yield* rejects(set({ backup_pool: "two" }), left)
      fails["volumeList"] = 55
      yield* rejects(set({ no_backup_pool: true }), /"one" of host alpha cannot be read: .* "virsh pool-undefine one"/)
      fails["poolLookup"] = 49
      yield* rejects(
        set({ backup_pool: "two" }),
        /no storage pool "two". Create it with .* --target \/var\/lib\/libvirt\/two/
      )
      assert.deepInclude((yield* COMMANDS["hosts.list"].run({}))[0]!, backups("one", null))
      assert.deepInclude(yield* set({ no_backup_pool: true }), backups(null, null), "the old pool was given up")
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))
})

/** Short, because nothing comes before its end. */
const ENVIRONMENT = { VPS_SERVICE_ADMIN_SILENCE_MILLIS: "20" }

/** The answer to a command by a service that treats connections so. */
const answerOf = Effect.fnUntraced(function*(
  onConnection: (socket: Socket) => void,
  environment: Readonly<Record<string, string>> = {}
) {
  const database = join(yield* temporaryFolder, "x.db")
  const sockets: Array<Socket> = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    onConnection(socket)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(AdminSocket.socketPath(database)), "listening")),
    () =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )
  return yield* callService(resolve(["--database", database], environment), "coupons.list", {})
})

describe("a command to a running service", () => {
  it.live("gives up after the limit of its silence, and names it", () =>
    Effect.gen(function*() {
      const { promise: closed, resolve: onClose } = Promise.withResolvers<void>()
      let accepted: Socket | undefined
      const onConnection = (socket: Socket) => void (accepted = socket.on("error", () => onClose()))
      const { message } = yield* Effect.flip(answerOf(onConnection, ENVIRONMENT))
      assert.include(message, "has not responded for 20 ms (VPS_SERVICE_ADMIN_SILENCE_MILLIS)")
      assert.include(message, "may still execute the command")
      // A client whose connection stays open does not end; this one has closed it.
      accepted!.write("late")
      yield* Effect.promise(() => closed)
    }))

  it.live("reads the result after the spaces that show that it is being executed", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answerOf((socket) => socket.end("   {\"result\":[]}\n")), [])
    }))

  it.effect("which the service sends every second", () =>
    Effect.gen(function*() {
      const database = join(yield* temporaryFolder, "x.db")
      yield* Layer.build(
        AdminSocket.layer(database).pipe(
          Layer.provide([limitsLayer(), Layer.succeed(ServiceRuntime, { run: () => Effect.never })])
        )
      )
      const socket = connect(AdminSocket.socketPath(database))
      socket.write("{\"command\":\"coupons.list\"}\n")
      let received = ""
      socket.on("data", (chunk) => received += String(chunk))
      while (received.length < 3) {
        yield* TestClock.adjust(1_000)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.match(received, /^ +$/)
      socket.destroy()
    }))
})

const nameServer = (zones: ReadonlyArray<string>) =>
  Effect.acquireRelease(Effect.promise(() => startFake(zones)), ({ close }) => Effect.promise(close))

const check = (url: string, key = KEY, repair = false) =>
  Effect.provideService(
    COMMANDS["rdns.check"].run({ repair }),
    Config,
    resolve(["--rdns", "powerdns", "--powerdns-url", url, "--rdns-domain", "static.example.test"], {
      VPS_SERVICE_POWERDNS_KEY: key
    })
  )

const addPool = (network: string, gateway: string) =>
  COMMANDS["addresses.add"].run({ network, gateway, data_center: "Helsinki" })

describe("rdns check", () => {
  it.effect("says which addresses have no zone and no record, and sets the default ones", () =>
    Effect.gen(function*() {
      const { records, url } = yield* nameServer([
        "113.0.203.in-addr.arpa.",
        "198.in-addr.arpa.",
        "8.b.d.0.1.0.0.2.ip6.arpa."
      ])
      yield* addPool("203.0.113.0/25", "203.0.113.1")
      yield* addPool("192.0.2.128/25", "192.0.2.129")
      yield* addPool("2001:db8:1::/48", "fe80::1")
      yield* addPool("2001:db9::/32", "2001:db9::1")
      yield* buy()
      yield* deployTime
      assert.deepStrictEqual(yield* check(url), [
        { check: "server", ok: true, detail: "PowerDNS 4.7.3" },
        {
          check: "zones of 192.0.2.128/25",
          ok: false,
          detail: "Addresses from 192.0.2.128 on are in no zone. Create one, for example with "
            + "\"pdnsutil create-zone 2.0.192.in-addr.arpa ns1.example.net\"."
        },
        { check: "zones of 2001:db8:1::/48", ok: true, detail: "8.b.d.0.1.0.0.2.ip6.arpa." },
        {
          check: "zones of 2001:db9::/32",
          ok: false,
          detail: "Addresses from 2001:db9:: on are in no zone. Create one, for example with "
            + "\"pdnsutil create-zone 9.b.d.0.1.0.0.2.ip6.arpa ns1.example.net\"."
        },
        { check: "zones of 203.0.113.0/25", ok: true, detail: "113.0.203.in-addr.arpa." },
        {
          check: "records",
          ok: false,
          detail: "198.18.0.1, 2001:db8:0:1::1 have no PTR record. Run this command with --repair to set the default "
            + "ones."
        }
      ])
      assert.strictEqual(records.size, 0)
      const repaired = yield* check(url, KEY, true)
      assert.deepInclude(repaired.at(-1), { ok: true, detail: "2 default records were set" })
      assert.strictEqual(records.get("1.0.18.198.in-addr.arpa."), "198-18-0-1.static.example.test.")
      assert.deepInclude((yield* check(url)).at(-1), { ok: true, detail: "2 addresses are in use" })
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.effect("says what is wrong with the server", () =>
    Effect.gen(function*() {
      const { close, url } = yield* nameServer([])
      assert.deepStrictEqual(yield* check(url, "another"), [
        { check: "server", ok: false, detail: "The name server rejected the API key." }
      ])
      yield* Effect.promise(close)
      assert.deepStrictEqual(yield* check(url), [
        { check: "server", ok: false, detail: "The name server did not respond (ECONNREFUSED)." }
      ])
      const { message } = yield* Effect.flip(
        Effect.provideService(COMMANDS["rdns.check"].run({ repair: false }), Config, resolve([], {}))
      )
      assert.match(message, /Start the service with --rdns powerdns/)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))
})
