/** Every step of every plan, failed once and repeated twice: the outcome is the same as undisturbed. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Saga } from "#service/operations/Saga"
import { startBackup } from "#service/operations/Backups"
import { createSnapshot } from "#service/operations/Snapshots"
import type { NewTask } from "#service/persistence/tasks/Task"
import type { TaskType } from "#service/domain/TaskType"
import { Tasks } from "#service/persistence/Tasks"
import { Instances } from "#service/persistence/Instances"
import { Backups } from "#service/persistence/Snapshots"
import { Transaction } from "#service/persistence/Transaction"
import { Busy, Unavailable } from "#service/provisioning/Driver"
import { contextOf, execute } from "#service/tasks/Execution"
import { OPERATION_TYPES, sagaOf } from "#service/operations/Registry"
import * as Worker from "#service/tasks/Worker"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { rows } from "../support/database.ts"
import { operationTime } from "../support/instances.ts"
import { buy, coreLayer, deployTime, elapse, owner, serviceLayer, settle } from "../support/service.ts"
import { type Mishap, Upstream } from "../support/upstream.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { fixedTags, machineOf } from "../support/machineTag.ts"

const { EXPIRY_GRACE_MILLIS, LEASE_MILLIS } = DEFAULT_LIMITS

interface Case {
  readonly type: TaskType
  readonly params: string
  /** The state before, besides instance 1, which runs as sim-1 unless the task provisions it. */
  readonly before?: Effect.Effect<void, unknown, Effect.Services<typeof withImages> | Instances>
  /** Each of them is disturbed; one unless given. */
  readonly steps?: number
}

/** Snapshot 1 and backup 1 exist; the result is the same in each run. */
const withImages = Effect.gen(function*() {
  yield* createSnapshot(owner, 1, "one")
  yield* operationTime
  const { schedule } = yield* Backups
  yield* (yield* Transaction).run(Effect.andThen(schedule(1, 0), startBackup(1, 0)))
  yield* (yield* WorkerNotifier).notify
  yield* operationTime
})

const suspended = Effect.flatMap(
  Effect.all([Transaction, Instances]),
  ([{ run }, { suspend }]) => run(suspend(1, { reason: "sends spam", note: null, freeSince: null, frozen: false }))
)

/** Suspended while it ran, powered off, and open again. */
const lifted = Effect.gen(function*() {
  const { run } = yield* Transaction
  const { setPower, unsuspend } = yield* Instances
  yield* suspended
  yield* run(Effect.andThen(setPower(1, "off"), unsuspend(1, 0)))
})

/** Its period is over. The wallet pays for the next one, so that it comes back as soon as it is powered off. */
const expired = Effect.flatMap(
  Effect.all([Transaction, Instances]),
  ([{ run }, { subscriptions }]) => run(subscriptions.expire(1, EXPIRY_GRACE_MILLIS))
)

const CASES: ReadonlyArray<Case> = [
  { type: "provision", params: JSON.stringify({ ssh_pubkey: null }) },
  { type: "start", params: "{}" },
  { type: "stop", params: "{}" },
  { type: "restart", params: "{}" },
  { type: "reinstall", params: JSON.stringify({ os: "debian-13", ssh_pubkey: "ssh-ed25519 AAAA" }) },
  { type: "resize", params: JSON.stringify({ plan_id: 2, price: 999, previous_id: 1 }) },
  { type: "set_hostname", params: JSON.stringify({ hostname: "new.example.test" }) },
  { type: "set_rdns", params: JSON.stringify({ ip: "198.18.0.1", ptr: "new.example.test" }) },
  { type: "snapshot_create", params: JSON.stringify({ snapshot_id: 1 }), before: withImages },
  { type: "snapshot_restore", params: JSON.stringify({ snapshot_id: 1 }), before: withImages },
  { type: "snapshot_delete", params: JSON.stringify({ snapshot_id: 1 }), before: withImages },
  { type: "backup_create", params: JSON.stringify({ backup_id: 1 }), before: withImages },
  { type: "backup_restore", params: JSON.stringify({ backup_id: 1 }), before: withImages },
  { type: "iso_mount", params: JSON.stringify({ iso_id: 2, previous_id: null }) },
  { type: "iso_unmount", params: JSON.stringify({ iso_id: null, previous_id: 2 }) },
  { type: "rescue_enter", params: "{}", steps: 2 },
  { type: "rescue_exit", params: "{}", steps: 2 },
  { type: "suspend", params: "{}", before: suspended },
  { type: "unsuspend", params: "{}", before: lifted },
  { type: "expire", params: "{}", before: expired },
  { type: "move", params: JSON.stringify({ host: "fra-node-7", allowsDowntime: false }) },
  { type: "terminate", params: "{}", before: withImages }
]

