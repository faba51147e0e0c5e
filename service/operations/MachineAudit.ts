/** Compares what should run with what does, and repairs what is safe to repair. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import type { AuditedInstance, Finding, HostContents, Scope } from "../domain/Finding.ts"
import { type Departures, departures } from "../domain/Departures.ts"
import { diskLimits } from "../domain/DiskPromises.ts"
import { differences, keyOf } from "../domain/MachineComparison.ts"
import { Hosts } from "../persistence/Hosts.ts"
import { Instances } from "../persistence/Instances.ts"
import { OperatorLists } from "../persistence/OperatorLists.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { idInTag } from "../persistence/MachineTag.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Driver } from "../provisioning/Driver.ts"
import { HostAdmin } from "../provisioning/HostAdmin.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import { takeIn } from "./DeploymentHold.ts"
import { enqueueAs } from "./Enqueue.ts"
import { Start, Stop } from "./Power.ts"
import type { Repair } from "../contract/Words.ts"

/** Stores how much disk each host may be promised for, by what it has reported. */
const storeLimits = Effect.fnUntraced(function*(
  contents: ReadonlyArray<HostContents>,
  instances: ReadonlyArray<AuditedInstance>
) {
  const limits = diskLimits(contents, instances)
  if (limits.size === 0) return
  const hosts = yield* Hosts
  yield* (yield* Transaction).run(Effect.gen(function*() {
    for (const { id, name } of yield* hosts.list) {
      const limit = limits.get(name)
      if (limit !== undefined) yield* hosts.setDiskLimit(id, limit)
    }
  }))
})

const compare = Effect.fnUntraced(function*(scope: Scope) {
  const { AUDIT_RESTARTS_MAX, AUDIT_RESTARTS_WINDOW_MILLIS } = yield* Limits
  const since = (yield* Clock.currentTimeMillis) - AUDIT_RESTARTS_WINDOW_MILLIS
  const contents = yield* (yield* Driver).list(scope)
  const instances = yield* (yield* OperatorLists).machines(since)
  yield* takeIn(contents, instances)
  const audited = instances.map(({ restarts, ...instance }) => ({
    ...instance,
    isRestartable: restarts < AUDIT_RESTARTS_MAX
  }))
  yield* storeLimits(contents, audited)
  const findings = differences(contents, audited, (yield* HostAdmin).byHand)
  return { contents, findings }
})

/** The differences that two comparisons in a row have found: machines change while they are listed. */
export const compareTwice = Effect.fnUntraced(function*(scope: Scope) {
  const earlier = yield* compare(scope)
  if (earlier.findings.length === 0) return earlier
  const first = new Set(earlier.findings.map(keyOf))
  const { contents, findings } = yield* compare(scope)
  return { contents, findings: findings.filter((finding) => first.has(keyOf(finding))) }
})

export const findDifferences = (scope: Scope) => Effect.map(compareTwice(scope), ({ findings }) => findings)

/** The machines that are off since their host was restarted, and those that their owners have shut down since. */
export const findPowerChanges = Effect.fnUntraced(function*(earlier: Departures) {
  const { AUDIT_DEPARTURE_MILLIS } = yield* Limits
  const { contents, findings } = yield* compareTwice("machines")
  const now = yield* Clock.currentTimeMillis
  const { decided, known } = departures(earlier, contents, findings, now, AUDIT_DEPARTURE_MILLIS)
  const changes = findings.filter(({ repair, tag }) =>
    repair === "start_again" || (repair === "record_off" && decided.has(tag!))
  )
  return { known, changes }
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

/** False if the machine does not reply: the next audit finds it again. */
const thaw = Effect.fnUntraced(function*(tag: string) {
  const driver = yield* Driver
  return driver.thaw !== undefined && (yield* Effect.isSuccess(driver.thaw(tag)))
})

/** False if the machine does not continue: the next audit finds it again. */
const resume = Effect.fnUntraced(function*(tag: string) {
  const driver = yield* Driver
  return driver.resume !== undefined && (yield* Effect.isSuccess(driver.resume(tag)))
})

/** False if the filter could not be set: the next audit finds it again. */
const protect = Effect.fnUntraced(function*(tag: string) {
  const driver = yield* Driver
  return driver.protect !== undefined && (yield* Effect.isSuccess(driver.protect(tag)))
})

/** The repairs that are calls to a machine, and change no record. */
const CALLS = { thaw, resume, protect }

const isCall = (repair: Repair): repair is keyof typeof CALLS => repair in CALLS

/** In a transaction; false if the instance has changed since it was compared. */
const repairOne = Effect.fnUntraced(function*(tag: string, repair: Exclude<Repair, keyof typeof CALLS>) {
  const instances = yield* Instances
  const id = idInTag(tag) ?? 0
  const instance = yield* instances.find(id)
  if (instance?.tag !== tag || (yield* (yield* Tasks).open(id)) !== undefined) return false
  const isActive = instance.lifecycle === "active"
  const at = yield* Clock.currentTimeMillis
  switch (repair) {
    case "start":
    case "start_again":
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

/**
 * Repairs what is safe, up to a limit: a defect that is found everywhere must not change everything at once. All
 * machines of a host that was restarted are started.
 */
export const repair = Effect.fnUntraced(function*(findings: ReadonlyArray<Finding>) {
  const { AUDIT_REPAIRS_MAX } = yield* Limits
  const { run } = yield* Transaction
  const repaired: Array<Finding> = []
  let counted = 0
  for (const finding of findings) {
    const isCounted = finding.repair !== "start_again"
    if (finding.repair === null || (isCounted && counted >= AUDIT_REPAIRS_MAX)) continue
    const { repair } = finding
    const tag = finding.tag!
    const isRepaired = isCall(repair) ? CALLS[repair](tag) : run(repairOne(tag, repair))
    if (!(yield* isRepaired)) continue
    repaired.push(finding)
    if (isCounted) counted++
  }
  if (repaired.length > 0) yield* (yield* WorkerNotifier).notify
  return repaired
})
