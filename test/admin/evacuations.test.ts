/** Evacuation and fencing of hosts, with capacity and the simulated driver, whose machines move at once. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { COMMANDS } from "#service/admin/Commands"
import { Hosts, type NewHost } from "#service/persistence/Hosts"
import { Busy, Rejected } from "#service/provisioning/Driver"
import { enqueueAs } from "#service/operations/Enqueue"
import { Move } from "#service/operations/Move"
import { operate } from "#service/operations/Power"
import { allTasks, elapse, owner, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { addHost, deployed, fence, message, oneOnAlpha, pool, run, used, within } from "./Relocating.ts"

const evacuate = (isTrial = false) => COMMANDS["hosts.evacuate"].run({ name: "alpha", dry_run: isTrial })

describe("hosts evacuate", () => {
  it.effect("reports the downtime, drains, moves each instance, and settles what is promised", () =>
    run(Effect.gen(function*() {
      const { id } = yield* oneOnAlpha({ sharedStorage: "ceph" })
      const rows = [{ instance_id: id, target: "beta", detail: "less than a second: it moves while it runs" }]
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
      assert.deepStrictEqual(yield* fence(), [{
        instance_id: id,
        target: "beta",
        detail: "from shared storage: it is started there"
      }])
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
    yield* enqueueAs("admin", id, Move.task({ host: "beta" }), yield* Clock.currentTimeMillis)
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
