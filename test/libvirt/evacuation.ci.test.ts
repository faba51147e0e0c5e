/** Instances that move between real hosts, and that are taken from one that died. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService } from "./RealService.ts"
import { blocksWith, PAGE, runShell } from "./Script.ts"

const TIMEOUT = 200_000

describe.skipIf(noHosts !== undefined)(`a host that is emptied${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-shared-"))
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
    await service.addHost(alpha!, shared)
    id = await service.buy()
    address = (await service.settled(id)).ipv4
    await service.addHost(beta!, shared)
  }, TIMEOUT)
  afterAll(async () => {
    await service.close()
    for (const host of [alpha, gamma]) host?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const admin = (commands: string) => runShell(commands, service.folder, { VPS_SERVICE_DATABASE: service.database })
  /** The documented commands. */
  const [dryRun, evacuate] = blocksWith(PAGE, "hosts evacuate")[0]!.trim().split("\n")
  const fence = blocksWith(PAGE, "hosts fence")[0]!.replace("alpha", "beta")

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
      expect(admin(dryRun!)).toMatch(expected)
      expect(runsOn(alpha)).toBe(true)
      expect(admin(evacuate!)).toMatch(expected)
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
      await expect(service.admin("hosts.fence", { name: "beta", confirmed_off: true })).rejects.toThrow("responds")
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

      const unconfirmed = service.admin("hosts.fence", { name: "beta", confirmed_off: false })
      await expect(unconfirmed).rejects.toThrow("Power host beta off")
      expect(admin(fence)).toMatch(new RegExp(`^ *${id} +alpha +its open task \\(restart\\) continues there`, "m"))
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
})
