/** Debian 12 with cloud-init, as an operator sells it: what the tiny guest of the other tests only resembles. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeDebian } from "./Guest.ts"
import { type Host, noDebian, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"

const HOUR = 3_600_000
const MINUTE = 60_000
const REASON = noDebian === undefined ? "" : ` (${noDebian})`

/** Of the root file system in the image, and of ext4's superblock, which follows its first two sectors. */
const SECTOR = 512
const ROOT_MIB = 49
const FEATURES_AT = 0x60
const NEEDS_RECOVERY = 4

interface Executed {
  readonly exited: boolean
  readonly "out-data"?: string
}

describe.skipIf(noDebian !== undefined)(`Debian on libvirt${REASON}`, () => {
  let host: Host
  let service: RealService
  let id: number
  let ipv4: string

  beforeAll(async () => {
    host = startHost("alpha")
    const trial = {
      makeGuest: makeDebian,
      ram: ["640 MB", "768 MB"] as const,
      taskMillis: 30 * MINUTE,
      sshMillis: 15 * MINUTE
    }
    const env = {
      VPS_SERVICE_LIBVIRT_BOOT_MILLIS: String(25 * MINUTE),
      VPS_SERVICE_LIBVIRT_AGENT_MILLIS: String(10 * MINUTE),
      VPS_SERVICE_LIBVIRT_SHUTDOWN_MILLIS: String(5 * MINUTE)
    }
    service = new RealService(env, trial)
    await service.open()
    await service.admin("addresses.add", {
      network: "2001:db8::/64",
      gateway: "2001:db8::1",
      data_center: "Helsinki"
    })
    await service.addHost(host)
  }, HOUR)
  afterAll(async () => {
    await service.close()
    host.stop()
  })

  /** The output of a command over SSH, once it succeeds. */
  const printed = async (command: string, password?: string) => {
    const execute = () => service.ssh(host, ipv4, command, password)
    return (await until(execute, ({ status }) => status === 0, 15 * MINUTE)).output.trim()
  }

  /** The flag of the root file system in a volume. */
  const needsRecovery = (volume: RegExp): boolean => {
    const folder = join(host.folder, "images")
    const name = readdirSync(folder).find((each) => volume.test(each))!
    const copy = join(host.folder, "superblock")
    const options = [`bs=${SECTOR}`, `skip=${ROOT_MIB * 2_048 + 2}`, `count=${ROOT_MIB * 2_048 + 4}`]
    host.exec("qemu-img", "dd", "-U", "-O", "raw", `if=${join(folder, name)}`, `of=${copy}`, ...options)
    return (readFileSync(copy).readUInt32LE(FEATURES_AT) & NEEDS_RECOVERY) !== 0
  }

  /** Executes a command with the guest agent: only the console has a login to the rescue system. */
  const inGuest = async (script: string): Promise<string> => {
    const agent = (execute: string, args: object) => {
      const command = JSON.stringify({ execute, arguments: args })
      const { output, status } = host.tryExec("virsh", "qemu-agent-command", service.tag(id), command)
      return status === 0 ? JSON.parse(output).return : undefined
    }
    const start = () => agent("guest-exec", { path: "/bin/sh", arg: ["-c", script], "capture-output": true })
    const { pid } = await until<{ readonly pid: number }>(start, (started) => started !== undefined, 15 * MINUTE)
    const status = () => agent("guest-exec-status", { pid })
    const ended = await until<Executed>(status, (answer) => answer?.exited, 15 * MINUTE)
    return Buffer.from(ended["out-data"] ?? "", "base64").toString().trim()
  }

  it("gets its key, hostname, and address from cloud-init", { timeout: HOUR }, async () => {
    id = await service.buy()
    const instance = await service.settled(id)
    assert.strictEqual(instance.status, "running")
    ipv4 = instance.ipv4
    // Ready means that the first boot is over.
    assert.strictEqual(await printed("hostname; cloud-init status"), "one\nstatus: done")
    assert.include(await printed("ip -4 -o addr show dev eth0"), `inet ${ipv4}/24`)
    assert.include(await printed("ip route"), "default via 203.0.113.1")
    // Only the router is a neighbor.
    assert.include(await printed("ip -6 -o addr show dev eth0"), `inet6 2001:db8::1:${id}/128`)
    assert.include(await printed("ip -6 route"), "default via 2001:db8::1 dev eth0")
    assert.strictEqual(service.ssh(host, `2001:db8::1:${id}`, "hostname").output.trim(), "one")
  })

  it("admits root with the password of a reset", { timeout: HOUR }, async () => {
    const { body } = await service.call("POST", `/instances/${id}/reset-password`)
    await service.settled(id)
    assert.strictEqual(await printed("id -un", body.password), "root")
  })

  it("keeps a hostname that was changed through the API", { timeout: HOUR }, async () => {
    await service.act(id, "PATCH", "/hostname", { hostname: "two" })
    assert.strictEqual(await printed("hostname"), "two")
    const boot = await printed("cat /proc/sys/kernel/random/boot_id")
    await service.act(id, "POST", "/restart")
    assert.strictEqual(await printed(`test $(cat /proc/sys/kernel/random/boot_id) != ${boot} && hostname`), "two")
  })

  it("keeps its files when it gets a larger disk, which its file system fills", { timeout: HOUR }, async () => {
    assert.strictEqual(await printed("echo first > /root/mark; sync; cat /root/mark"), "first")
    // A file system that is in use needs a recovery; one that is frozen does not.
    assert.isTrue(needsRecovery(/instance-\d+\.[\da-f]{10}\.qcow2$/))
    await service.act(id, "POST", "/snapshots", { name: "before" })
    assert.isFalse(needsRecovery(/snapshot/))
    assert.strictEqual(await printed("echo written > /root/after; sync; cat /root/after"), "written")
    assert.strictEqual(await printed("echo second > /root/mark; sync; cat /root/mark"), "second")
    await service.act(id, "POST", "/resize", { service_id: 2 })
    assert.strictEqual(await printed("cat /root/mark"), "second")
    const gib = "$(df --output=size -B 1M / | tail -1) -gt 1500"
    assert.strictEqual(await printed(`test ${gib} && echo larger`), "larger")
  })

  it("has the file of a snapshot that is restored", { timeout: HOUR }, async () => {
    await service.act(id, "POST", "/snapshots/1/restore")
    assert.strictEqual(await printed("cat /root/mark; hostname"), "first\ntwo")
  })

  it("has a disk that the rescue system reads", { timeout: HOUR }, async () => {
    await service.act(id, "POST", "/rescue")
    assert.strictEqual(await inGuest("hostname"), "rescue")
    const mount = "mkdir -p /mnt && modprobe ext4 && mount -t ext4 -o ro /dev/vda2 /mnt"
    assert.strictEqual(await inGuest(`${mount} && cat /mnt/root/mark /mnt/etc/hostname`), "first\ntwo")
  })
})
