/** Instances of a host that is off, which others bring up from backups that they see. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Backups } from "#service/persistence/Backups"
import { Hosts } from "#service/persistence/Hosts"
import { Snapshots } from "#service/persistence/Snapshots"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { result, startDaemon } from "../provisioning/libvirt/FakeDaemon.ts"
import { allTasks, elapse, show } from "../support/service.ts"
import { addHost, deployed, fence, pool, run, used, within } from "./Relocating.ts"

const UUID = "11111111-2222-5333-8444-555555555555"
const { poolLookup, poolRefresh, volumeList } = PROCEDURES

/** A host that sees these files in its pool for backups. */
const daemonWith = (files: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startDaemon((packet, reply) => {
        const backups = { name: "backups", uuid: UUID }
        if (packet.procedure === poolLookup.number) return reply(result(poolLookup, packet, backups))
        if (packet.procedure === poolRefresh.number) return reply(result(poolRefresh, packet, undefined))
        const volumes = files.map((name) => ({ pool: "backups", name, key: name }))
        reply(result(volumeList, packet, [volumes, volumes.length]))
      })
    ),
    ({ close }) => Effect.promise(close)
  )

const SHARED = { backupPool: "backups", sharedBackups: "nas" }
const HOUR = 3_600_000

/** An instance on alpha with two backups and a snapshot, of which beta sees some files; then alpha dies. */
const lost = Effect.fnUntraced(function*(files: (id: number) => ReadonlyArray<string>, beta: object = {}) {
  const alpha = yield* addHost("alpha", SHARED)
  yield* pool
  const id = yield* deployed
  const backups = yield* Backups
  const at = yield* Clock.currentTimeMillis
  yield* within(backups.schedule(id, null))
  const [older, newest] = yield* within(Effect.forEach([at - HOUR, at], (each) =>
    Effect.tap(
      backups.insert({ instanceId: id, os: "ubuntu-24", at: each, expiresAt: at + 100 * HOUR }),
      (backup) => backups.setAvailable(backup, 1)
    )))
  const snapshot = yield* within(
    Effect.flatMap(
      Snapshots,
      (each) =>
        Effect.tap(each.insert({ instanceId: id, os: "debian-12", name: "s", at }), (one) => each.setAvailable(one, 1))
    )
  )
  const { path } = yield* daemonWith(files(id))
  yield* addHost("beta", { ...SHARED, uri: `unix:${path}`, ...beta })
  yield* within((yield* Hosts).setUnreachable(alpha, 1))
  yield* elapse(26 * HOUR, HOUR)
  return { id, older: older!, newest: newest!, snapshot }
})

const both = (id: number) => [1, 2].map((backup) => `instance-${id}.backup-${backup}.qcow2`)

describe("hosts fence", () => {
  it.effect("names what is lost, and restores the newest backup once that is confirmed", () =>
    run(Effect.scoped(Effect.gen(function*() {
      const { id, newest, older, snapshot } = yield* lost(both)
      const [listed] = yield* fence()
      assert.deepInclude(listed, { instance_id: id, target: null })
      const age = String.raw`its backup of \d{4}-\S+Z \(26 h old\)`
      const loss = "all that it wrote since, 1 snapshot"
      const expected = `^its disk is on alpha only. With --from-backups, beta gets it from ${age}; lost: ${loss}$`
      assert.match(listed!.detail, new RegExp(expected))
      assert.deepStrictEqual(yield* used, [1, 0])

      const [row] = yield* fence({ fromBackups: true })
      assert.strictEqual(row!.target, "beta")
      assert.match(row!.detail, new RegExp(`^from ${age}: it is started there; lost: ${loss}$`))
      assert.deepInclude(yield* (yield* Hosts).reservation(id), { isFenced: true, backupId: newest })
      assert.deepStrictEqual(yield* fence({ fromBackups: true }), [], "it is done once")
      yield* elapse(1_000)
      assert.deepStrictEqual((yield* allTasks).slice(-2).map(({ status, type }) => [type, status]), [
        ["backup_restore", "succeeded"],
        ["start", "succeeded"]
      ])
      assert.deepStrictEqual(yield* used, [0, 1])
      const statuses = [
        (yield* (yield* Backups).find(id, older))!.status,
        (yield* (yield* Snapshots).find(id, snapshot))!.status
      ]
      assert.deepStrictEqual(statuses, ["available", "failed"])
      const system = JSON.parse((yield* show(id)).provider_data!) as object
      assert.deepInclude(system, { node: "beta", os: "ubuntu-24" }, "the system of the backup")
    }))))

  it.effect("takes the newest backup that another host sees, and says that others are lost", () =>
    run(Effect.scoped(Effect.gen(function*() {
      const { id, newest, older } = yield* lost((id) => both(id).slice(0, 1))
      const [row] = yield* fence({ fromBackups: true })
      assert.include(row!.detail, "(27 h old)")
      assert.include(row!.detail, "1 snapshot, 1 other backup")
      assert.strictEqual((yield* (yield* Hosts).reservation(id))!.backupId, older)
      assert.strictEqual((yield* (yield* Backups).find(id, newest))!.status, "failed")
    }))))

  it.effect.each(
    [
      [both, { capacity: { cpus: 1, memoryMib: 1, diskGib: 1 } }, /no other active host .* capacity for it, and sees/],
      [
        () => [],
        {},
        /on alpha only, and no other host sees a backup of it: repair the host or its disks, or terminate/
      ],
      [both, { sharedBackups: "other" }, /no other host sees a backup of it: repair/],
      [both, { uri: "unix:/nonexistent" }, /no other host sees a backup of it \(Host beta: .*Start the daemon/]
    ] as const
  )(
    "lists an instance without a usable backup, and what to do",
    ([files, beta, expected]) =>
      run(Effect.scoped(Effect.gen(function*() {
        yield* lost(files, beta)
        const [row] = yield* fence({ fromBackups: true })
        assert.isNull(row!.target)
        assert.match(row!.detail, expected)
        assert.deepStrictEqual(yield* used, [1, 0])
      })))
  )
})
