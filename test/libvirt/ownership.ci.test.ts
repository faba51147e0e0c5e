/** One customer's machine is never another's: after a restore, and beside machines and files of others on the host. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { adminOf } from "../support/command.ts"
import { assertLike, containing } from "../support/like.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"

const TIMEOUT = 400_000

describe.skipIf(noHosts !== undefined)(`a machine on a real host${reason}`, () => {
  let host: Host
  let service: RealService

  beforeAll(async () => {
    host = startHost("alpha", 1)
    service = new RealService()
    await service.open()
    await service.addHost(host)
  }, TIMEOUT)
  afterAll(async () => {
    await service.close()
    host.stop()
  })

  const audit = () => service.admin("machines.audit", { repair: false })
  const names = () => host.exec("virsh", "list", "--name").trim().split("\n")

  it("is left alone by an order that was placed after a restore from a backup without it", async () => {
    const backup = join(service.folder, "backup.db")
    const { run } = adminOf(service.database)
    assert.strictEqual((await run(["backup", backup])).code, 0)
    const first = await service.buy()
    const { ipv4 } = await service.settled(first)
    const tag = service.tag(first)
    await service.reaches(host, ipv4, "echo hers > /disk/mark; sync; cat /disk/mark", "hers")
    await service.process.end()
    assert.strictEqual((await run(["restore", backup])).code, 0)
    await service.start()

    const second = await service.buy()
    assert.isAbove(second, first, "ids continue after those of the replaced database")
    assertLike(await until(audit, (found) => found.length > 0, 60_000), [
      { kind: "unknown", machine: tag, instance_id: null, detail: containing("only copy of a customer's data") }
    ])
    const waiting = async () => (await service.call("GET", `/instances/${second}/tasks`)).body.items[0]
    await until(waiting, ({ error }) => /an operator compares the machines/.test(error ?? ""), 60_000)
    assert.deepStrictEqual((await service.admin("machines.confirm", {})).without_instance, [tag])
    const own = await service.settled(second)
    assert.notStrictEqual(own.ipv4, ipv4)
    assert.sameMembers(names(), [tag, service.tag(second)])
    await service.reaches(host, ipv4, "cat /disk/mark", "hers")
    await service.reaches(host, own.ipv4, "test -e /disk/mark || echo none", "none")

    // Its owner is gone for this test: the next ones find nothing of it.
    host.exec("virsh", "destroy", tag)
    host.exec("virsh", "undefine", tag)
    for (const [volume] of host.exec("virsh", "vol-list", "default").matchAll(new RegExp(`${tag}\\.\\S+(?= )`, "g"))) {
      host.exec("virsh", "vol-delete", volume!, "default")
    }
    assert.deepStrictEqual(await audit(), [])
  }, TIMEOUT)

  it("is found under another name, and no advice deletes its disk", async () => {
    const id = await service.buy()
    await service.settled(id)
    await service.act(id, "POST", "/stop")
    const tag = service.tag(id)
    host.exec("virsh", "domrename", tag, "renamed")
    assertLike(await audit(), [
      { kind: "renamed", machine: tag, instance_id: id, detail: containing(`virsh domrename renamed ${tag}`) }
    ])
    host.exec("virsh", "domrename", "renamed", tag)
    assert.deepStrictEqual(await audit(), [])
  }, TIMEOUT)

  it(
    "of others is reported when it is called like one of the service, or uses a disk of one, and is not touched",
    async () => {
      const id = await service.buy()
      await service.settled(id)
      await service.act(id, "POST", "/stop")
      const tag = service.tag(id)
      const [disk = ""] =
        host.exec("virsh", "vol-list", "default").match(new RegExp(`${tag}\\.[\\da-f]{10}\\.qcow2`)) ?? []
      const folder = join(host.folder, "images")
      const define = (name: string, source?: string) => {
        const drive = source === undefined
          ? ""
          : `<devices><disk type="file" device="disk"><driver name="qemu" type="qcow2"/><source file="${source}"/>`
            + `<target dev="vda"/></disk></devices>`
        const file = join(host.folder, `${name}.xml`)
        writeFileSync(
          file,
          `<domain type="qemu"><name>${name}</name><memory unit="MiB">64</memory>`
            + `<os><type arch="x86_64" machine="pc">hvm</type></os>${drive}</domain>`
        )
        host.exec("virsh", "define", file)
      }
      define("instance-99")
      define("rescue-work", join(folder, disk))
      const byName = (await audit()).toSorted((one, other) => one.machine!.localeCompare(other.machine!))
      assertLike(byName, [
        { kind: "foreign", machine: "instance-99", instance_id: null, detail: containing("no record") },
        { kind: "foreign", machine: "rescue-work", instance_id: null, detail: containing(disk) }
      ])

      const beside = join(folder, `${tag}.keep-this.raw`)
      writeFileSync(beside, "an operator's")
      host.exec("virsh", "undefine", "rescue-work")
      await service.admin("instances.terminate", { id, reason: "a test" })
      await until(() => host.exec("virsh", "list", "--all", "--name"), (all) => !all.includes(tag), 60_000)
      await until(() => existsSync(join(folder, disk)), (exists) => !exists, 60_000)
      assert.isTrue(existsSync(beside), "a file that the service did not make stays")
      assert.include(host.exec("virsh", "list", "--all", "--name"), "instance-99")
      host.exec("virsh", "undefine", "instance-99")
    },
    TIMEOUT
  )
})
