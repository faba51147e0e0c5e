/**
 * The end of a change, by the best sign that the host shows: its task, a status that says it, or, where the host shows
 * neither, a status that stays the same.
 */
import { Quiet } from "@pulumi-vps/sdk/client/host/Quiet"
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import type { ApiContext } from "../api/Api.ts"
import { isDocumentedStatus, isSettled } from "@pulumi-vps/sdk/client/host/Statuses"
import { awaitTask, showsTasks, type TaskWait, UnlistedTaskError } from "./ActivityFeed.ts"
import type { InstanceWatcher } from "./InstanceWatcher.ts"
import { timeLeft } from "./Retry.ts"

/** `nothing`: there was nothing to do. */
export type Sign = "nothing" | "task" | "status" | "unchanged"

type Condition = (instance: Instance) => boolean

export interface Change extends Omit<TaskWait, "taskId"> {
  /** As the host returned it: null says that there was nothing to do, undefined that it names no task. */
  readonly taskId: number | null | undefined
  /** The status before the change, if it is known. */
  readonly before: string | undefined
  /** True for an instance that shows the end of the change by itself. */
  readonly until?: Condition
}

interface Context extends ApiContext {
  readonly watcher: InstanceWatcher
  isFirst(line: string): boolean
}

/** True for an instance whose status is a word that is not known here, and stays the same. */
export const isQuiet = ({ host }: ApiContext, before: string | undefined): Condition => {
  const quiet = new Quiet(before)
  return ({ status }) => !isDocumentedStatus(status) && quiet.isOver(status, host.now())
}

/** Says once per process and change that its end is only inferred. */
export const reportInferred = (context: Context, name: string, action: string): void => {
  const line =
    `${name}: ${action}: this host shows no task and no status that says so, so it is taken for done because `
    + "the status stays the same"
  if (context.isFirst(line)) context.host.info(line)
}

/** Polls the instance until it meets the condition. */
export type Observe = (until: Condition) => Promise<Instance>

const observeWith = (context: Context, { deadline, instanceId: id, name }: Change): Observe => (until) =>
  context.watcher.wait({ id, name, until, timeout: timeLeft(context, deadline) })

/**
 * Waits for the end of a change, and returns the sign of it.
 * @throws UserError when the task failed; DeadlineError at the deadline.
 */
export const awaitChange = async (
  context: Context,
  change: Change,
  observe: Observe = observeWith(context, change)
): Promise<Sign> => {
  const { action, before, name, taskId, until = () => false } = change
  if (taskId === null) return "nothing"
  const quiet = new Quiet(before)
  // Without a task, the status of before the change may be that of before its beginning.
  const isOver: Condition = ({ status }) => {
    const isSame = quiet.isOver(status, context.host.now())
    return isDocumentedStatus(status) ? isSettled(status) && (taskId !== undefined || isSame) : isSame
  }
  const instance = await observe((one) => until(one) || isOver(one))
  if (until(instance)) return "status"
  if (taskId !== undefined && await hasEnded(context, { ...change, taskId })) return "task"
  if (taskId !== undefined && isDocumentedStatus(instance.status)) return "status"
  reportInferred(context, name, action)
  return "unchanged"
}

/** Waits for the task alone, where the feed shows it, and otherwise like `awaitChange`. */
export const awaitWork = async (context: Context, change: Change): Promise<Sign> => {
  const { taskId } = change
  if (typeof taskId === "number" && await hasEnded(context, { ...change, taskId })) return "task"
  return await awaitChange(context, { ...change, taskId: taskId === null ? null : undefined })
}

/** False for a host that returns the number of a task and shows no feed that has it. */
const hasEnded = async (context: Context, wait: TaskWait): Promise<boolean> => {
  try {
    await awaitTask(context, wait)
    return true
  } catch (error) {
    if (error instanceof UnlistedTaskError && !await showsTasks(context, wait.instanceId)) return false
    throw error
  }
}
