/**
 * A day of an operator with two hosts: backup, purchases, a restore, a planned reboot, a full pool, a failed move, and
 * the mistakes of such a day. Afterwards every customer has the own machine, running, or the loss was reported.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { adminOf } from "../support/command.ts"
import { assertLike, containing, listWith } from "../support/like.ts"
import { rejection } from "../support/rejection.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"

const HOUR = 600_000
const WAIT = 120_000

/** A customer's machine: the mark on its disk distinguishes it from all others. */
interface Owned {
  readonly id: number
  readonly tag: string
  readonly ipv4: string
  readonly mark: string
}

const run = (program: string, ...args: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`)
}

describe.skipIf(noHosts !== undefined)(`a day of an operator${reason}`, () => {
  const pool = mkdtempSync(join(tmpdir(), "vps-day-"))
  let [alpha, beta]: ReadonlyArray<Host> = []
  let service: RealService
  const owned: Array<Owned> = []
  /** The API keys of both customers. */
  const keys: Array<string> = []

  beforeAll(async () => {
    // Both hosts see it, because it is mounted before they start.
    run("mount", "-t", "tmpfs", "-o", "size=8g", "tmpfs", pool)
    service = new RealService({
      VPS_SERVICE_LIBVIRT_POOL_RESERVE_MIB: "16",
      VPS_SERVICE_LIBVIRT_COPY_MILLIS: "60000",
      VPS_SERVICE_HOST_CHECK_MILLIS: "500",
      VPS_SERVICE_HOST_REPLY_MILLIS: "5000",
      VPS_SERVICE_AUDIT_MILLIS: "5000",
      VPS_SERVICE_AUDIT_STARTS_MILLIS: "2000",
      VPS_SERVICE_AUDIT_DEPARTURE_MILLIS: "15000"
    })
    await service.open()
    keys.push(service.apiKey)
    await service.admin("accounts.create", { email: "b@example.test", currency: "EUR", vat_treatment: "domestic" })
    await service.admin("wallet.top_up", { account_id: 2, amount: 1_000, reference: "second" })
    keys.push((await service.admin("keys.create", { account_id: 2, name: "b", scopes: ["vps:create"] })).api_key)
    ;[alpha, beta] = [startHost("alpha"), startHost("beta", 250)]
    alpha.link(beta)
    for (const host of [alpha, beta]) await service.addHost(host, { folder: pool, name: "nfs" })
  }, HOUR)
  afterAll(async () => {
    await service.close()
    for (const host of [alpha, beta]) host?.stop()
    run("umount", pool)
    rmSync(pool, { recursive: true })
  })

  const audit = async () => service.admin("machines.audit", { repair: false })
  const hosts = () => [alpha!, beta!]
  const runsOn = (host: Host, { tag }: Pick<Owned, "tag">) => host.exec("virsh", "list", "--name").includes(tag)
  const hostOf = (machine: Owned) => hosts().find((host) => runsOn(host, machine))
  const customer = (index: number) => {
    service.apiKey = keys[index]!
  }
  const statusOf = async ({ id }: Owned) => (await service.call("GET", `/instances/${id}`)).body.status
  const live = async ({ id }: Owned) => (await service.call("GET", `/instances/${id}/status`)).body
  /** All run, each with the mark of its own customer; looked at from both hosts at a time at which none is changed. */
  const assertAllRun = async (machines: ReadonlyArray<Owned> = owned) => {
    for (const machine of machines) {
      await until(() => hostOf(machine) !== undefined, (isOn) => isOn, WAIT)
      assert.strictEqual(hosts().filter((host) => runsOn(host, machine)).length, 1, machine.tag)
      await service.reaches(alpha!, machine.ipv4, "cat /disk/mark", machine.mark)
    }
  }
  const buy = async (index: number, mark: string): Promise<Owned> => {
    customer(index)
    const id = await service.buy({ hostname: mark })
    const { ipv4 } = await service.settled(id)
    await service.reaches(alpha!, ipv4, `echo ${mark} > /disk/mark; sync; cat /disk/mark`, mark)
    return { id, tag: service.tag(id), ipv4, mark }
  }
  const fill = (mib: number) => {
    const left = `$(df --output=avail -B1 ${pool} | tail -1)`
    run("bash", "-ec", `rm -f ${pool}/filler; fallocate -l $((${left} - ${mib} * 1048576)) ${pool}/filler`)
  }
  const free = () => rmSync(join(pool, "filler"), { force: true })

  it("begins with purchases of two customers, who get machines on both hosts", { timeout: HOUR }, async () => {
    owned.push(await buy(0, "ann-1"), await buy(0, "ann-2"), await buy(1, "ben-1"))
    await assertAllRun()
    assert.strictEqual(new Set(owned.map(hostOf)).size, 2)
    assert.deepStrictEqual(await audit(), [])
  })

  it(
    "a restore by mistake gives no machine away: the lost one is reported and stays",
    { timeout: HOUR },
    async () => {
      const backup = join(service.folder, "morning.db")
      const admin = adminOf(service.database)
      assert.strictEqual((await admin.run(["backup", backup])).code, 0)
      const lost = await buy(1, "ben-lost")
      await service.process.end()
      assert.strictEqual((await admin.run(["restore", backup])).code, 0)
      await service.start()

      customer(0)
      const next = await service.buy({ hostname: "ann-3" })
      assert.isAbove(next, lost.id)
      const unknown = { kind: "unknown", machine: lost.tag, instance_id: null, detail: containing("only copy") }
      assertLike(await until(audit, (found) => found.some(({ kind }) => kind === "unknown"), WAIT), listWith(unknown))
      assert.deepStrictEqual((await service.admin("machines.confirm", {})).without_instance, [lost.tag])
      const { ipv4 } = await service.settled(next)
      const third = { id: next, tag: service.tag(next), ipv4, mark: "ann-3" }
      await service.reaches(
        alpha!,
        ipv4,
        "test -e /disk/mark || echo ann-3 > /disk/mark; sync; cat /disk/mark",
        "ann-3"
      )
      owned.push(third)
      // The machine without a record runs, with its own data and an address that no other one gets.
      await service.reaches(alpha!, lost.ipv4, "cat /disk/mark", "ben-lost")
      await assertAllRun()

      // The operator finds out whose it is, makes up for it, and removes it by the commands of the finding.
      const host = hostOf(lost)!
      host.exec("virsh", "destroy", lost.tag)
      host.exec("virsh", "undefine", lost.tag)
      run("bash", "-ec", `rm ${pool}/${lost.tag}.*`)
      customer(1)
      owned.push(await buy(1, "ben-2"))
      assert.deepStrictEqual(await until(audit, (found) => found.length === 0, WAIT), [])
    }
  )

  it(
    "a planned reboot of a host, which shuts its guests down, ends with all of them on",
    { timeout: HOUR },
    async () => {
      const before = owned.filter((machine) => runsOn(alpha!, machine))
      assert.isNotEmpty(before)
      for (const { tag } of before) alpha!.exec("virsh", "shutdown", tag)
      await until(() => alpha!.exec("virsh", "list", "--name").trim(), (names) => names === "", WAIT)
      alpha!.halt()
      alpha!.boot()
      alpha!.link(beta!)
      await assertAllRun()
      for (const machine of owned) {
        customer(machine.mark.startsWith("ann") ? 0 : 1)
        assert.strictEqual(await until(() => statusOf(machine), (status) => status === "running", WAIT), "running")
      }
    }
  )

  it("mistakes by virsh are repaired or reported, and cost no customer a machine", { timeout: HOUR }, async () => {
    const [saved, destroyed, unfiltered] = owned as [Owned, Owned, Owned]
    customer(0)
    hostOf(saved)!.exec("virsh", "managedsave", saved.tag)
    hostOf(destroyed)!.exec("virsh", "destroy", destroyed.tag)
    const host = hostOf(unfiltered)!
    const port = /vnet\d+/.exec(host.exec("virsh", "domiflist", unfiltered.tag))![0]
    host.exec("virsh", "nwfilter-binding-delete", port)
    assertLike(
      await until(audit, (found) => found.some(({ kind }) => kind === "saved"), WAIT),
      listWith({ kind: "saved" })
    )
    // A machine that was powered off by hand is off for its customer, too, who can start it.
    await until(() => statusOf(destroyed), (status) => status === "stopped", WAIT)
    await service.act(destroyed.id, "POST", "/start")
    // A saved machine continues with the next start.
    hosts().find((each) => each.exec("virsh", "list", "--all", "--name").includes(saved.tag))!.exec(
      "virsh",
      "start",
      saved.tag
    )
    await until(
      () => host.exec("virsh", "nwfilter-binding-list"),
      (list) => list.includes(port),
      WAIT
    )
    // A host that responds is never fenced.
    const fence = service.admin("hosts.fence", { name: "beta", confirmed_off: true, from_backups: false })
    assert.include((await rejection(fence)).message, "responds")
    await assertAllRun()
    for (const machine of [saved, destroyed]) {
      await until(() => statusOf(machine), (status) => status === "running", WAIT)
    }
    assert.deepStrictEqual(await until(audit, (found) => found.length === 0, WAIT), [])
  })

  it("a full pool sells nothing, says so to whom it pauses, and loses no data", { timeout: HOUR }, async () => {
    const [writer] = owned as [Owned]
    customer(0)
    fill(1)
    const write = "dd if=/dev/urandom of=/disk/big bs=1M count=12; sync"
    service.ssh(alpha!, writer.ipv4, `(${write}) > /dev/null 2>&1 < /dev/null & echo begun`)
    await until(() => live(writer), ({ paused }) => paused === "storage_full", WAIT)
    await until(async () => (await audit()).map(({ kind }) => kind), (kinds) => kinds.includes("paused"), WAIT)
    const order = await service.call("POST", "/instances?dry_run=true", { service_id: 1 })
    assert.strictEqual(order.status, 404, JSON.stringify(order.body))
    assert.isBelow((await service.call("POST", `/instances/${owned[1]!.id}/snapshots`, { name: "full" })).status, 300)
    free()
    await until(() => live(writer), ({ paused }) => paused === null, WAIT)
    await service.ended(owned[1]!.id)
    await assertAllRun()
    await service.reaches(alpha!, writer.ipv4, "stat -c %s /disk/big", String(12 * 1_048_576))
    assert.strictEqual((await service.call("POST", "/instances?dry_run=true", { service_id: 1 })).status, 200)
    assert.deepStrictEqual(await until(audit, (found) => found.length === 0, WAIT), [])
  })

  it(
    "a live move that fails leaves the guest running; the next one moves it unnoticed",
    { timeout: HOUR },
    async () => {
      const machine = owned.find((each) => runsOn(alpha!, each))!
      customer(machine.mark.startsWith("ann") ? 0 : 1)
      const boot = () => service.ssh(alpha!, machine.ipv4, "cat /proc/sys/kernel/random/boot_id").output.trim()
      const before = boot()
      const others = owned.filter((each) => each !== machine && runsOn(alpha!, each))
      for (const { tag } of [machine, ...others]) alpha!.exec("virsh", "migrate-setspeed", tag, "1")
      await service.admin("hosts.evacuate", { name: "alpha", dry_run: false })
      await until(
        () => alpha!.tryExec("virsh", "domjobinfo", machine.tag).output,
        (info) => /Operation: +Outgoing migration/.test(info),
        WAIT
      )
      alpha!.exec("virsh", "domjobabort", machine.tag)
      await service.settled(machine.id, "failed")
      assert.deepStrictEqual([boot(), runsOn(alpha!, machine)], [before, true])
      for (const { tag } of others) alpha!.tryExec("virsh", "domjobabort", tag)
      for (const { id, mark } of others) {
        customer(mark.startsWith("ann") ? 0 : 1)
        await service.ended(id)
      }
      for (const { tag } of owned.filter((each) => runsOn(alpha!, each))) {
        alpha!.exec("virsh", "migrate-setspeed", tag, "1000")
      }
      await service.admin("hosts.evacuate", { name: "alpha", dry_run: false })
      await until(() => alpha!.exec("virsh", "list", "--all", "--name").trim(), (names) => names === "", WAIT)
      assert.strictEqual(boot(), before)
      await service.admin("hosts.activate", { name: "alpha" })
      await assertAllRun()
    }
  )

  it(
    "ends with every customer on the own machine, which runs, and nothing left to find",
    { timeout: HOUR },
    async () => {
      await assertAllRun()
      assert.strictEqual(new Set(owned.map(({ ipv4 }) => ipv4)).size, owned.length)
      for (const [index, name] of ["ann", "ben"].entries()) {
        customer(index)
        const own = owned.filter(({ mark }) => mark.startsWith(name))
        const listed = (await service.call("GET", "/instances")).body
        const shown = listed.map((
          { id, ipv4, status }: { id: number; ipv4: string; status: string }
        ) => [id, ipv4, status])
        assert.deepStrictEqual(shown, own.map(({ id, ipv4 }) => [id, ipv4, "running"]))
      }
      assert.deepStrictEqual(await until(audit, (found) => found.length === 0, WAIT), [])
      assert.deepStrictEqual(await service.admin("tasks.unreconciled", { limit: 100 }), [])
    }
  )
})
