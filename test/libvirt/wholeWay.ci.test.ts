/** An instance's whole way on a real machine: from the operator's documented commands to its termination. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { request } from "../support/operator.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { makeGuest } from "./Guest.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { blocksWith, type KeyPair, makeKey, runShell, writeCatalogue } from "./Script.ts"

const PAGE = "docs/real-instances.md"
const TIMEOUT = 300_000
const SECRET = "the-secret-of-the-tests-0123456789abcdef"
const PASSWORD = "correct-horse"

describe.skipIf(noHosts !== undefined)(`an instance on libvirt${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-way-"))
  const database = join(folder, "vps.db")
  const env = {
    VPS_SERVICE_DRIVER: "libvirt",
    VPS_SERVICE_DATABASE: database,
    VPS_SERVICE_SECRET: SECRET,
    VPS_SERVICE_EXPIRY_GRACE_MILLIS: "0",
    VPS_SERVICE_LIBVIRT_SHUTDOWN_MILLIS: "20000",
    VPS_SERVICE_LIBVIRT_AGENT_MILLIS: "60000"
  }
  let host: Host
  let key: KeyPair
  let service: ServiceProcess | undefined
  let call: ReturnType<typeof request>
  let apiKey = ""

  const start = async () => {
    service = await startServiceWith({ env }, ["--rate-limits=false"])
    call = request(service, apiKey)
  }

  const admin = (commands: string) => runShell(commands, folder, env)
  const virsh = (...args: ReadonlyArray<string>) => host.exec("virsh", ...args)

  beforeAll(async () => {
    const guest = makeGuest()
    host = startHost("alpha")
    key = makeKey()
    copyFileSync(guest.disk, join(folder, "debian-12.qcow2"))
    copyFileSync(guest.rescue, join(folder, "rescue.iso"))
    writeCatalogue(folder)
  })
  afterAll(async () => {
    await service?.end("SIGKILL")
    host.stop()
    key.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A command over SSH, from the host. */
  const ssh = (address: string, command: string, password?: string) => {
    const options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "ConnectTimeout=5", "LogLevel=ERROR"]
    const login = password === undefined
      ? ["ssh", "-i", key.privateKey, "-o", "BatchMode=yes"]
      : ["sshpass", "-p", password, "ssh", "-o", "PubkeyAuthentication=no"]
    return host.tryExec(...login, ...options.flatMap((option) => ["-o", option]), `root@${address}`, command)
  }

  /** Waits until a command over SSH prints a text. */
  const reaches = async (address: string, command: string, text: string, password?: string) => {
    const options = { timeout: 60_000, interval: 1_000 }
    await expect.poll(() => ssh(address, command, password).output.trim(), options).toBe(text)
  }

  /** The instance, once its latest task has succeeded. */
  const settled = async (id: number) => {
    const latest = async () => (await call("GET", `/instances/${id}/tasks`)).body.items[0]
    await expect.poll(async () => (await latest()).status, { timeout: 150_000, interval: 500 })
      .toMatch(/succeeded|failed/)
    expect(await latest()).toMatchObject({ status: "succeeded" })
    return (await call("GET", `/instances/${id}`)).body
  }

  const act = async (id: number, method: string, path: string, body?: object) => {
    const { body: answer, status } = await call(method, `/instances/${id}${path}`, body)
    expect({ status, answer }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 300) })
    await settled(id)
    return answer
  }

  it("begins with the documented commands", { timeout: TIMEOUT }, async () => {
    for (const block of blocksWith(PAGE, "virsh pool-define-as")) host.exec("bash", "-ec", block)
    await start()
    const own = (block: string) =>
      block.replace("unix:/run/libvirt/libvirt-sock", `unix:${host.socket} --accelerator qemu`)
    for (const block of blocksWith(PAGE, "vps-service admin hosts add")) admin(own(block))
    const [accounts] = blocksWith(PAGE, "admin accounts create")
    const printed = admin(accounts!)
    apiKey = /vps_live_\w+/.exec(printed)![0]
    call = request(service!, apiKey)
    const { body } = await call("GET", "/services")
    expect(body.map(({ slug }: { slug: string }) => slug)).toStrictEqual(["p1", "p2"])
  })

  it("is bought, reached by SSH, changed, and terminated", { timeout: 2 * TIMEOUT }, async () => {
    const order = { service_id: 1, hostname: "one", ssh_pubkey: key.publicKey, root_password: PASSWORD }
    const { body: { id }, status } = await call("POST", "/instances", order)
    expect(status).toBe(201)
    const { ipv4, provider_data: data, status: state } = await settled(id)
    expect([ipv4, state]).toStrictEqual([expect.stringMatching(/^203\.0\.113\.\d+$/), "running"])
    await reaches(ipv4, "hostname", "one")
    await reaches(ipv4, "hostname", "one", PASSWORD)
    const { ipv6 } = JSON.parse(data) as { readonly ipv6: string }
    expect(ipv6).toBe(`2001:db8::1:${id.toString(16)}`)
    await reaches(ipv6, "hostname", "one")
    const ping = (from: string) =>
      ssh(ipv4, `ping6 -c 1 -W 2 -I ${from} 2001:db8::1 > /dev/null && echo yes || echo no`)
    expect(ping(ipv6).output.trim()).toBe("yes")
    // The address filter drops what another instance would have to send.
    await reaches(ipv4, "ip addr add 2001:db8::9:9/64 dev eth0; sleep 2; echo added", "added")
    expect(ping("2001:db8::9:9").output.trim()).toBe("no")
    await reaches(ipv4, "echo first > /disk/mark; sync; cat /disk/mark", "first")

    await act(id, "POST", "/snapshots", { name: "before" })
    await reaches(ipv4, "echo second > /disk/mark; sync; cat /disk/mark", "second")
    await act(id, "POST", "/resize", { service_id: 2 })
    await reaches(ipv4, "nproc; cat /disk/mark", "2\nsecond")
    await act(id, "POST", "/snapshots/1/restore")
    await reaches(ipv4, "cat /disk/mark", "first")

    const { password } = await act(id, "POST", "/reset-password")
    await reaches(ipv4, "hostname", "one", password)
    expect(ssh(ipv4, "hostname", PASSWORD).status).not.toBe(0)
    await act(id, "PATCH", "/hostname", { hostname: "two" })
    await reaches(ipv4, "hostname", "two")
    await act(id, "POST", "/restart")
    await reaches(ipv4, "hostname", "two")

    await act(id, "POST", "/reinstall", { os: "debian-12", ssh_pubkey: key.publicKey })
    await reaches(ipv4, "test -e /disk/mark && echo some || echo none", "none")
    const { body: metrics } = await call("GET", `/instances/${id}/metrics`)
    expect(metrics).toMatchObject({ range: "1h", step_seconds: 10 })
    const busy = metrics.samples.filter(({ cpu_percent: cpu }: { cpu_percent: number }) => cpu > 0)
    expect(busy.length).toBeGreaterThan(0)
    expect(busy.at(-1)).toMatchObject({
      memory_bytes: expect.toSatisfy((bytes: number) => bytes > 2 ** 20),
      memory_total_bytes: 256 * 2 ** 20
    })
    expect((await call("GET", `/instances/${id}/status`)).body.sample).toMatchObject({ at: expect.any(String) })
    expect((await call("GET", `/instances/${id}/metrics?range=6h`)).body.samples.length).toBeGreaterThan(0)

    await service!.end()
    const connection = new DatabaseSync(database)
    connection.exec("UPDATE instances SET auto_renew = 0, expires_at = 1")
    connection.close()
    await start()
    await expect.poll(() => virsh("list", "--all", "--name"), { timeout: 60_000, interval: 500 }).toBe("")
    expect(virsh("vol-list", "default")).not.toContain(`instance-${id}`)
    await expect.poll(() => admin("vps-service admin hosts list"), { timeout: 20_000 }).toContain("0/")
  })

  it("is built once although the service is killed in the middle", { timeout: TIMEOUT }, async () => {
    const { body: { id } } = await call("POST", "/instances", { service_id: 1 })
    await expect.poll(() => virsh("list", "--all", "--name"), { timeout: 30_000, interval: 50 })
      .toContain(`instance-${id}`)
    await service!.end("SIGKILL")
    await start()
    expect((await settled(id)).status).toBe("running")
    expect(virsh("list", "--name").split("\n").filter((name) => name === `instance-${id}`)).toHaveLength(1)
    expect(virsh("vol-list", "default").match(new RegExp(`instance-${id}\\.`, "g"))).toHaveLength(2)
  })
})
