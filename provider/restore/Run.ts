/** Runs a restore exactly once: each has an identity, and the activity feed shows whether it was started. */
import { createHash } from "node:crypto"
import type { ActionResult, Task } from "#sdk/client/Records"
import { explain, isFinal, isRefusal, PartialCreateError, sentence, UserError } from "../api/Errors.ts"
import { deadlineOf } from "../attached/Attached.ts"
import { nameOf, present, type Properties } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"
import { awaitTask, findTask, hasFailed, newestTask, newestTasks } from "../waiting/ActivityFeed.ts"
import { type Deadline, retryIdempotent } from "../waiting/Retry.ts"
import type { RestoreInputs } from "./Definition.ts"

export interface Restore {
  readonly inputs: RestoreInputs
  /** The snapshot or the backup. */
  readonly from: number
  /** For messages: "snapshot 12". */
  readonly source: string
  /** The type of its task. */
  readonly type: "snapshot_restore" | "backup_restore"
  readonly call: (requestId: string) => Promise<ActionResult>
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
  return `pulumi-${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`
}

/** `before` is the task of the previous restore. Returns the outputs. */
export const runRestore = async (session: Session, restore: Restore, before: unknown): Promise<Properties> => {
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
  return tasks.find((task) => task.request_id !== null && ours.has(task.request_id) && !hasFailed(task))
}

/** The id of the restore's task, started now or by an earlier run. */
const startRestore = async (
  session: Session,
  restore: Restore,
  before: unknown,
  deadline: Deadline
): Promise<number> => {
  const { call, inputs, source, type } = restore
  const [name, id] = [nameOf(inputs.__urn), Number(inputs.instanceId)]
  const earlier = await findEarlier(session, restore, before)
  if (earlier !== undefined) {
    session.host.warn(
      `${name}: ${source} was restored on instance ${id} by an earlier run (task ${earlier.id} of `
        + `${earlier.created_at}), so it is not restored again. Change triggers to restore it once more`
    )
    return earlier.id
  }
  const requestId = requestIdOf(session, restore, before)
  const newest = await newestTask(session, id)
  let isRetry = false
  /** A response was lost: the service may have started the restore. */
  let isLost = false
  const once = async (): Promise<number> => {
    // Not every service shows request ids: a task of this type that started after our first request is ours.
    const started = isRetry
      ? await findTask(session, id, 0, (task) => task.id > newest && task.type === type && !hasFailed(task))
      : undefined
    if (started !== undefined) return started.id
    isRetry = true
    try {
      return (await call(requestId)).task_id ?? await newestTask(session, id)
    } catch (error) {
      isLost ||= !isRefusal(error)
      throw error
    }
  }
  try {
    return await retryIdempotent(session, name, deadline, once)
  } catch (error) {
    const problem = isLost ? `it is unknown whether ${source} was restored` : `${source} was not restored`
    const outcome = isLost
      ? "Run `pulumi up` again: it looks in the activity feed first and never restores twice"
      : "The disk is unchanged. Run `pulumi up` again"
    throw new UserError(`${name}: ${problem} on instance ${id}: ${sentence(explain(error))} ${outcome}`, error)
  }
}

/**
 * Waits until it has ended.
 * @throws PartialCreateError when the wait ends early: the restore continues. UserError when it failed.
 */
export const awaitRestore = async (
  session: Session,
  { from, inputs, parent, source }: Restore,
  taskId: number,
  deadline: Deadline
): Promise<Properties> => {
  const [name, instanceId] = [nameOf(inputs.__urn), Number(inputs.instanceId)]
  const outputs = present({ ...inputs, taskId, restoredFrom: from, ...parent })
  try {
    const task = await awaitTask(session, { instanceId, taskId, name, deadline, action: `restoring ${source}` })
    session.host.info(`${name}: ${source} was restored on instance ${instanceId}`)
    return present({ ...outputs, restoredAt: task.finished_at })
  } catch (error) {
    if (isFinal(error)) {
      throw new UserError(
        `${sentence(error.message)} The disk may be in an intermediate state. Run \`pulumi up\` to restore it again`
      )
    }
    throw new PartialCreateError(idOf(inputs), outputs, [
      `${name}: restoring ${source} on instance ${instanceId} was started but is not finished yet: ${
        sentence(explain(error))
      } `
      + "Run `pulumi up` again to keep waiting; it is not restored twice"
    ])
  }
}

/** A restore has no id at the service: the resource's name distinguishes the restores of an instance. */
export const idOf = ({ __urn, instanceId }: RestoreInputs): string => `${instanceId}/${nameOf(__urn)}`
