/**
 * The restore of a snapshot or a backup, as a resource. It runs exactly once: each has an identity, and the
 * activity feed shows whether it was started.
 */
import { createHash } from "node:crypto"
import type { View } from "@pulumi-vps/sdk/client/host/View"
import type { ActionResult } from "@pulumi-vps/sdk/client/Records"
import { explain, isFinal, isRefusal, PartialCreateError, sentence, UserError } from "../api/Errors.ts"
import {
  assertParentReachable,
  checkAttached,
  deadlineOf,
  diffPlanned,
  identifyParent,
  inputsOf,
  observeParent,
  readAttached
} from "../attached/Attached.ts"
import { isUnknown, nameOf, present, type Properties, same } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"
import { awaitTask, findTask, hasFailed, newestTask, newestTasks, type Task } from "../waiting/ActivityFeed.ts"
import { awaitChange } from "../waiting/Completion.ts"
import { type Deadline, retryIdempotent } from "../waiting/Retry.ts"
import { asInputs, BACKUP_RESTORE, type RestoreInputs, SNAPSHOT_RESTORE } from "./Definition.ts"
import type { CheckFailure, Definition, OutputValues } from "../definition/Definition.ts"
import { parentInState } from "../session/Identity.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"

export interface Restore {
  readonly inputs: RestoreInputs
  /** The snapshot or the backup. */
  readonly from: number
  /** For messages: "snapshot 12". */
  readonly source: string
  /** The type of its task. */
  readonly type: "snapshot_restore" | "backup_restore"
  readonly call: (requestId: string) => Promise<View<ActionResult>>
  /** The outputs that identify the instance. */
  readonly parent: Properties
  readonly phase: "create" | "update"
}

/**
 * The request id of this restore: the same when it is retried. It depends on `before`, the task of the previous
 * restore, so that returning to earlier triggers is another one.
 */
const requestIdOf = (session: Session, { from, inputs, type }: Restore, before: unknown): string => {
  const { __urn, instanceId, triggers = null } = inputs
  const identity = [session.settings.idempotencyScope, __urn, type, instanceId, from, triggers, before ?? null]
  return `${session.words.prefix}-${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`
}

/** `before` is the task of the previous restore. Returns the outputs. */
const runRestore = async (session: Session, restore: Restore, before: unknown): Promise<Properties> => {
  const deadline = deadlineOf(session, restore.inputs, restore.phase)
  const taskId = await startRestore(session, restore, before, deadline)
  return await awaitRestore(session, restore, taskId, deadline)
}

/**
 * The task of an earlier run that has restored for these triggers, at any time: a destroy that the instance's policy
 * refuses takes the restore out of the state, and the next update must not overwrite the disk. A state that was lost
 * does not show the previous restore, which may be any in the feed.
 */
const findEarlier = async (session: Session, restore: Restore, before: unknown): Promise<Task | undefined> => {
  const tasks: Array<Task> = []
  for await (const task of newestTasks(session, Number(restore.inputs.instanceId))) {
    if (task.type === restore.type) tasks.push(task)
  }
  const previous = before === undefined ? [undefined, ...tasks.map(({ id }) => id)] : [before]
  const ours = new Set(previous.map((one) => requestIdOf(session, restore, one)))
  return tasks.find(({ request_id: id, ...task }) => typeof id === "string" && ours.has(id) && !hasFailed(task))
}

/** A response was lost, and the feed of this host does not show if the restore was started. */
class UnknownRestoreError extends Error {}

/** The id of the restore's task, started now or by an earlier run; undefined if the host shows none. */
const startRestore = async (
  session: Session,
  restore: Restore,
  before: unknown,
  deadline: Deadline
): Promise<number | undefined> => {
  const { call, inputs, source, type } = restore
  const [name, id] = [nameOf(inputs.__urn), Number(inputs.instanceId)]
  const earlier = await findEarlier(session, restore, before)
  if (earlier !== undefined) {
    session.host.warn(
      `${name}: ${source} was restored on instance ${id} by an earlier run (task ${earlier.id} of `
        + `${
          earlier.created_at ?? "an unknown time"
        }), so it is not restored again. Change triggers to restore it once more`
    )
    return earlier.id
  }
  const requestId = requestIdOf(session, restore, before)
  const newest = await newestTask(session, id)
  let isRetry = false
  /** A response was lost: the service may have started the restore. */
  let isLost = false
  const once = async (): Promise<number | undefined> => {
    if (isLost && newest === undefined) throw new UnknownRestoreError("nothing shows if the restore was started")
    // Not every service shows request ids: a task of this type that started after our first request is ours.
    const started = isRetry && newest !== undefined
      ? await findTask(session, id, 0, (task) => task.id > newest.id && task.type === type && !hasFailed(task))
      : undefined
    if (started !== undefined) return started.id
    isRetry = true
    try {
      return (await call(requestId)).task_id ?? (await newestTask(session, id))?.id
    } catch (error) {
      isLost ||= !isRefusal(error)
      throw error
    }
  }
  try {
    return await retryIdempotent(session, name, deadline, once)
  } catch (error) {
    if (isLost && newest === undefined) throw unknownOutcome(session, restore)
    const problem = isLost ? `it is unknown whether ${source} was restored` : `${source} was not restored`
    const outcome = isLost
      ? `Run ${session.words.update} again: it looks in the activity feed first and never restores twice`
      : `The disk is unchanged. Run ${session.words.update} again`
    throw new UserError(`${name}: ${problem} on instance ${id}: ${sentence(explain(error))} ${outcome}`, error)
  }
}

