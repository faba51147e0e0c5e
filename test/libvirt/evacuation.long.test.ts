/** Instances that move between real hosts, and that are taken from one that died. */
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"
import { Relay } from "./Relay.ts"
import { awaitShell, blocksWith, PAGE } from "./Script.ts"
import { rejection } from "../support/rejection.ts"
import { assertLike, containing, listWith } from "../support/like.ts"

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
    service = new RealService({
      VPS_SERVICE_HOST_CHECK_MILLIS: "300",
      VPS_SERVICE_HOST_REPLY_MILLIS: "2000",
      VPS_SERVICE_LIBVIRT_COPY_MILLIS: "15000"
    })
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

  const runsOn = (host: Host | undefined) => host!.exec("virsh", "list", "--name").includes(service.tag(id))
  const isDefinedOn = (host: Host | undefined) =>
    host!.exec("virsh", "list", "--all", "--name").includes(service.tag(id))

  it(
    "an instance whose live move fails continues where it is, unless the operator has allowed a restart",
    { timeout: TIMEOUT },
    async () => {
      const boot = () => service.ssh(alpha!, address, "cat /proc/sys/kernel/random/boot_id").output.trim()
      const job = (name: "domjobinfo" | "domjobabort") => alpha!.tryExec("virsh", name, service.tag(id)).output
      /** Begins a move that does not end by itself. */
      const moveSlowly = async (more: { readonly allow_downtime?: boolean } = {}) => {
        await service.admin("hosts.activate", { name: "alpha" })
        alpha!.exec("virsh", "migrate-setspeed", service.tag(id), "1")
        await service.admin("hosts.evacuate", { name: "alpha", dry_run: false, ...more })
        await until(() => job("domjobinfo"), (info) => /Operation: +Outgoing migration/.test(info), 20_000)
      }
      const before = boot()
      await moveSlowly()
      assert.deepStrictEqual(await service.admin("machines.audit", { repair: false }), [])
      job("domjobabort")
      assert.strictEqual((await service.settled(id, "failed")).status, "running")
      const [failed] = await service.admin("tasks.list", { limit: 1 })
      assert.match(failed!.error!, /continues where it is: libvirt error \d+.*--allow-downtime/)
      assert.deepStrictEqual([boot(), runsOn(alpha), isDefinedOn(beta)], [before, true, false])

      await moveSlowly()
      assert.strictEqual((await service.settled(id, "failed")).status, "running")
      assert.include(service.process.log(), `The move of ${service.tag(id)} has no answer, and is aborted.`)
      assert.match(job("domjobinfo"), /Job type: +(None|Cancelled)/)
      await until(() => isDefinedOn(beta), (isDefined) => !isDefined, 10_000)
      assert.deepStrictEqual([boot(), runsOn(alpha)], [before, true])

      await moveSlowly({ allow_downtime: true })
      job("domjobabort")
      await service.settled(id)
      assert.deepStrictEqual([isDefinedOn(alpha), runsOn(beta)], [false, true])
      await until(boot, (now) => now.includes("-") && now !== before, 60_000)
      await service.admin("hosts.activate", { name: "alpha" })
      await service.admin("hosts.evacuate", { name: "beta", dry_run: false })
      await service.settled(id)
      await service.admin("hosts.activate", { name: "beta" })
      assert.deepStrictEqual([runsOn(alpha), isDefinedOn(beta)], [true, false])
    }
  )

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
      assert.match(await admin(dryRun!), expected)
      assert.isTrue(runsOn(alpha))
      assert.match(await admin(evacuate!), expected)
      await service.settled(id)
      assert.deepStrictEqual([isDefinedOn(alpha), runsOn(beta)], [false, true])
      await service.reaches(beta!, address, "cat /tmp/mark", "memory")
      const [drained, target] = await service.admin("hosts.list", {})
      assertLike([drained, target], [{ state: "draining", cpus: { used: 0 } }, { cpus: { used: 1 } }])
      assert.deepStrictEqual(await service.admin("machines.audit", { repair: false }), [])
    }
  )

  it(
    "brings an instance of a host that died up elsewhere; its task waits until then",
    { timeout: TIMEOUT },
    async () => {
      await service.admin("hosts.activate", { name: "alpha" })
      assert.include(
        (await rejection(service.admin("hosts.fence", { name: "beta", confirmed_off: true, from_backups: false })))
          .message,
        "responds"
      )
      beta!.stop()
      const since = async () => (await service.admin("hosts.list", {}))[1]!.unreachable_since
      await until(since, (at) => at !== null, 20_000)
      assert.strictEqual((await service.call("GET", `/instances/${id}`)).body.status, "running")
      assert.strictEqual((await service.call("POST", `/instances/${id}/restart`)).status, 200)
      const task = async () => (await service.admin("tasks.list", { limit: 1 }))[0]!
      const waits = await until(task, ({ error }) => error !== null, 20_000)
      assertLike(waits, { status: "queued", error: /host .* does not respond/ })
      assertLike(await service.admin("machines.audit", { repair: true }), [{ kind: "unreachable" }])

      const unconfirmed = service.admin("hosts.fence", { name: "beta", confirmed_off: false, from_backups: false })
      assert.include((await rejection(unconfirmed)).message, "Power host beta off")
      assert.match(
        await admin(fence.replace("alpha", "beta")),
        new RegExp(`^ *${id} +alpha +from shared storage: its open task \\(restart\\) continues there`, "m")
      )
      assert.strictEqual((await service.settled(id)).status, "running")
      await service.reaches(alpha!, address, "cat /disk/mark", "disk")
      assert.deepStrictEqual((await service.admin("machines.audit", { repair: false })).map(({ kind }) => kind), [
        "unreachable"
      ])
      assert.include(
        (await rejection(service.admin("hosts.activate", { name: "beta" }))).message,
        "beta does not respond"
      )
    }
  )

  it("copies an instance to a host with storage of its own, with its snapshots", { timeout: TIMEOUT }, async () => {
    await service.act(id, "POST", "/snapshots", { name: "before" })
    await service.addHost(gamma!)
    const [row] = await service.admin("hosts.evacuate", { name: "alpha", dry_run: false })
    assertLike(row, {
      target: "gamma",
      detail: containing("the copy of its disk (up to 1 GiB)")
    })
    await service.settled(id)
    assert.deepStrictEqual([isDefinedOn(alpha), runsOn(gamma)], [false, true])
    assert.notInclude(alpha!.exec("virsh", "vol-list", "default"), `${service.tag(id)}.`)
    await service.reaches(gamma!, address, "cat /disk/mark; echo changed > /disk/mark; sync", "disk")
    await service.act(id, "POST", "/snapshots/1/restore")
    await service.reaches(gamma!, address, "cat /disk/mark", "disk")
    assert.deepStrictEqual((await service.admin("machines.audit", { repair: false })).map(({ kind }) => kind), [
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
    assert.match(await admin(setPool), /backups +yes +\d+ of \d+ GiB are free in "backups"; shared with gamma/)
    await service.reaches(gamma!, address, "echo saved > /disk/mark; sync; cat /disk/mark", "saved")
    rmSync(socket())
    symlinkSync(relay.path, socket())
    assertLike(await service.backUp(id), [{ status: "available" }])
    assert.deepStrictEqual(readdirSync(backups), [`${service.tag(id)}.backup-1.qcow2`])
    assert.deepStrictEqual((await service.admin("machines.audit", { repair: false })).map(({ kind }) => kind), [
      "unreachable"
    ])
    await service.reaches(gamma!, address, "echo lost > /disk/mark; sync; cat /disk/mark", "lost")
    gamma!.halt()
    const since = async () => (await service.admin("hosts.list", {})).at(-1)!.unreachable_since
    await until(since, (at) => at !== null, 20_000)

    const lost = "all that it wrote since, 1 snapshot"
    const offered =
      `its disk is on gamma only\\. With --from-backups, alpha gets it from its backup of .*; lost: ${lost}`
    assert.match(await admin(fence.replace("alpha", "gamma")), new RegExp(offered))
    assert.notInclude((await service.ended(id)).map(({ type }) => type), "backup_restore")
    relay.reset()
    let killed: Promise<unknown> | undefined
    // After the definition and the reservation comes the copy.
    relay.trap = { step: 3, passes: "before", act: () => void (killed = service.process.end("SIGKILL")) }
    assert.match(
      await admin(fenceFromBackups),
      /alpha +from its backup of \S+ \(\d+ min old\): it is started there; lost/
    )
    await until(() => killed, (begun) => begun !== undefined, TIMEOUT)
    await killed
    assert.deepStrictEqual(relay.passed, ["define", "define", "volumeCopy"])
    await service.start()
    assert.strictEqual((await service.settled(id)).status, "running")
    await service.reaches(alpha!, address, "cat /disk/mark", "saved")
    assert.include(relay.passed, "create")
    assertLike(await service.call("GET", `/instances/${id}/snapshots`), { body: [{ status: "failed" }] })
  })

  it("powers off what a host that comes back runs a second time", { timeout: TIMEOUT }, async () => {
    gamma!.boot()
    // As a version before this one did.
    gamma!.exec("virsh", "autostart", service.tag(id))
    gamma!.exec("virsh", "start", service.tag(id))
    await until(() => !runsOn(gamma), Boolean, 20_000)
    const line = `Host gamma was declared off, but it responds[^]*Powered ${service.tag(id)} off on host gamma`
    const logged = new RegExp(line)
    await until(service.process.log, (log) => logged.test(log), 20_000)
    assert.match(gamma!.exec("virsh", "dominfo", service.tag(id)), /Autostart: +disable/)
    assert.deepStrictEqual([runsOn(alpha), isDefinedOn(gamma)], [true, true])
    await service.reaches(alpha!, address, "cat /disk/mark", "saved")
    const stale = { kind: "stale", instance_id: id, hosts: ["gamma"] }
    assertLike(await service.admin("machines.audit", { repair: true }), listWith(stale))
    // Nothing else happens on it before it is activated.
    assertLike((await service.admin("hosts.list", {})).at(-1), { state: "offline" })
  })

  it("does not use such a host", { timeout: TIMEOUT }, async () => {
    const activated = () => service.admin("hosts.activate", { name: "gamma" })
    assert.include(
      (await rejection(activated())).message,
      `gamma has ${service.tag(id)}, which it may not run any more`
    )
    gamma!.exec("bash", "-c", `virsh undefine ${service.tag(id)}`)
    await activated()
    const unreachableSince = async () => (await service.admin("hosts.list", {})).at(-1)!.unreachable_since
    await until(unreachableSince, (at) => at === null, 20_000)
    const findings = await service.admin("machines.audit", { repair: false })
    assert.deepInclude(findings.map(({ hosts, kind }) => [kind, hosts]), ["disk", ["gamma"]])
    assert.deepStrictEqual(findings.filter(({ kind }) => kind !== "unreachable" && kind !== "disk"), [])
  })
})