/** Those that a caller waits for. */
const WAITED = new Set<TaskType>(["set_hostname", "set_rdns", "rescue_enter", "rescue_exit"])

const queueTask = Effect.fnUntraced(function*({ params, type }: Case, more: Partial<NewTask> = {}) {
  const at = yield* Clock.currentTimeMillis
  const tasks = yield* Tasks
  const task = { instanceId: 1, type, params, actor: "system", apiKeyId: null, requestId: null, sealed: null } as const
  const id = yield* (yield* Transaction).run(tasks.insert({ ...task, runAt: at, at, leaseUntil: null, ...more }))
  yield* (yield* WorkerNotifier).notify
  return id
})

/** Each once, but for the boot mode, which every try sets under a key of its own: it may have been set back. */
const OPERATIONS = `SELECT DISTINCT CASE WHEN type LIKE 'rescue_%' THEN '' ELSE key END AS key, type
  FROM simulated_operations ORDER BY key, type`

/** Everything the outcome consists of: our record, and the upstream's. */
const outcome = Effect.gen(function*() {
  const instance = (yield* (yield* Instances).find(1))!
  return {
    // The two runs that are compared begin at different moments.
    instance: { ...instance, createdAt: 0, paidFrom: 0, expiresAt: 0, graceUntil: 0 },
    order: yield* rows("SELECT plan_id, price, status FROM orders"),
    snapshots: yield* rows("SELECT id, name, os, status, size_bytes FROM snapshots"),
    backups: yield* rows("SELECT id, os, status, size_bytes FROM backups"),
    machines: yield* rows(
      "SELECT tag, hostname, os, plan, node, power, boot_mode, iso, ssh_key, address FROM simulated_machines"
    ),
    images: yield* rows("SELECT tag, name, os, hostname, size_bytes FROM simulated_images"),
    ptr: yield* rows("SELECT ip, ptr FROM simulated_ptr_records"),
    operations: yield* rows(OPERATIONS),
    tasks: yield* rows("SELECT id, type, status FROM tasks ORDER BY id"),
    journals: yield* rows(
      "SELECT kind, amount FROM journals j JOIN entries e ON e.journal_id = j.id ORDER BY j.id, line"
    )
  }
})

/** Instance 1, deployed; only bought when the task is to build it. The last task is the one that is looked at. */
const prepare = Effect.fnUntraced(function*({ before, type }: Case) {
  yield* buy()
  if (type === "provision") return
  yield* deployTime
  if (before !== undefined) yield* before
})

const undisturbedRun = (of: Case) =>
  Effect.gen(function*() {
    yield* prepare(of)
    if (of.type !== "provision") yield* queueTask(of)
    yield* elapse(70_000, 1_000)
    return yield* outcome
  }).pipe(Effect.provide(Layer.provide(serviceLayer(), fixedTags)))

type Outcome = Effect.Success<ReturnType<typeof undisturbedRun>>

const outcomes = new Map<Case, Outcome>()

/** The outcome is the same in each run, which `disturbed` runs rely on, too: one run for each plan. */
const undisturbed = Effect.fnUntraced(function*(of: Case) {
  const expected = outcomes.get(of) ?? (yield* undisturbedRun(of))
  outcomes.set(of, expected)
  return expected
})

