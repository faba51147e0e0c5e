/** An instance's whole way on a real machine: from the operator's documented commands to its termination. */
import { copyFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"
import { blocksWith, PAGE, runShell, settingsOf, writeCatalogue } from "./Script.ts"
import { assertExactlyLike, assertLike, isText } from "../support/like.ts"

const TIMEOUT = 300_000
const AGENT_MILLIS = 60_000
const PASSWORD = "correct-horse"

describe.skipIf(noHosts !== undefined)(`an instance on libvirt${reason}`, () => {
  let host: Host
  let service: RealService
  let id = 0
  let address = ""

  const start = async () => {
    const [block] = blocksWith(PAGE, "VPS_SERVICE_DRIVER=libvirt")
    const { env, flags } = settingsOf(block!.replace("/var/lib/vps/vps-service.db", service.database))
    await service.start(env, flags)
  }

  const admin = (commands: string) => runShell(commands, service.folder, { VPS_SERVICE_DATABASE: service.database })
  const virsh = (...args: ReadonlyArray<string>) => host.exec("virsh", ...args)

  beforeAll(() => {
    host = startHost("alpha")
    service = new RealService({ VPS_SERVICE_EXPIRY_GRACE_MILLIS: "0" })
    copyFileSync(service.guest.disk, join(service.folder, "debian-12.qcow2"))
    copyFileSync(service.guest.rescue, join(service.folder, "rescue.iso"))
    writeCatalogue(service.folder)
  })
  afterAll(async () => {
    await service.close()
    host.stop()
  })

  const act = (method: string, path: string, body?: object) => service.act(id, method, path, body)
  const reaches = (command: string, text: string, password?: string) =>
    service.reaches(host, address, command, text, password)

  /** The output of a command that the guest agent executes, once that replies. */
  const inside = async (command: string): Promise<string> => {
    const ask = (execute: string, args: object) => {
      const request = JSON.stringify({ execute, arguments: args })
      const { output, status } = host.tryExec("virsh", "qemu-agent-command", service.tag(id), request)
      return status === 0 ? JSON.parse(output).return : undefined
    }
    const exec = () => ask("guest-exec", { path: "/bin/sh", arg: ["-c", command], "capture-output": true })
    const started = await until(exec, (reply) => reply !== undefined, AGENT_MILLIS)
    const ended = await until(() => ask("guest-exec-status", started), (reply) => reply?.exited === true, AGENT_MILLIS)
    return Buffer.from(ended["out-data"] ?? "", "base64").toString()
  }

  it("begins with the documented commands", { timeout: TIMEOUT }, async () => {
    for (const block of blocksWith(PAGE, "apt-get install")) runShell(block.replace(" install", " install -s"), "/", {})
    // The test has no NFS server.
    const local = (block: string) => block.replace(/netfs --source-host \S+ --source-path \S+/, "dir")
    for (const block of blocksWith(PAGE, "virsh pool-define-as")) host.exec("bash", "-ec", local(block))
    await start()
    const own = (block: string) =>
      block.replace("unix:/run/libvirt/libvirt-sock", `unix:${host.socket} --accelerator qemu`)
    for (const block of blocksWith(PAGE, "vps-service admin hosts add")) admin(own(block))
    admin(
      "vps-service admin images import rescue.iso --kind iso --file rescue.iso "
        + "--sha256 $(sha256sum rescue.iso | cut -d' ' -f1)"
    )
    const [accounts] = blocksWith(PAGE, "admin accounts create")
    service.apiKey = /vps_live_\w+/.exec(admin(accounts!))![0]
    const { body } = await service.call("GET", "/services")
    assert.deepStrictEqual(body.map(({ slug }: { slug: string }) => slug), ["p1", "p2"])
  })

  it("is bought, deployed, and reached by SSH at its addresses only", { timeout: TIMEOUT }, async () => {
    id = await service.buy({ root_password: PASSWORD })
    const { ipv4, provider_data: data, status } = await service.settled(id)
    address = ipv4
    assertExactlyLike([ipv4, status], [/^203\.0\.113\.\d+$/, "running"])
    await reaches("hostname", "one")
    await reaches("hostname", "one", PASSWORD)
    const { ipv6 } = JSON.parse(data) as { readonly ipv6: string }
    assert.strictEqual(ipv6, `2001:db8::1:${id.toString(16)}`)
    await service.reaches(host, ipv6, "hostname", "one")
    const ping = (from: string) =>
      service.ssh(host, ipv4, `ping6 -c 1 -W 2 -I ${from} 2001:db8::1 > /dev/null && echo yes || echo no`)
    assert.strictEqual(ping(ipv6).output.trim(), "yes")
    // The address filter drops what another instance would have to send.
    await reaches("ip addr add 2001:db8::9:9/64 dev eth0; sleep 2; echo added", "added")
    assert.strictEqual(ping("2001:db8::9:9").output.trim(), "no")
    await reaches("echo first > /disk/mark; sync; cat /disk/mark", "first")
  })

  it("keeps its files when it is resized, and gets those of a snapshot back", { timeout: TIMEOUT }, async () => {
    await act("POST", "/snapshots", { name: "before" })
    await reaches("echo second > /disk/mark; sync; cat /disk/mark", "second")
    await act("POST", "/resize", { service_id: 2 })
    await reaches("nproc; cat /disk/mark", "2\nsecond")
    await act("POST", "/snapshots/1/restore")
    await reaches("cat /disk/mark", "first")
    assert.strictEqual(service.ssh(host, address, "nproc").output.trim(), "2")
  })

  it("has the new password only, and the new hostname", { timeout: TIMEOUT }, async () => {
    const { password } = await act("POST", "/reset-password")
    await reaches("hostname", "one", password)
    assert.notStrictEqual(service.ssh(host, address, "hostname", PASSWORD).status, 0)
    await act("PATCH", "/hostname", { hostname: "two" })
    await reaches("hostname", "two")
  })

  it("sees the ISO that is in its drive", { timeout: TIMEOUT }, async () => {
    const label = "dd if=/dev/sr0 bs=1 skip=32808 count=6 2> /dev/null || echo none"
    const isMounted = async () => (await service.call("GET", `/instances/${id}/isos`)).body[0].mounted
    await act("POST", "/iso", { iso_id: 1 })
    await reaches(label, "RESCUE")
    assert.isTrue(await isMounted())
    await act("DELETE", "/iso")
    await reaches(label, "none")
    assert.isFalse(await isMounted())
  })

  it("boots the rescue system without a login and with its disk not mounted, and its own again", {
    timeout: TIMEOUT
  }, async () => {
    assertLike(await act("POST", "/rescue"), { boot_mode: "rescue", restarted: true })
    const login = "hostname; cut -d: -f1,2 /etc/shadow; cat /root/.ssh/authorized_keys; grep /dev/vda /proc/mounts"
    assert.strictEqual(await inside(login), "rescue\nroot:*\n")
    assert.strictEqual(await inside("mount -t vfat /dev/vda /disk && cat /disk/mark && umount /disk"), "first\n")
    assertLike(await act("DELETE", "/rescue"), { boot_mode: "disk", restarted: true })
    await reaches("hostname; cat /disk/mark", "two\nfirst")
  })

  it("is reinstalled, and has measured what it did", { timeout: TIMEOUT }, async () => {
    await act("POST", "/reinstall", { os: "debian-12", ssh_pubkey: service.key.publicKey })
    await reaches("test -e /disk/mark && echo some || echo none", "none")
    // The first sample after a start has no memory in use yet: the next one follows in 10 s.
    const newest = async () => {
      const { body: metrics } = await service.call("GET", `/instances/${id}/metrics`)
      assertLike(metrics, { range: "1h", step_seconds: 10 })
      return metrics.samples.findLast(({ cpu_percent: cpu }: { cpu_percent: number }) => cpu > 0)
    }
    const measured = await until(newest, (sample) => sample?.memory_bytes > 2 ** 20, 60_000)
    assert.strictEqual(measured.memory_total_bytes, 256 * 2 ** 20)
    const { body } = await service.call("GET", `/instances/${id}/status`)
    assertLike(body.sample, { at: isText })
    // Its first sample comes at the end of the first whole minute in which the machine was measured.
    const minutes = async () => (await service.call("GET", `/instances/${id}/metrics?range=6h`)).body.samples.length
    await until(minutes, Boolean, 90_000)
  })

  it("is terminated without a trace", { timeout: TIMEOUT }, async () => {
    await service.process.end()
    const connection = new DatabaseSync(service.database)
    connection.exec("UPDATE instances SET auto_renew = 0, expires_at = 1")
    connection.close()
    await start()
    await until(() => virsh("list", "--all", "--name") === "", Boolean, 60_000)
    assert.notInclude(virsh("vol-list", "default"), service.tag(id))
    const hosts = () => admin("vps-service admin hosts list")
    await until(hosts, (list) => list.includes("0/"), 20_000)
  })

  it("is built once although the service is killed in the middle", { timeout: TIMEOUT }, async () => {
    id = await service.buy()
    const isDefined = () => virsh("list", "--all", "--name").includes(service.tag(id))
    await until(isDefined, Boolean, 30_000, 50)
    await service.process.end("SIGKILL")
    await start()
    assert.strictEqual((await service.settled(id)).status, "running")
    assert.lengthOf(virsh("list", "--name").split("\n").filter((name) => name === service.tag(id)), 1)
    assert.lengthOf(virsh("vol-list", "default").match(new RegExp(`${service.tag(id)}\\.`, "g"))!, 2)
  })
})
