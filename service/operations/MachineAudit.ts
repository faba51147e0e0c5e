/** Compares what should run with what does, and repairs what is safe to repair. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import { audit, type Finding, keyOf, type Repair } from "../domain/MachineAudit.ts"
import { Instances } from "../persistence/Instances.ts"
import { OperatorLists } from "../persistence/OperatorLists.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Driver, idOf, tagOf } from "../provisioning/Driver.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import { enqueueAs } from "./Enqueue.ts"
import { Start, Stop } from "./Power.ts"

const compare = Effect.gen(function*() {
  const { AUDIT_RESTARTS_MAX, AUDIT_RESTARTS_WINDOW_MILLIS } = yield* Limits
  const since = (yield* Clock.currentTimeMillis) - AUDIT_RESTARTS_WINDOW_MILLIS
  const contents = yield* (yield* Driver).list
  const instances = yield* (yield* OperatorLists).machines(since)
  return audit(
    contents,
    instances.map(({ id, restarts, ...instance }) => ({
      ...instance,
      tag: tagOf(id),
      isRestartable: restarts < AUDIT_RESTARTS_MAX
    }))
  )
})

/** The differences that two comparisons in a row have found: machines change while they are listed. */
export const findDifferences = Effect.gen(function*() {
  const first = new Set((yield* compare).map(keyOf))
  if (first.size === 0) return []
  return (yield* compare).filter((finding) => first.has(keyOf(finding)))
})

/** The owner sees in the feed why the instance is stopped. */
const giveUp = Effect.fnUntraced(function*(instanceId: number, at: number) {
  yield* (yield* Instances).setPower(instanceId, "off")
  const error = "The instance crashed too often, so it is not started again. Start it, and look at its console."
  yield* (yield* Tasks).recordAudit({
    instanceId,
    type: "start",
    status: "failed",
    actor: "system",
    apiKeyId: null,
    requestId: null,
    error,
    at
  })
})

/** In a transaction; false if the instance has changed since it was compared. */
const repairOne = Effect.fnUntraced(function*(id: number, repair: Repair) {
  const instances = yield* Instances
  const instance = yield* instances.find(id)
  if (instance === undefined || (yield* (yield* Tasks).open(id)) !== undefined) return false
  const isActive = instance.lifecycle === "active"
  const at = yield* Clock.currentTimeMillis
  switch (repair) {
    case "start":
      if (!isActive || instance.power === "off") return false
      yield* enqueueAs("system", id, Start.task({}), at)
      return true
    case "stop":
      if (isActive) return false
      yield* enqueueAs("system", id, Stop.task({}), at)
      return true
    case "give_up":
      if (!isActive || instance.power === "off") return false
      yield* giveUp(id, at)
      return true
    default: {
      const power = repair === "record_on" ? "on" : "off"
      if (!isActive || instance.power === power) return false
      yield* instances.setPower(id, power)
      return true
    }
  }
})

/** Repairs what is safe, up to a limit: a defect that is found everywhere must not change everything at once. */
export const repair = Effect.fnUntraced(function*(findings: ReadonlyArray<Finding>) {
  const { AUDIT_REPAIRS_MAX } = yield* Limits
  const { run } = yield* Transaction
  const repaired: Array<Finding> = []
  for (const finding of findings) {
    if (finding.repair === null || repaired.length >= AUDIT_REPAIRS_MAX) continue
    if (yield* run(repairOne(idOf(finding.tag!)!, finding.repair))) repaired.push(finding)
  }
  if (repaired.length > 0) yield* (yield* WorkerNotifier).notify
  return repaired
})
