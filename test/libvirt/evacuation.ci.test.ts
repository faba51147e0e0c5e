/** Instances that move between real hosts, and that are taken from one that died. */
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"
import { Relay } from "./Relay.ts"
import { awaitShell, blocksWith, PAGE } from "./Script.ts"

const TIMEOUT = 200_000

describe.skipIf(noHosts !== undefined)(`a host that is emptied${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-shared-"))
  const backups = mkdtempSync(join(tmpdir(), "vps-backups-"))
  let relay: Relay
  /** Leads to alpha's daemon, and through the relay from when a step is to be interrupted. */
  const socket = () => join(service.folder, "alpha")
  let [alpha, beta, gamma]: ReadonlyArray<Host> = []
  let service: RealService
  let id = 0
  let address = ""

  beforeAll(async () => {
    service = new RealService({ VPS_SERVICE_HOST_CHECK_MILLIS: "300", VPS_SERVICE_HOST_REPLY_MILLIS: "2000" })
    await service.open() // The first addresses of the network are for instances.
    ;[alpha, beta, gamma] = ["alpha", "beta", "gamma"].map((name, at) => startHost(name, at === 0 ? 1 : 250 + at))
    alpha!.link(beta!)
    alpha!.link(gamma!)
    const shared = { folder, name: "nfs" }
    relay = new Relay(join(service.folder, "relay"), alpha!.socket)
    symlinkSync(alpha!.socket, socket())
    await service.addHost(alpha!, shared, socket())
    id = await service.buy()
    address = (await service.settled(id)).ipv4
    await service.addHost(beta!, shared)
  }, TIMEOUT)
  afterAll(async () => {
    await service.close()
    relay.close()
    for (const host of [alpha, gamma]) host?.stop()
    for (const each of [folder, backups]) rmSync(each, { recursive: true, force: true })
  })

  const admin = (commands: string) => awaitShell(commands, service.folder, { VPS_SERVICE_DATABASE: service.database })
  /** The documented commands. */
  const [dryRun, evacuate] = blocksWith(PAGE, "hosts evacuate")[0]!.trim().split("\n")
  const fence = blocksWith(PAGE, "hosts fence")[0]!
  const fenceFromBackups = blocksWith(PAGE, "--from-backups")[0]!.replace("alpha", "gamma")
  const makePool = blocksWith(PAGE, "pool-define-as backups")[0]!.replace(
    /netfs --source-host \S+ --source-path \S+/,
    "dir"
  )
  const setPool = blocksWith(PAGE, "--backup-pool")[0]!.replaceAll("beta", "gamma")

  const runsOn = (host: Host | undefined) => host!.exec("virsh", "list", "--name").includes(`instance-${id}`)
  const isDefinedOn = (host: Host | undefined) =>
    host!.exec("virsh", "list", "--all", "--name").includes(`instance-${id}`)

  it(
    "moves a running instance to a host with the same storage, and it does not notice",
    { timeout: TIMEOUT },
    async () => {
      await service.reaches(
        alpha!,
        address,
        "echo memory > /tmp/mark; echo disk > /disk/mark; sync; cat /tmp/mark",
        "memory"
      )
      const expected = new RegExp(`^ *${id} +beta +.*less than a second`, "m")
      expect(await admin(dryRun!)).toMatch(expected)
      expect(runsOn(alpha)).toBe(true)
      expect(await admin(evacuate!)).toMatch(expected)
      await service.settled(id)
      expect([isDefinedOn(alpha), runsOn(beta)]).toStrictEqual([false, true])
      await service.reaches(beta!, address, "cat /tmp/mark", "memory")
      const [drained, target] = await service.admin("hosts.list", {})
      expect([drained, target]).toMatchObject([{ state: "draining", cpus: /^0\// }, { cpus: /^1\// }])
      expect(await service.admin("machines.audit", { repair: false })).toStrictEqual([])
    }
  )

  it(
    "brings an instance of a host that died up elsewhere; its task waits until then",
    { timeout: TIMEOUT },
    async () => {
      await service.admin("hosts.activate", { name: "alpha" })
      await expect(service.admin("hosts.fence", { name: "beta", confirmed_off: true, from_backups: false })).rejects
        .toThrow("responds")
      beta!.stop()
      const since = async () => (await service.admin("hosts.list", {}))[1]!.unreachable_since
      await expect.poll(since, { timeout: 20_000 }).not.toBeNull()
      expect((await service.call("GET", `/instances/${id}`)).body.status).toBe("running")
      expect((await service.call("POST", `/instances/${id}/restart`)).status).toBe(200)
      const task = async () => (await service.admin("tasks.list", { limit: 1 }))[0]!
      await expect.poll(task, { timeout: 20_000 }).toMatchObject({
        status: "queued",
        error: /host .* does not respond/
      })
      expect(await service.admin("machines.audit", { repair: true })).toMatchObject([{ kind: "unreachable" }])

      const unconfirmed = service.admin("hosts.fence", { name: "beta", confirmed_off: false, from_backups: false })
      await expect(unconfirmed).rejects.toThrow("Power host beta off")
      expect(await admin(fence.replace("alpha", "beta"))).toMatch(
        new RegExp(`^ *${id} +alpha +from shared storage: its open task \\(restart\\) continues there`, "m")
      )
      expect((await service.settled(id)).status).toBe("running")
      await service.reaches(alpha!, address, "cat /disk/mark", "disk")
      expect((await service.admin("machines.audit", { repair: false })).map(({ kind }) => kind)).toStrictEqual([
        "unreachable"
      ])
      await expect(service.admin("hosts.activate", { name: "beta" })).rejects.toThrow("beta does not respond")
    }
  )

  it("copies an instance to a host with storage of its own, with its snapshots", { timeout: TIMEOUT }, async () => {
    await service.act(id, "POST", "/snapshots", { name: "before" })
    await service.addHost(gamma!)
    const [row] = await service.admin("hosts.evacuate", { name: "alpha", dry_run: false })
    expect(row).toMatchObject({
      target: "gamma",
      detail: expect.stringContaining("the copy of its disk (up to 1 GiB)")
    })
    await service.settled(id)
    expect([isDefinedOn(alpha), runsOn(gamma)]).toStrictEqual([false, true])
    expect(alpha!.exec("virsh", "vol-list", "default")).not.toContain(`instance-${id}.`)
    await service.reaches(gamma!, address, "cat /disk/mark; echo changed > /disk/mark; sync", "disk")
    await service.act(id, "POST", "/snapshots/1/restore")
    await service.reaches(gamma!, address, "cat /disk/mark", "disk")
    expect((await service.admin("machines.audit", { repair: false })).map(({ kind }) => kind)).toStrictEqual([
      "unreachable"
    ])
  })

  it("brings an instance up from its newest backup although that is interrupted", { timeout: TIMEOUT }, async () => {
    await service.admin("hosts.activate", { name: "alpha" })
    for (const host of [alpha!, gamma!]) {
      // As NFS that both hosts mount.
      host.exec("mkdir", "/var/lib/libvirt/backups")
      host.exec("mount", "--bind", backups, "/var/lib/libvirt/backups")
      host.exec("bash", "-ec", makePool)
    }
    expect(await admin(setPool)).toMatch(/backups +yes +\d+ of \d+ GiB are free in "backups"; shared with gamma/)
    await service.reaches(gamma!, address, "echo saved > /disk/mark; sync; cat /disk/mark", "saved")
    rmSync(socket())
    symlinkSync(relay.path, socket())
    expect(await service.backUp(id)).toMatchObject([{ status: "available" }])
    expect(readdirSync(backups)).toStrictEqual([`instance-${id}.backup-1.qcow2`])
    expect((await service.admin("machines.audit", { repair: false })).map(({ kind }) => kind)).toStrictEqual([
      "unreachable"
    ])
    await service.reaches(gamma!, address, "echo lost > /disk/mark; sync; cat /disk/mark", "lost")
    gamma!.halt()
    const since = async () => (await service.admin("hosts.list", {})).at(-1)!.unreachable_since
    await expect.poll(since, { timeout: 20_000 }).not.toBeNull()

    const lost = "all that it wrote since, 1 snapshot"
    const offered =
      `its disk is on gamma only\\. With --from-backups, alpha gets it from its backup of .*; lost: ${lost}`
    expect(await admin(fence.replace("alpha", "gamma"))).toMatch(new RegExp(offered))
    expect(await service.ended(id)).not.toContainEqual(expect.objectContaining({ type: "backup_restore" }))
    relay.reset()
    let killed: Promise<unknown> | undefined
    // After the definition comes the copy.
    relay.trap = { step: 2, passes: "before", act: () => void (killed = service.process.end("SIGKILL")) }
    expect(await admin(fenceFromBackups)).toMatch(
      /alpha +from its backup of \S+ \(\d+ min old\): it is started there; lost/
    )
    await until(() => killed, (begun) => begun !== undefined, TIMEOUT)
    await killed
    expect(relay.passed).toStrictEqual(["define", "volumeCopy"])
    await service.start()
    expect((await service.settled(id)).status).toBe("running")
    await service.reaches(alpha!, address, "cat /disk/mark", "saved")
    expect(relay.passed).toContain("create")
    expect(await service.call("GET", `/instances/${id}/snapshots`)).toMatchObject({ body: [{ status: "failed" }] })
  })

  it("powers off what a host that comes back runs a second time", { timeout: TIMEOUT }, async () => {
    gamma!.boot()
    // As a version before this one did.
    gamma!.exec("virsh", "autostart", `instance-${id}`)
    gamma!.exec("virsh", "start", `instance-${id}`)
    await expect.poll(() => runsOn(gamma), { timeout: 20_000 }).toBe(false)
    await expect.poll(() => service.process.log()).toMatch(
      new RegExp(`Host gamma was declared off, but it responds[^]*Powered instance-${id} off on host gamma`)
    )
    expect(gamma!.exec("virsh", "dominfo", `instance-${id}`)).toMatch(/Autostart: +disable/)
    expect([runsOn(alpha), isDefinedOn(gamma)]).toStrictEqual([true, true])
    await service.reaches(alpha!, address, "cat /disk/mark", "saved")
    const stale = { kind: "stale", instance_id: id, hosts: ["gamma"] }
    expect(await service.admin("machines.audit", { repair: true })).toContainEqual(expect.objectContaining(stale))
    // Nothing else happens on it before it is activated.
    expect((await service.admin("hosts.list", {})).at(-1)).toMatchObject({ state: "offline" })
  })

  it("does not use such a host", { timeout: TIMEOUT }, async () => {
    const activated = () => service.admin("hosts.activate", { name: "gamma" })
    await expect(activated()).rejects.toThrow(`gamma has instance-${id}, which it may not run any more`)
    gamma!.exec("bash", "-c", `virsh undefine instance-${id}`)
    await activated()
    const responds = async () => (await service.admin("hosts.list", {})).at(-1)!.unreachable_since
    await expect.poll(responds, { timeout: 20_000 }).toBeNull()
    const findings = await service.admin("machines.audit", { repair: false })
    expect(findings.map(({ hosts, kind }) => [kind, hosts])).toContainEqual(["disk", ["gamma"]])
    expect(findings.filter(({ kind }) => kind !== "unreachable" && kind !== "disk")).toStrictEqual([])
  })
})
