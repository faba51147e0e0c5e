/** Evacuations: of a host that responds, and of one that is fenced, whose instances come back from backups. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "@effect/vitest"
import { COMMANDS } from "#service/admin/Commands"
import { Hosts, type NewHost } from "#service/persistence/Hosts"
import { Busy, Rejected } from "#service/provisioning/Driver"
import { enqueueAs } from "#service/operations/Enqueue"
import { Move } from "#service/operations/Relocation"
import { operate } from "#service/operations/Power"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { Backups, Snapshots } from "#service/persistence/Snapshots"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { result, startDaemon } from "../provisioning/libvirt/FakeDaemon.ts"
import { PlacesMachines } from "#service/catalogue/Capacity"
import { Transaction } from "#service/persistence/Transaction"
import { HOST } from "../persistence/suite/hosts.ts"
import { tagOf } from "../support/machineTag.ts"

const evacuate = (isTrial = false) => COMMANDS["hosts.evacuate"].run({ name: "alpha", dry_run: isTrial })

describe("hosts evacuate", () => {
  it.effect("reports the downtime, drains, moves each instance, and settles what is promised", () =>
    run(Effect.gen(function*() {
      const { id } = yield* oneOnAlpha({ sharedStorage: "ceph" })
      const rows = [{
        instance_id: id,
        target: "beta",
        detail: "less than a second: it moves while it runs, or stays if that fails"
      }]
      assert.deepStrictEqual(yield* evacuate(true), rows)
      assert.deepStrictEqual(yield* used, [1, 0])
      assert.deepStrictEqual(yield* evacuate(), rows)
      assert.deepStrictEqual(yield* used, [1, 1], "both hosts are reserved while it moves")
      assert.isTrue((yield* evacuate())[0]!.detail.startsWith("busy (move)"))
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* used, [0, 1])
      assert.deepStrictEqual(yield* COMMANDS["machines.audit"].run({ repair: false }), [])
      const moved = yield* show(id)
      assert.strictEqual(moved.status, "running")
      assert.strictEqual(JSON.parse(moved.provider_data!).node, "beta")
      assert.deepStrictEqual((yield* COMMANDS["hosts.list"].run({}))[0]!.state, "draining")
    })))

  it.effect.each(
    [
      [{}, "a shutdown, the copy of its disk (up to 40 GiB), and a boot"],
      [{ sharedStorage: "ceph" }, "less than a second: it moves while it runs"]
    ] as const
  )("reports the downtime with %j", ([more, detail]) =>
    run(Effect.gen(function*() {
      yield* oneOnAlpha(more)
      assert.match(
        (yield* evacuate(true))[0]!.detail,
        new RegExp(detail.replaceAll(/[()]/g, "\\$&").replace("40", "\\d+"))
      )
      yield* operate(owner, 1, "stop")
      yield* elapse(1_000)
      assert.strictEqual((yield* evacuate(true))[0]!.detail, "none: it is off")
    })))

  it.effect("leaves an instance that fits nowhere, and says so", () =>
    run(Effect.gen(function*() {
      yield* addHost("alpha")
      yield* pool
      const id = yield* deployed
      const [row] = yield* evacuate()
      assert.deepInclude(row, { instance_id: id, target: null })
      assert.include(row!.detail, "no other active host")
      assert.deepStrictEqual(yield* used, [1])
    })))

  it.effect("returns the target's capacity after a move that was rejected", () =>
    run(Effect.gen(function*() {
      yield* oneOnAlpha()
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no" }))
      yield* evacuate()
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* used, [1, 0])
    })))

  it.effect("of a host that does not respond is rejected", () =>
    run(Effect.gen(function*() {
      const { alpha } = yield* oneOnAlpha()
      yield* within((yield* Hosts).setUnreachable(alpha, 1))
      assert.include(yield* message(evacuate()), "run: hosts fence alpha --confirmed-off")
    })))
})

describe("hosts fence", () => {
  it.effect("needs a host that does not respond, and an operator who says that it is off", () =>
    run(Effect.gen(function*() {
      const { alpha } = yield* oneOnAlpha()
      assert.include(yield* message(fence()), "Host alpha responds")
      yield* within((yield* Hosts).setUnreachable(alpha, 1))
      assert.include(yield* message(fence({ isOff: false })), "repeat this command with --confirmed-off")
    })))

  it.effect("takes instances to a host with the same storage, and starts those that ran", () =>
    run(Effect.gen(function*() {
      const { alpha, id } = yield* oneOnAlpha({ sharedStorage: "ceph" })
      yield* within((yield* Hosts).setUnreachable(alpha, 1))
      const before = [yield* allTasks, yield* used, yield* (yield* Hosts).reservation(id), yield* show(id)]
      const planned = yield* fence({ isTrial: true, isOff: false })
      const after = [yield* allTasks, yield* used, yield* (yield* Hosts).reservation(id), yield* show(id)]
      assert.deepStrictEqual(after, before, "a trial changes nothing")
      assert.strictEqual((yield* COMMANDS["hosts.list"].run({}))[0]!.state, "active")
      assert.deepStrictEqual(planned, [{
        instance_id: id,
        target: "beta",
        detail: "from shared storage: it is started there"
      }])
      assert.deepStrictEqual(yield* fence(), planned)
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* used, [0, 1])
      assert.deepInclude((yield* allTasks).at(-1)!, { type: "start", status: "succeeded", actor: "admin" })
      assert.isTrue((yield* (yield* Hosts).reservation(id))!.isFenced)
      assert.deepStrictEqual(yield* fence(), [])
    })))

  it.effect("lets a task that waits for the host continue elsewhere", () =>
    run(Effect.gen(function*() {
      const { alpha, id } = yield* oneOnAlpha({ sharedStorage: "ceph" })
      const upstream = yield* Upstream
      upstream.always = new Busy({ reason: "down", isHostDown: true })
      yield* operate(owner, id, "stop")
      yield* elapse(1_000)
      yield* within((yield* Hosts).setUnreachable(alpha, 1))
      const detail = "from shared storage: its open task (stop) continues there"
      assert.deepStrictEqual(yield* fence(), [{ instance_id: id, target: "beta", detail }])
      upstream.always = undefined
      yield* elapse(70_000, 1_000)
      assert.strictEqual((yield* show(id)).status, "stopped")
    })))

  it.effect("leaves instances whose disks are on the host alone", () =>
    run(Effect.gen(function*() {
      const { alpha, id } = yield* oneOnAlpha()
      yield* within((yield* Hosts).setUnreachable(alpha, 1))
      const [row] = yield* fence()
      assert.deepInclude(row, { instance_id: id, target: null })
      assert.include(
        row!.detail,
        "its disk and snapshots are on alpha only, and no other host sees a backup of it: repair"
      )
      assert.deepStrictEqual(yield* used, [1, 0])
    })))

  /** An instance that moves from alpha to beta, one of which has died. */
  const moving = Effect.fnUntraced(function*(dead: "alpha" | "beta", more: Partial<NewHost> = {}) {
    const { alpha, beta, id } = yield* oneOnAlpha(more)
    // It has more space, and must not be chosen.
    yield* addHost("gamma", { ...more, capacity: { cpus: 8, memoryMib: 2_000_000, diskGib: 100_000 } })
    const upstream = yield* Upstream
    upstream.always = new Busy({ reason: "down", isHostDown: true })
    yield* within((yield* Hosts).beginMove(id, beta))
    yield* enqueueAs("admin", id, Move.task({ host: "beta", allowsDowntime: false }), yield* Clock.currentTimeMillis)
    yield* elapse(1_000)
    yield* within((yield* Hosts).setUnreachable(dead === "alpha" ? alpha : beta, 1))
    upstream.always = undefined
    return id
  })

  it.effect.each([["alpha", "beta", [0, 1, 0]], ["beta", "alpha", [1, 0, 0]]] as const)(
    "starts an instance that was moving when %s died on the other host of its move only: %s",
    ([dead, other, promised]) =>
      run(Effect.gen(function*() {
        const id = yield* moving(dead, { sharedStorage: "ceph" })
        const detail = "from shared storage: its move is cancelled, and it is started there"
        assert.deepStrictEqual(yield* fence({ name: dead }), [{ instance_id: id, target: other, detail }])
        yield* elapse(1_000)
        assert.deepStrictEqual(yield* used, [...promised])
        assert.deepStrictEqual((yield* allTasks).slice(-2).map(({ status, type }) => [type, status]), [
          ["move", "cancelled"],
          ["start", "succeeded"]
        ])
      }))
  )

  it.effect("lists an instance that was moving without shared storage, and leaves it as it is", () =>
    run(Effect.gen(function*() {
      const id = yield* moving("beta")
      const [row] = yield* fence({ name: "beta" })
      assert.deepInclude(row, { instance_id: id, target: null })
      assert.include(row!.detail, "it was moving between beta and alpha, which share no storage")
      assert.deepStrictEqual(yield* used, [1, 1, 0])
    })))
})

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
const lost = Effect.fnUntraced(function*(files: (tag: string) => ReadonlyArray<string>, beta: object = {}) {
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
  const { path } = yield* daemonWith(files(yield* tagOf(id)))
  yield* addHost("beta", { ...SHARED, uri: `unix:${path}`, ...beta })
  yield* within((yield* Hosts).setUnreachable(alpha, 1))
  yield* elapse(26 * HOUR, HOUR)
  return { id, older: older!, newest: newest!, snapshot }
})