/** One task, with a mishap at the submission of one of its steps. */
const disturbedAt = (of: Case, mishaps: ReadonlyArray<Mishap | undefined>) =>
  Effect.gen(function*() {
    const upstream = yield* Upstream
    if (of.type === "provision") upstream.mishaps.push(...mishaps)
    yield* prepare(of)
    if (of.type !== "provision") {
      upstream.mishaps.push(...mishaps)
      yield* queueTask(of)
    }
    yield* elapse(70_000, 1_000)
    return yield* outcome
  }).pipe(Effect.provide(Layer.provide(serviceLayer(), fixedTags)))

const disturbances = ({ steps = 1 }: Case) =>
  Array.from({ length: steps }, (_, step) => [["fault", step + 1], ["lost", step + 1]] as const).flat()

it("covers every type of task except a password reset, whose result only its caller knows", () => {
  const here = new Set(CASES.map(({ type }) => type))
  assert.deepStrictEqual(OPERATION_TYPES.filter((type) => !here.has(type)), ["reset_password"])
})

describe.each(CASES)("the plan of $type", (of) => {
  it.effect.each(disturbances(of))("survives a %s at its step %i", ([kind, step]) =>
    Effect.gen(function*() {
      const mishap = kind === "lost" ? kind : new Unavailable({ reason: "away" })
      const disturbed = yield* disturbedAt(of, [...Array.from({ length: step - 1 }, () => undefined), mishap])
      const expected = yield* undisturbed(of)
      assert.deepInclude(expected.tasks.map(([, type, status]) => `${type} ${status}`), `${of.type} succeeded`)
      if (!WAITED.has(of.type)) return assert.deepStrictEqual(disturbed, expected)
      // A task with a waiting caller has one attempt; another one finds out how it ended. The lock is free.
      assert.deepStrictEqual(disturbed.tasks.slice(1), [[2, of.type, "failed"], [3, of.type, "succeeded"]])
      assert.isUndefined(disturbed.instance.task)
    }))

  it.effect("survives two crashes after its step", () =>
    Effect.gen(function*() {
      const disturbed = yield* Effect.gen(function*() {
        yield* Effect.provide(prepare(of), Worker.layer)
        if (of.type !== "provision") yield* queueTask(of)
        yield* crashAfterSteps
        yield* crashAfterSteps
        yield* Effect.provide(elapse(3_000), Worker.layer)
        return yield* outcome
      }).pipe(Effect.provide(Layer.provide(coreLayer(), fixedTags)))
      assert.deepStrictEqual(disturbed, yield* undisturbed(of))
    }))
})

describe("a crash after the reboot into the rescue system", () => {
  it.effect("is recorded as a reboot, although the upstream is too busy to repeat it", () =>
    Effect.gen(function*() {
      const of = CASES.find(({ type }) => type === "rescue_enter")!
      yield* Effect.provide(prepare(of), Worker.layer)
      yield* queueTask(of)
      yield* crashAfterSteps
      ;(yield* Upstream).mishaps.push(undefined, new Busy({ reason: "busy" }))
      yield* Effect.provide(elapse(3_000), Worker.layer)
      assert.strictEqual((yield* machineOf(1))?.booted, "rescue")
      const { booted, task } = (yield* (yield* Instances).find(1))!
      assert.deepStrictEqual({ booted, task }, { booted: "rescue", task: undefined })
    }).pipe(Effect.provide(Layer.provide(coreLayer(), fixedTags))))
})

/** Does all steps of the due task and stops before their outcome is recorded. */
const crashAfterSteps = Effect.gen(function*() {
  const tasks = yield* Tasks
  const now = yield* Clock.currentTimeMillis
  const transaction = yield* Transaction
  yield* transaction.run(tasks.expireLeases)
  const claimed = yield* transaction.run(tasks.claim(now, now + LEASE_MILLIS, 1))
  const job = yield* contextOf(claimed[0]!)
  const plan: Saga = sagaOf(job)
  yield* Effect.forkChild(execute(job, plan, () => Effect.void))
  yield* settle
  yield* elapse(1_100)
})