/** The state has it from now on, so that the next run does not restore once more. */
const unknownOutcome = (session: Session, { from, inputs, parent, source }: Restore): PartialCreateError => {
  const outputs = present({ ...inputs, restoredFrom: from, ...parent })
  return new PartialCreateError(idOf(inputs), outputs, [
    `${nameOf(inputs.__urn)}: the response was lost, and this host does not show if ${source} was restored on `
    + `instance ${inputs.instanceId}. It is never restored twice: run ${session.words.update} again to take it for `
    + "restored, and change triggers to restore it once more"
  ])
}

/** The end of the restore: that of its task, or now, if the host shows none. */
const awaitEnd = async (
  session: Session,
  { inputs, source }: Restore,
  taskId: number | undefined,
  deadline: Deadline
): Promise<string | null | undefined> => {
  const [name, instanceId] = [nameOf(inputs.__urn), Number(inputs.instanceId)]
  const wait = { instanceId, name, deadline, action: `restoring ${source}` }
  if (taskId !== undefined) return (await awaitTask(session, { ...wait, taskId })).finished_at
  await awaitChange(session, { ...wait, taskId, before: undefined })
  return new Date(session.host.now()).toISOString()
}

/**
 * Waits until it has ended.
 * @throws PartialCreateError when the wait ends early: the restore continues. UserError when it failed.
 */
const awaitRestore = async (
  session: Session,
  restore: Restore,
  taskId: number | undefined,
  deadline: Deadline
): Promise<Properties> => {
  const { from, inputs, parent, source } = restore
  const [name, instanceId] = [nameOf(inputs.__urn), Number(inputs.instanceId)]
  const outputs = present({ ...inputs, taskId, restoredFrom: from, ...parent })
  try {
    const restoredAt = await awaitEnd(session, restore, taskId, deadline)
    session.host.info(`${name}: ${source} was restored on instance ${instanceId}`)
    return present(
      {
        ...outputs,
        taskId,
        restoredFrom: from,
        userId: parent["userId"],
        restoredAt
      } satisfies OutputValues<typeof SNAPSHOT_RESTORE>
    )
  } catch (error) {
    if (isFinal(error)) {
      throw new UserError(
        `${
          sentence(error.message)
        } The disk may be in an intermediate state. Run ${session.words.update} to restore it `
          + "again"
      )
    }
    throw new PartialCreateError(idOf(inputs), outputs, [
      `${name}: restoring ${source} on instance ${instanceId} was started but is not finished yet: ${
        sentence(explain(error))
      } `
      + `Run ${session.words.update} again to keep waiting; it is not restored twice`
    ])
  }
}

/** A restore has no id at the service: the resource's name distinguishes the restores of an instance. */
const idOf = ({ __urn, instanceId }: RestoreInputs): string => `${instanceId}/${nameOf(__urn)}`

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
  return [{ property: "", reason: `${loss}. Set ${session.words.assign("allowDataLoss", true)} to allow it` }]
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
  delete: (session, _id, outputs) => assertParentReachable(session, outputs),
  inputsOf: (outputs) => inputsOf(kind.definition, outputs)
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
      session.host.info(
        `${name}: ${session.words.input(source)} is recorded for the next restore; change triggers to restore it now`
      )
    }
    return { ...properties, taskId, restoredFrom, restoredAt, ...parentInState(olds) }
  }
  return await session.mutex.run(inputs.instanceId, async () => {
    if ((await observeParent(session, olds)) === undefined) {
      throw new UserError(
        `${nameOf(inputs.__urn)}: instance ${inputs.instanceId} no longer exists, so nothing was restored. `
          + `Run ${session.words.refresh} to remove both from the state.`
      )
    }
    const restore = restoreOf(session, kind, properties, parentInState(olds), "update")
    // Without a task in the state, nothing shows the restore that was started: it is waited for, and not repeated.
    const isUnshown = !due && taskId === undefined
    const started = due || isUnshown ? undefined : await findStartedTask(session, olds)
    if (started === undefined && !isUnshown) return await restoreAgain(session, restore, taskId)
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
      + `be lost. Set ${session.words.assign("allowDataLoss", true)} to allow it`
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
