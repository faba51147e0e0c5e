/** Carrying out one restore, once: every one has an identity, and the feed shows whether it was begun. */
import type { ActionResult } from "#contract/Instance"
import { createHash } from "node:crypto"
import { deadlineOf } from "../attached/Attached.ts"
import { awaitTask, findTask, hasFailed, newestTask } from "../waiting/ActivityFeed.ts"
import { RETRY_WINDOW } from "../waiting/Retry.ts"
import { type Deadline, retryIdempotent } from "../waiting/Retry.ts"
import { explain, isRefusal, PartialCreateError, UserError, WaitTimeoutError } from "../api/Errors.ts"
import { nameOf, present, type Properties } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"
import type { RestoreInputs } from "./Definition.ts"

export interface Restore {
  readonly inputs: RestoreInputs
  /** The snapshot or the backup. */
  readonly from: number
  /** For people: "snapshot 12". */
  readonly source: string
  /** As the feed calls it. */
  readonly type: "snapshot_restore" | "backup_restore"
  readonly call: (requestId: string) => Promise<ActionResult>
  readonly owner: number | undefined
  readonly phase: "create" | "update"
}

/**
 * The id under which the feed shows this restore: the same when it is tried again. It depends on the restore before it,
 * so that going back to earlier triggers is another one.
 */
const requestIdOf = (session: Session, { from, inputs, type }: Restore, before: unknown): string => {
  const { __urn, instanceId, triggers = null } = inputs
  const identity = [session.settings.idempotencyScope, __urn, type, instanceId, from, triggers, before ?? null]
  return `pulumi-${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`
}

/** `before` is the task of the restore before this one. Answers the outputs. */
export const runRestore = async (session: Session, restore: Restore, before: unknown): Promise<Properties> => {
  const deadline = deadlineOf(session, restore.inputs, restore.phase)
  const taskId = await startRestore(session, restore, requestIdOf(session, restore, before), deadline)
  return await awaitRestore(session, restore, taskId, deadline)
}

/** The id of the restore's task, begun now or by an earlier try. */
const startRestore = async (
  session: Session,
  restore: Restore,
  requestId: string,
  deadline: Deadline
): Promise<number> => {
  const { call, inputs, source, type } = restore
  const [name, id] = [nameOf(inputs.__urn), Number(inputs.instanceId)]
  const since = session.host.now() - RETRY_WINDOW
  const earlier = await findTask(session, id, since, (task) => task.request_id === requestId)
  if (earlier !== undefined && !hasFailed(earlier)) {
    session.host.warn(
      `${name}: ${source} was restored on server ${id} by an earlier run (task ${earlier.id} of `
        + `${earlier.created_at}), so it is not restored again; other triggers restore it once more`
    )
    return earlier.id
  }
  const newest = await newestTask(session, id)
  let asked = false
  const once = async (): Promise<number> => {
    // Not every host shows request ids; whatever of this kind began after we first asked is ours.
    const begun = asked
      ? await findTask(session, id, 0, (task) => task.id > newest && task.type === type && !hasFailed(task))
      : undefined
    if (begun !== undefined) return begun.id
    asked = true
    return (await call(requestId)).task_id ?? await newestTask(session, id)
  }
  try {
    return await retryIdempotent(session, name, deadline, once)
  } catch (error) {
    const outcome = isRefusal(error) && !(error instanceof WaitTimeoutError)
      ? "Nothing was restored and nothing on the disk has changed"
      : "If it was begun after all, `pulumi up` sees that in the feed; it never restores twice"
    throw new UserError(`${name}: ${source} was not restored on server ${id}: ${explain(error)}. ${outcome}`, {
      cause: error
    })
  }
}

/**
 * Waits until it has ended.
 * @throws PartialCreateError when the wait ends early: it goes on. UserError when it failed.
 */
export const awaitRestore = async (
  session: Session,
  { from, inputs, owner, source }: Restore,
  taskId: number,
  deadline: Deadline
): Promise<Properties> => {
  const [name, instanceId] = [nameOf(inputs.__urn), Number(inputs.instanceId)]
  const outputs = present({ ...inputs, taskId, restoredFrom: from, userId: owner })
  try {
    const task = await awaitTask(session, { instanceId, taskId, name, deadline, action: `restoring ${source}` })
    session.host.info(`${name}: ${source} is restored on server ${instanceId}`)
    return present({ ...outputs, restoredAt: task.finished_at })
  } catch (error) {
    if (error instanceof UserError && !(error instanceof WaitTimeoutError)) {
      throw new UserError(`${error.message}. The disk may be in between; \`pulumi up\` restores it again`)
    }
    throw new PartialCreateError(idOf(inputs), outputs, [
      `${name}: restoring ${source} on server ${instanceId} is begun, but not finished: ${explain(error)}. `
      + "Run `pulumi up` again to go on waiting; it is not restored twice"
    ])
  }
}

/** An act has no id of its own at the service: the resource's name tells the restores of an instance apart. */
export const idOf = ({ __urn, instanceId }: RestoreInputs): string => `${instanceId}/${nameOf(__urn)}`
