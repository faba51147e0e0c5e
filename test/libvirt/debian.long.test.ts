/** Debian 12 with cloud-init, as an operator sells it: what the tiny guest of the other tests only resembles. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeDebian } from "./Guest.ts"
import { type Host, noDebian, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"

const HOUR = 3_600_000
const MINUTE = 60_000
const REASON = noDebian === undefined ? "" : ` (${noDebian})`

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

  /** Executes a command with the guest agent: only the console has a login to the rescue system. */
  const inGuest = async (script: string): Promise<string> => {
    const agent = (execute: string, args: object) => {
      const command = JSON.stringify({ execute, arguments: args })
      const { output, status } = host.tryExec("virsh", "qemu-agent-command", `instance-${id}`, command)
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
    expect(instance.status).toBe("running")
    ipv4 = instance.ipv4
    // Ready means that the first boot is over.
    expect(await printed("hostname; cloud-init status")).toBe("one\nstatus: done")
    expect(await printed("ip -4 -o addr show dev eth0")).toContain(`inet ${ipv4}/24`)
    expect(await printed("ip route")).toContain("default via 203.0.113.1")
  })

  it("admits root with the password of a reset", { timeout: HOUR }, async () => {
    const { body } = await service.call("POST", `/instances/${id}/reset-password`)
    await service.settled(id)
    expect(await printed("id -un", body.password)).toBe("root")
  })

  it("keeps a hostname that was changed through the API", { timeout: HOUR }, async () => {
    await service.act(id, "PATCH", "/hostname", { hostname: "two" })
    expect(await printed("hostname")).toBe("two")
    const boot = await printed("cat /proc/sys/kernel/random/boot_id")
    await service.act(id, "POST", "/restart")
    expect(await printed(`test $(cat /proc/sys/kernel/random/boot_id) != ${boot} && hostname`)).toBe("two")
  })

  it("keeps its files when it gets a larger disk, which its file system fills", { timeout: HOUR }, async () => {
    expect(await printed("echo first > /root/mark; sync; cat /root/mark")).toBe("first")
    await service.act(id, "POST", "/snapshots", { name: "before" })
    expect(await printed("echo second > /root/mark; sync; cat /root/mark")).toBe("second")
    await service.act(id, "POST", "/resize", { service_id: 2 })
    expect(await printed("cat /root/mark")).toBe("second")
    const gib = "$(df --output=size -B 1M / | tail -1) -gt 1500"
    expect(await printed(`test ${gib} && echo larger`)).toBe("larger")
  })

  it("has the file of a snapshot that is restored", { timeout: HOUR }, async () => {
    await service.act(id, "POST", "/snapshots/1/restore")
    expect(await printed("cat /root/mark; hostname")).toBe("first\ntwo")
  })

  it("has a disk that the rescue system reads", { timeout: HOUR }, async () => {
    await service.act(id, "POST", "/rescue")
    expect(await inGuest("hostname")).toBe("rescue")
    const mount = "mkdir -p /mnt && modprobe ext4 && mount -t ext4 -o ro /dev/vda2 /mnt"
    expect(await inGuest(`${mount} && cat /mnt/root/mark /mnt/etc/hostname`)).toBe("first\ntwo")
  })
})
