/** A pool without space, before and in the middle of operations: they wait or fail, and nothing is left of them. */
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"
import { Relay } from "./Relay.ts"
import { assertLike, containing } from "../support/like.ts"

const TIMEOUT = 300_000
const WAIT = 60_000
const POOL = "/run/small"
const BACKUPS = "/run/backups"

describe.skipIf(noHosts !== undefined)(`in a pool that is full${reason}`, () => {
  let host: Host
  let service: RealService
  let relay: Relay
  let id = 0
  let address = ""

  beforeAll(async () => {
    host = startHost("alpha")
    service = new RealService({
      VPS_SERVICE_LIBVIRT_POOL_RESERVE_MIB: "16",
      VPS_SERVICE_PROVISION_PATIENCE_MILLIS: "15000"
    })
    await service.open()
    host.exec("bash", "-ec", `mkdir ${POOL} && mount -t tmpfs -o size=4g tmpfs ${POOL}`)
    relay = new Relay(join(service.folder, "relay"), host.socket)
    await service.addHost(host, { folder: POOL }, relay.path)
    // Two instances are sold, and memory is not wasted on the filler.
    host.exec("mount", "-o", "remount,size=256m", POOL)
    id = await service.buy()
    address = (await service.settled(id)).ipv4
  }, TIMEOUT)
  afterAll(async () => {
    await service.close()
    relay.close()
    host.stop()
  })

  const free = (pool = POOL) => host.exec("rm", "-f", `${pool}/filler`)
  /** Leaves this much space. */
  const fill = (mib: number, pool = POOL) => {
    free(pool)
    const script = `left=$(df --output=avail -B1 ${pool} | tail -1)
      fallocate -l $((left - ${mib} * 1048576)) ${pool}/filler`
    host.exec("bash", "-ec", script)
  }
  const volumes = () => host.exec("virsh", "vol-list", "default").match(/instance-\S+(?= )/g)
  const qemu = () => host.exec("pgrep", "-x", "qemu-system-x86")
  const audit = async () => (await service.admin("machines.audit", { repair: false })).map(({ kind }) => kind)
  const snapshots = async () => (await service.call("GET", `/instances/${id}/snapshots`)).body
  const wallet = async () =>
    (await service.admin("wallet.statement", { account_id: 1, limit: 100 })).reduce(
      (sum, { amount }) => sum + amount,
      0
    )
  const failureOf = async (instance: number, type: string) =>
    (await service.ended(instance)).find((task) => task.type === type)
  const waits =
    /snapshot_create of instance-\S+ waits for space on host alpha: The storage pool \W+default\W+ has \d+ MiB/g
  const waiting = (more: number) =>
    until(() => service.process.log().match(waits)?.length ?? 0, (count) => count >= more, WAIT)

  it("a snapshot waits for space, and is made once there is some", { timeout: TIMEOUT }, async () => {
    fill(20)
    assert.isBelow((await service.call("POST", `/instances/${id}/snapshots`, { name: "one" })).status, 300)
    await waiting(1)
    free()
    await service.settled(id)
    assertLike(await snapshots(), [{ name: "one", status: "available" }])
    assert.match(
      service.process.log(),
      /the file needs \d+ MiB, and 16 MiB stay free\. Free space in it, or enlarge it/
    )
  })

  it("a snapshot of which the pool fills in the middle begins again", { timeout: TIMEOUT }, async () => {
    const before = service.process.log().match(waits)!.length
    relay.reset()
    const begins = () => relay.passed.filter((name) => name === "backupBegin").length
    // After the reservation comes the copy.
    relay.trap = { step: 3, passes: "after", act: () => fill(1) }
    assert.isBelow((await service.call("POST", `/instances/${id}/snapshots`, { name: "two" })).status, 300)
    await waiting(before + 1)
    assert.strictEqual(begins(), 1)
    free()
    await service.settled(id)
    assert.deepStrictEqual([begins(), volumes()!.length], [2, 3])
    assertLike(await snapshots(), [{ status: "available" }, { status: "available" }])
  })

  it("what does not fit fails with the reason, is refunded, and leaves nothing", { timeout: TIMEOUT }, async () => {
    const before = [volumes(), await wallet(), qemu(), (await service.admin("addresses.list", {}))[0]!.assigned]
    fill(4)
    const expected = {
      status: "failed",
      error: /The storage pool "default" has \d+ MiB left, .* Free space in it, or enlarge it/
    }
    await service.call("POST", `/instances/${id}/snapshots`, { name: "three" })
    assertLike(await failureOf(id, "snapshot_create"), expected)
    assert.isBelow((await service.call("POST", `/instances/${id}/resize`, { service_id: 3 })).status, 300)
    assertLike(await failureOf(id, "resize"), expected)
    await service.call("POST", `/instances/${id}/snapshots/1/restore`)
    assertLike(await failureOf(id, "snapshot_restore"), expected)
    await service.call("POST", `/instances/${id}/reinstall`, { os: "debian-12" })
    assertLike(await failureOf(id, "reinstall"), expected)
    const never = await service.buy()
    assertLike(await failureOf(never, "provision"), expected)
    const { order, status } = (await service.call("GET", `/instances/${id}`)).body
    assert.deepStrictEqual([order.service.id, status], [1, "running"])
    const after = [volumes(), await wallet(), qemu(), (await service.admin("addresses.list", {}))[0]!.assigned]
    assert.deepStrictEqual(after, before)
    assert.strictEqual(host.exec("virsh", "list", "--all", "--name").trim(), service.tag(id))
    assert.deepStrictEqual(await audit(), [])
    free()
  })

  it("a backup fails with the name of its own pool, and older ones are restored", { timeout: TIMEOUT }, async () => {
    const write = (text: string) =>
      service.reaches(host, address, `echo ${text} > /disk/mark; sync; cat /disk/mark`, text)
    const restores = async (backup: number, text: string) => {
      await service.act(id, "POST", `/backups/${backup}/restore`)
      await service.reaches(host, address, "cat /disk/mark", text)
    }
    const stored = () => host.exec("virsh", "vol-list", "backups").match(/instance-\S+(?= )/g)
    await write("one")
    await service.backUp(id)
    host.exec("bash", "-ec", `mkdir ${BACKUPS} && mount -t tmpfs -o size=256m tmpfs ${BACKUPS}`)
    host.exec("virsh", "pool-create-as", "backups", "dir", "--target", BACKUPS)
    await service.admin("hosts.set", { name: "alpha", backup_pool: "backups", no_backup_pool: false })
    await write("two")
    assertLike(await service.backUp(id), [{ status: "available" }, { status: "available" }])
    assert.deepStrictEqual(stored(), [`${service.tag(id)}.backup-2.qcow2`])
    fill(20, BACKUPS)
    assertLike((await service.backUp(id))[2], { status: "failed" })
    assertLike(await failureOf(id, "backup_create"), {
      error: /The storage pool "backups" has \d+ MiB left, .* Free space in it, or enlarge it/
    })
    assert.deepStrictEqual(stored(), [`${service.tag(id)}.backup-2.qcow2`])
    fill(10, BACKUPS)
    const checks = await service.admin("hosts.check", { name: "alpha" })
    assertLike(checks.find(({ check }) => check === "backups"), {
      ok: false,
      detail: /"backups" of host alpha has \d+ MiB left, and 16 MiB stay free, so backups fail/
    })
    await restores(2, "two")
    await restores(1, "one")
    assert.deepStrictEqual(await audit(), [])
    host.exec("virsh", "pool-destroy", "backups")
    assertLike(await service.admin("machines.audit", { repair: false }), [
      { kind: "backups", detail: containing("no storage pool with matching name 'backups'") }
    ])
    await service.act(id, "POST", "/restart")
    host.exec("virsh", "pool-create-as", "backups", "dir", "--target", BACKUPS)
  })

  it("an operation that failed in doubt does not keep others from starting", { timeout: TIMEOUT }, async () => {
    host.exec("virsh", "pool-destroy", "default")
    await service.call("POST", `/instances/${id}/snapshots`, { name: "four" })
    assertLike(await failureOf(id, "snapshot_create"), { error: /gave up after 10/ })
    host.exec("virsh", "pool-start", "default")
    await service.act(id, "POST", "/restart")
    const [restart] = await service.admin("tasks.list", { limit: 1 })
    assertLike(restart, { type: "restart", attempts: 1 })
    await service.reaches(host, address, "echo booted", "booted")
  })

  it("a guest that cannot write is reported, and continues once there is space", { timeout: TIMEOUT }, async () => {
    fill(1)
    const write = "dd if=/dev/urandom of=/disk/big bs=1M count=12; sync"
    assert.strictEqual(
      service.ssh(host, address, `(${write}) > /dev/null 2>&1 < /dev/null & echo begun`).output.trim(),
      "begun"
    )
    await until(() => host.exec("virsh", "domstate", service.tag(id)), (state) => state === "paused", TIMEOUT)
    const live = async () => (await service.call("GET", `/instances/${id}/status`)).body
    assertLike(await live(), { status: "running", power: "on", paused: "storage_full" })
    assertLike(await service.admin("machines.audit", { repair: true }), [
      { kind: "paused", repaired: false, detail: containing(`virsh resume ${service.tag(id)}`) }
    ])
    free()
    assertLike(await service.admin("machines.audit", { repair: true }), [{ kind: "paused", repaired: true }])
    await service.reaches(host, address, "ls /disk/big", "/disk/big")
    assertLike(await live(), { power: "on", paused: null })
    assert.deepStrictEqual(await audit(), [])
  })

  it(
    "no plan is sold on space that the pool does not have, and again once it has some",
    { timeout: TIMEOUT },
    async () => {
      const order = () => service.call("POST", "/instances?dry_run=true", { service_id: 1 })
      const space = async () => {
        await audit()
        const checks = await service.admin("hosts.check", { name: "alpha" })
        return checks.find(({ check }) => check === "space")
      }
      // Two disks of 1 GiB are within the size of 4 GiB that the pool had when the host was added.
      assertLike(await space(), { ok: false, detail: /No disk can be sold: 1 GiB are promised .* Free space in it/ })
      assertLike(await order(), { status: 404 })
      assert.deepStrictEqual((await service.call("GET", "/services")).body, [])
      host.exec("mount", "-o", "remount,size=4g", POOL)
      assertLike(await space(), { ok: true })
      assertLike(await order(), { status: 200 })
      // A file of another program.
      fill(200)
      assertLike(await space(), { ok: false })
      assertLike(await order(), { status: 404 })
      free()
    }
  )
})
