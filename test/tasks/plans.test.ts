/** Every step of every plan of this slice, failed once and repeated twice: the outcome is the same as undisturbed. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Plan } from "#service/tasks/Plan"
import { LEASE_MILLIS } from "#service/Limits"
import { Instances } from "#service/persistence/Instances"
import { Database } from "#service/persistence/sqlite/Database"
import { type NewTask, Tasks, type TaskType } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { Unavailable } from "#service/provisioning/Driver"
import { carryOut, jobOf, planOf } from "#service/tasks/Execution"
import * as Worker from "#service/tasks/Worker"
import { Wake } from "#service/Wake"
import { buy, coreLayer, deployTime, elapse, serviceLayer, settle } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

interface Case {
  readonly type: TaskType
  readonly params: string
}

/** On instance 1, which runs as sim-1 unless the task is to build it. */
const CASES: ReadonlyArray<Case> = [
  { type: "provision", params: JSON.stringify({ ssh_pubkey: null }) },
  { type: "start", params: "{}" },
  { type: "stop", params: "{}" },
  { type: "restart", params: "{}" },
  { type: "set_hostname", params: JSON.stringify({ hostname: "new.example.test" }) },
  { type: "set_rdns", params: JSON.stringify({ ip: "198.18.0.1", ptr: "new.example.test" }) },
  { type: "terminate", params: "{}" }
]

const queueTask = Effect.fnUntraced(function*({ params, type }: Case, more: Partial<NewTask> = {}) {
  const at = yield* Clock.currentTimeMillis
  const tasks = yield* Tasks
  const task = { instanceId: 1, type, params, actor: "system", apiKeyId: null, requestId: null, sealed: null } as const
  const id = yield* (yield* Transaction).run(tasks.insert({ ...task, runAt: at, at, leaseUntil: null, ...more }))
  yield* (yield* Wake).worker
  return id
})

/** Everything the outcome consists of: our record, and the upstream's. */
const outcome = Effect.gen(function*() {
  const { all } = yield* Database
  const instance = (yield* (yield* Instances).find(1))!
  return {
    // The two runs that are compared begin at different moments.
    instance: { ...instance, createdAt: 0, expiresAt: 0 },
    machines: all("SELECT tag, hostname, power, address FROM simulated_machines")(),
    ptr: all("SELECT ip, ptr FROM simulated_ptr_records")(),
    operations: all("SELECT key, type FROM simulated_operations ORDER BY key")(),
    tasks: all("SELECT id, type, status FROM tasks ORDER BY id")()
  }
})

/** Instance 1, deployed; only bought when the task is to build it. The second task is the one that is looked at. */
const prepare = Effect.fnUntraced(function*({ type }: Case) {
  yield* buy()
  if (type === "provision") return
  yield* deployTime
})

const undisturbed = (of: Case) =>
  Effect.gen(function*() {
    yield* prepare(of)
    if (of.type !== "provision") yield* queueTask(of)
    yield* elapse(70_000, 1_000)
    return yield* outcome
  }).pipe(Effect.provide(serviceLayer()))

describe.each(CASES)("the plan of $type", (of) => {
  it.effect.each(["fault", "lost"] as const)("survives a %s at its step", (kind) =>
    Effect.gen(function*() {
      const disturbed = yield* Effect.gen(function*() {
        const upstream = yield* Upstream
        const mishap = kind === "lost" ? kind : new Unavailable({ reason: "away" })
        if (of.type === "provision") upstream.mishaps.push(mishap)
        yield* prepare(of)
        if (of.type !== "provision") {
          upstream.mishaps.push(mishap)
          yield* queueTask(of)
        }
        yield* elapse(70_000, 1_000)
        return yield* outcome
      }).pipe(Effect.provide(serviceLayer()))
      const expected = yield* undisturbed(of)
      // What a caller waits for is tried once: the lock is free, and nothing has changed on our side.
      if (of.type.startsWith("set_")) {
        assert.deepStrictEqual(disturbed.tasks[1], [2, of.type, "failed"])
        assert.isUndefined(disturbed.instance.task)
        return
      }
      assert.deepStrictEqual(disturbed, expected)
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
      }).pipe(Effect.provide(coreLayer()))
      assert.deepStrictEqual(disturbed, yield* undisturbed(of))
    }))
})

/** Does all steps of the due task and stops before their outcome is recorded. */
const crashAfterSteps = Effect.gen(function*() {
  const tasks = yield* Tasks
  const now = yield* Clock.currentTimeMillis
  const transaction = yield* Transaction
  yield* transaction.run(tasks.abandonLeases)
  const claimed = yield* transaction.run(tasks.claim(now, now + LEASE_MILLIS, 1))
  const job = yield* jobOf(claimed[0]!)
  const plan: Plan = planOf(job)
  yield* Effect.forkChild(carryOut(job, plan, () => Effect.void))
  yield* settle
  yield* elapse(1_100)
})