const both = (tag: string) => [1, 2].map((backup) => `${tag}.backup-${backup}.qcow2`)

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

      const planned = yield* fence({ fromBackups: true, isTrial: true })
      assert.deepStrictEqual(yield* used, [1, 0], "a trial changes nothing")
      const [row] = yield* fence({ fromBackups: true })
      assert.deepStrictEqual(planned, [row!])
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
      const { id, newest, older } = yield* lost((tag) => both(tag).slice(0, 1))
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

const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(effect))

const addHost = Effect.fnUntraced(function*(name: string, more: Partial<NewHost> = {}) {
  const hosts = yield* Hosts
  const capacity = { cpus: 4, memoryMib: 1_000_000, diskGib: 100_000 }
  return yield* within(Effect.gen(function*() {
    const id = yield* hosts.add({ ...HOST, capacity, sharedStorage: null, ...more, name })
    yield* hosts.setImage({ hostId: id, slug: "debian-12", kind: "disk", sha256: "0", volume: "v", createdAt: 0 })
    return id
  }))
})

const pool = COMMANDS["addresses.add"].run({
  network: "203.0.113.0/29",
  gateway: "203.0.113.1",
  data_center: "Frankfurt"
})

const deployed = Effect.gen(function*() {
  const { id } = yield* buy({ os: "debian-12" })
  yield* deployTime
  return id
})

/** The CPUs that are promised on each host. */
const used = Effect.flatMap(
  Hosts,
  ({ list }) => Effect.map(list, (hosts) => hosts.map((host) => host.used.cpus))
)

interface FenceOptions {
  readonly isOff?: boolean
  readonly isTrial?: boolean
  readonly name?: string
  readonly fromBackups?: boolean
}

const fence = ({ fromBackups = false, isOff = true, isTrial = false, name = "alpha" }: FenceOptions = {}) =>
  COMMANDS["hosts.fence"].run({ name, confirmed_off: isOff, from_backups: fromBackups, dry_run: isTrial })

const message = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const run = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(
    Effect.provideService(PlacesMachines, true),
    Effect.provide(Layer.provideMerge(Layer.succeed(PlacesMachines, true), serviceLayer()))
  )

/** Instance 1 on alpha, and beta beside it. */
const oneOnAlpha = Effect.fnUntraced(function*(more: Partial<NewHost> = {}) {
  const alpha = yield* addHost("alpha", more)
  yield* pool
  const id = yield* deployed
  const beta = yield* addHost("beta", more)
  return { alpha, beta, id }
})
