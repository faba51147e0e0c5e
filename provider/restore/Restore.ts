/** The lifecycle of SnapshotRestore and BackupRestore: an action as a resource, run once per change of triggers. */
import { UserError } from "../api/Errors.ts"
import {
  assertParentReachable,
  checkAttached,
  deadlineOf,
  diffPlanned,
  identifyParent,
  observeParent,
  readAttached
} from "../attached/Attached.ts"
import type { CheckFailure, Definition } from "../definition/Definition.ts"
import { isUnknown, nameOf, type Properties, same } from "../definition/Properties.ts"
import { parentInState } from "../session/Identity.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import type { Session } from "../session/Session.ts"
import { findTask, hasFailed } from "../waiting/ActivityFeed.ts"
import { asInputs, BACKUP_RESTORE, SNAPSHOT_RESTORE } from "./Definition.ts"
import { awaitRestore, idOf, type Restore, runRestore } from "./Run.ts"

/** The differences between the two. */
interface Kind {
  readonly definition: Definition
  readonly type: Restore["type"]
  /** The input is `<noun>Id`. */
  readonly noun: "snapshot" | "backup"
  readonly call: (session: Session, instanceId: number, from: number, requestId: string) => ReturnType<Restore["call"]>
}

const restoreOf = (
  session: Session,
  { call, noun, type }: Kind,
  properties: Properties,
  parent: Properties,
  phase: Restore["phase"]
): Restore => {
  const inputs = asInputs(properties)
  const from = Number(properties[`${noun}Id`])
  return {
    inputs,
    from,
    source: `${noun} ${from}`,
    type,
    call: (requestId) => call(session, Number(inputs.instanceId), from, requestId),
    parent,
    phase
  }
}

/** True when a restore is due. Unknown triggers are checked in the update; removed ones require nothing. */
const isDue = (olds: Properties | undefined, news: Properties): boolean => {
  if (olds === undefined) return true
  if (String(olds["instanceId"]) !== String(news["instanceId"])) return true
  const { triggers } = news
  return triggers !== undefined && !isUnknown(triggers) && !same(olds["triggers"], triggers)
}

const checkDataLoss = (session: Session, { noun }: Kind, inputs: Properties): ReadonlyArray<CheckFailure> => {
  const what = isUnknown(inputs[`${noun}Id`]) ? `the ${noun}` : `${noun} ${String(inputs[`${noun}Id`])}`
  const where = isUnknown(inputs["instanceId"]) ? "the instance" : `instance ${String(inputs["instanceId"])}`
  const loss = `restoring ${what} overwrites the disk of ${where}; newer data on it is lost`
  if (inputs["allowDataLoss"] === true) session.host.warn(`${nameOf(inputs["__urn"])}: ${loss}`)
  // An unknown value is checked in the update.
  if (inputs["allowDataLoss"] === true || isUnknown(inputs["allowDataLoss"])) return []
  return [{ property: "", reason: `${loss}. Set allowDataLoss: true to allow it` }]
}

const lifecycle = (kind: Kind): Lifecycle => ({
  check: async (session, olds, news) => {
    const checked = await checkAttached(session, kind.definition, olds, news)
    if (checked.failures.length > 0 || !isDue(olds, checked.inputs)) return checked
    return { ...checked, failures: checkDataLoss(session, kind, checked.inputs) }
  },
  diff: async (session, id, olds, news) => {
    const difference = await diffPlanned(session, kind.definition, id, olds, news)
    // After a partial create the engine calls `update` by itself, but not after a refresh in between.
    const pending = olds["restoredAt"] === undefined ? ["restoredAt"] : []
    return { ...difference, changed: [...difference.changed, ...pending] }
  },
  create: async (session, properties) => {
    const inputs = asInputs(properties)
    return await session.mutex.run(inputs.instanceId, async () => {
      const parent = await identifyParent(session, inputs, "nothing was restored")
      const outputs = await runRestore(session, restoreOf(session, kind, properties, parent, "create"), undefined)
      return { id: idOf(inputs), outputs }
    })
  },
  read: (session, _id, outputs) => readAttached(session, kind.definition, outputs),
  update: (session, _id, olds, properties) => update(session, kind, olds, properties),
  // A restore cannot be undone.
  delete: (session, _id, outputs) => assertParentReachable(session, outputs)
})

const update = async (
  session: Session,
  kind: Kind,
  olds: Properties,
  properties: Properties
): Promise<Properties> => {
  const inputs = asInputs(properties)
  const { restoredAt, restoredFrom, taskId } = olds
  const due = isDue(olds, properties)
  if (!due && restoredAt !== undefined) {
    const [name, source] = [nameOf(inputs.__urn), `${kind.noun}Id`]
    if (restoredFrom !== properties[source]) {
      session.host.info(`${name}: ${source} is recorded for the next restore; change triggers to restore it now`)
    }
    return { ...properties, taskId, restoredFrom, restoredAt, ...parentInState(olds) }
  }
  return await session.mutex.run(inputs.instanceId, async () => {
    if ((await observeParent(session, olds)) === undefined) {
      throw new UserError(
        `${nameOf(inputs.__urn)}: instance ${inputs.instanceId} no longer exists, so nothing was restored. `
          + "Run `pulumi refresh` to remove both from the state."
      )
    }
    const restore = restoreOf(session, kind, properties, parentInState(olds), "update")
    const started = due ? undefined : await findStartedTask(session, olds)
    if (started === undefined) return await restoreAgain(session, restore, taskId)
    const from = Number(restoredFrom)
    const deadline = deadlineOf(session, inputs, "update")
    return await awaitRestore(session, { ...restore, from, source: `${kind.noun} ${from}` }, started, deadline)
  })
}

/** The task that an earlier run started without seeing its end; undefined when it failed. */
const findStartedTask = async (session: Session, { instanceId, taskId }: Properties): Promise<number | undefined> => {
  const task = await findTask(session, Number(instanceId), 0, ({ id }) => id === taskId)
  return task === undefined || hasFailed(task) ? undefined : task.id
}

/** A failed restore is due again, which `check` could not see. */
const restoreAgain = (session: Session, restore: Restore, before: unknown): Promise<Properties> => {
  const { inputs, source } = restore
  if (inputs.allowDataLoss === true) return runRestore(session, restore, before)
  throw new UserError(
    `${
      nameOf(inputs.__urn)
    }: ${source} was not restored on instance ${inputs.instanceId}: newer data on the disk would `
      + "be lost. Set allowDataLoss: true to allow it"
  )
}

export const snapshotRestoreLifecycle = lifecycle({
  definition: SNAPSHOT_RESTORE,
  type: "snapshot_restore",
  noun: "snapshot",
  call: (session, instanceId, from, requestId) => session.api.snapshotRestore(instanceId, from, requestId)
})

export const backupRestoreLifecycle = lifecycle({
  definition: BACKUP_RESTORE,
  type: "backup_restore",
  noun: "backup",
  call: (session, instanceId, from, requestId) => session.api.backupRestore(instanceId, from, requestId)
})
