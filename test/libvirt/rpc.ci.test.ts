/** The client of libvirt's protocol against a real daemon. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { connect, type Connection } from "#service/provisioning/drivers/libvirt/rpc/Connection"
import { ConnectionLost, LibvirtError } from "#service/provisioning/drivers/libvirt/rpc/Faults"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { assertLike } from "../support/like.ts"
import { until } from "../support/until.ts"

const UUID = "11111111-2222-5333-8444-555555555555"
const OPTIONS = { timeoutMillis: 20_000, keepaliveMillis: 1_000 }

const DOMAIN = `<domain type="qemu"><name>instance-1</name><uuid>${UUID}</uuid><memory unit="MiB">64</memory>
  <vcpu>1</vcpu><os><type arch="x86_64" machine="pc">hvm</type></os>
  <devices><emulator>/usr/bin/qemu-system-x86_64</emulator></devices></domain>`

const rejection = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(() => assert.fail("it succeeded"), (error: unknown) => error as Error)

describe.skipIf(noHosts !== undefined)(`libvirt's daemon${reason}`, () => {
  let host: Host
  beforeAll(() => {
    host = startHost("alpha")
  })
  afterAll(() => host.stop())

  const using = async (use: (connection: Connection, events: Array<unknown>) => Promise<void>): Promise<void> => {
    const events: Array<unknown> = []
    const onEvent = (name: string, { uuid }: { uuid: string }, details: ReadonlyArray<unknown>) =>
      void events.push([name, uuid, ...details])
    const connection = await connect({ kind: "unix", path: host.socket }, { ...OPTIONS, onEvent })
    try {
      await use(connection, events)
    } finally {
      connection.close()
    }
  }

  it("replies to calls, rejects with numbers, and sends events", () =>
    using(async ({ call }, events) => {
      assert.isAtLeast(await call(PROCEDURES.version, []), 7_000_000)
      assert.strictEqual(await call(PROCEDURES.hostname, []), "alpha")
      assertLike(await rejection(call(PROCEDURES.lookup, [UUID])), { code: 42 })
      assert.instanceOf(await rejection(call(PROCEDURES.define, ["<domain", 0])), LibvirtError)
      const domain = await call(PROCEDURES.create, [await call(PROCEDURES.define, [DOMAIN, 0]), 0])
      assert.deepStrictEqual(await call(PROCEDURES.state, [domain, 0]), [1, 1])
      const [one] = await call(PROCEDURES.stats, [[domain], 2, 0])
      assert.isAbove(Number(one!.parameters.find(({ name }) => name === "cpu.time")!.value), 0)
      await call(PROCEDURES.destroy, [domain, 0])
      await call(PROCEDURES.undefine, [domain, 1])
      assert.deepInclude(events, ["lifecycle", UUID, 2, 0])
    }))

  it("stores an upload in a volume", () =>
    using(async ({ call, upload }) => {
      const path = host.folder
      const xml = `<pool type="dir"><name>p</name><target><path>${path}/images</path></target></pool>`
      const pool = await call(PROCEDURES.poolCreate, [xml, 0])
      const data = Buffer.alloc(3_000_000, "content ")
      const volume = await call(PROCEDURES.volumeCreate, [
        pool,
        `<volume><name>v</name><capacity>${data.length}</capacity><target><format type="raw"/></target></volume>`,
        0
      ])
      await upload(PROCEDURES.volumeUpload, [volume, 0, data.length, 0], [data], 20_000)
      assert.include(host.exec("sha256sum", volume.key), (await import("node:crypto")).hash("sha256", data))
      await call(PROCEDURES.volumeDelete, [volume, 0])
    }))

  it("is lost when the daemon is killed, and another connection finds the machine running", async () => {
    await using(async ({ call, isOpen }) => {
      await call(PROCEDURES.create, [await call(PROCEDURES.define, [DOMAIN, 0]), 0])
      host.killDaemon()
      assert.instanceOf(await rejection(call(PROCEDURES.hostname, [])), ConnectionLost)
      assert.isFalse(isOpen())
    })
    const reconnected = () =>
      using(async ({ call }) => void (await call(PROCEDURES.hostname, []))).then(() => true, () => false)
    await until(reconnected, Boolean, { millis: 20_000 })
    await using(async ({ call }) => {
      const domain = await call(PROCEDURES.lookup, [UUID])
      const [state] = await call(PROCEDURES.state, [domain, 0])
      assert.strictEqual(state, 1)
      // While the daemon reconnects to the machine, it may find that the machine is gone before this call returns.
      await call(PROCEDURES.destroy, [domain, 0]).catch(() => {})
      await call(PROCEDURES.undefine, [domain, 1])
    })
  })

  it("is lost when the daemon is frozen", async () => {
    await using(async ({ call }) => {
      const pid = host.daemonPid()
      process.kill(pid, "SIGSTOP")
      try {
        const error = await rejection(call(PROCEDURES.hostname, []))
        assert.include(error.message, "the daemon does not answer")
      } finally {
        process.kill(pid, "SIGCONT")
      }
    })
  })
})
