/** Copies of a guest whose file systems are frozen meanwhile, by QEMU's own guest agent; also after a crash. */
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"
import { Relay } from "./Relay.ts"
import { assertExactlyLike, assertLike } from "../support/like.ts"

const TIMEOUT = 200_000

describe.skipIf(noHosts !== undefined)(`frozen file systems${reason}`, () => {
  let host: Host
  let service: RealService
  let relay: Relay
  let id = 0
  let address = ""
  /** The number of the step that begins a copy. */
  let copy = 0

  beforeAll(async () => {
    host = startHost("alpha")
    service = new RealService({ VPS_SERVICE_LIBVIRT_FREEZE_MILLIS: "2000", VPS_SERVICE_AUDIT_MILLIS: "1000" })
    await service.open()
    relay = new Relay(join(service.folder, "relay"), host.socket)
    symlinkSync(relay.path, join(service.folder, "alpha"))
    await service.addHost(host, undefined, join(service.folder, "alpha"))
    id = await service.buy()
    address = (await service.settled(id)).ipv4
    const disk = "dd if=/dev/zero of=/tmp/fs bs=1M count=8 && losetup /dev/loop0 /tmp/fs && mke2fs /dev/loop0"
    const mount = "mkdir -p /mnt && mount -t ext4 /dev/loop0 /mnt"
    await service.reaches(host, address, `modprobe -a ext4 loop; (${disk} && ${mount}) > /tmp/log 2>&1; echo $?`, "0")
  }, TIMEOUT)
  afterAll(async () => {
    await service.close()
    relay.close()
    host.stop()
  })

  const inside = (command: string) => service.ssh(host, address, command).output.trim()
  const status = (): string =>
    JSON.parse(host.exec("virsh", "qemu-agent-command", service.tag(id), `{"execute":"guest-fsfreeze-status"}`)).return
  const frozenAt = () => /frozenAt[^:]*:(\w+)/.exec(host.exec("virsh", "dumpxml", "--inactive", service.tag(id)))?.[1]
  const logged = () => inside("grep -Eo 'filesystem (un)?freeze' /run/qga.log").split("\n")

  it("are frozen when a copy begins, and thawed at once", { timeout: TIMEOUT }, async () => {
    relay.reset()
    await service.act(id, "POST", "/snapshots", { name: "one" })
    copy = relay.passed.indexOf("backupBegin") + 1
    assert.deepStrictEqual(logged(), ["filesystem freeze", "filesystem unfreeze"])
    assert.deepStrictEqual([status(), frozenAt(), inside("echo x > /mnt/x && sync && echo written")], [
      "thawed",
      "null",
      "written"
    ])
  })

  /** Kills the service between the freeze and the copy. */
  const crash = async () => {
    let killed: Promise<unknown> | undefined
    for (const { id: snapshot } of (await service.call("GET", `/instances/${id}/snapshots`)).body) {
      await service.act(id, "DELETE", `/snapshots/${snapshot}`)
    }
    relay.reset()
    relay.trap = { step: copy, passes: "never", act: () => void (killed = service.process.end("SIGKILL")) }
    await service.call("POST", `/instances/${id}/snapshots`, { name: "two" }).catch(() => undefined)
    await until(() => killed, (begun) => begun !== undefined, TIMEOUT)
    await killed
    assertExactlyLike([status(), frozenAt()], ["frozen", /^\d+$/])
  }

  it("are thawed by the task that continues after a crash, and copied", { timeout: TIMEOUT }, async () => {
    await crash()
    await service.start()
    await service.settled(id)
    assert.deepStrictEqual([status(), frozenAt()], ["thawed", "null"])
    assertLike((await service.call("GET", `/instances/${id}/snapshots`)).body, [{ status: "available" }])
  })

  it("are thawed by the audit if no task continues", { timeout: TIMEOUT }, async () => {
    await crash()
    const database = new DatabaseSync(service.database)
    database.exec("UPDATE tasks SET status = 'failed', finished_at = 1 WHERE status IN ('queued', 'running')")
    database.close()
    await service.start()
    await until(status, (frozen) => frozen === "thawed", 60_000)
    await until(frozenAt, (at) => at === "null", 10_000)
    assert.include(service.process.log(), `Machine audit: frozen ${service.tag(id)} on alpha`)
    assert.strictEqual(inside("echo x > /mnt/x && sync && echo written"), "written")
  })
})
