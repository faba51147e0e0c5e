/** The activity feed of an instance: its tasks, the requests that started them, and their outcomes. */
import type { View } from "@pulumi-vps/sdk/client/host/View"
import type * as Records from "@pulumi-vps/sdk/client/Records"
import type { ApiContext } from "../api/Api.ts"
import { UserError } from "../api/Errors.ts"
import { poll } from "./InstanceWatcher.ts"
import type { Deadline } from "./Retry.ts"

/** Tasks per page; the API's maximum. */
const PAGE = 100
/** An instance does not run a thousand tasks in the time that is searched. */
const MAX_PAGES = 10

const FAILED: ReadonlySet<string | undefined> = new Set(["failed", "cancelled"])

/** A task of which the host shows what is needed to recognize it; the rest it may not show. */
export type Task = View<Records.Task> & { readonly id: number }

const isTask = (task: View<Records.Task>): task is Task => task.id !== undefined

export const hasFailed = (task: Task): boolean => FAILED.has(task.status)

/** The newest tasks, newest first; a page is requested when it is needed. Empty for a feed of another shape. */
export async function* newestTasks({ api }: ApiContext, id: number): AsyncGenerator<Task> {
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items = [] } = await api.tasks(id, { limit: PAGE, offset: page * PAGE })
    yield* items.filter(isTask)
    if (items.length < PAGE) return
  }
}

/** The newest task that matches, among those started at or after `since` (ms since 1970). */
export const findTask = async (
  context: ApiContext,
  id: number,
  since: number,
  matches: (task: Task) => boolean
): Promise<Task | undefined> => {
  for await (const task of newestTasks(context, id)) {
    if (Date.parse(task.created_at ?? "") < since) return undefined
    if (matches(task)) return task
  }
  return undefined
}

/** The newest task; undefined without tasks, and for a feed in which tasks cannot be recognized. */
export const newestTask = async ({ api }: ApiContext, id: number): Promise<Task | undefined> => {
  const [newest] = (await api.tasks(id, { limit: 1 })).items ?? []
  if (newest === undefined || !isTask(newest)) return undefined
  return newest.type === undefined || newest.status === undefined ? undefined : newest
}

/** True for a feed in which tasks can be recognized. The purchase itself is one, so no such feed is empty. */
export const showsTasks = async (context: ApiContext, id: number): Promise<boolean> =>
  await newestTask(context, id) !== undefined

/** The host returned the number of a task, and its feed has none of this number. */
export class UnlistedTaskError extends UserError {}

export interface TaskWait {
  readonly instanceId: number
  readonly taskId: number
  /** The name of the resource in the program. */
  readonly name: string
  /** For messages: "deleting snapshot 12". */
  readonly action: string
  readonly deadline: Deadline
}

/**
 * Waits until a task has succeeded, and returns it.
 * @throws UserError with the feed's reason when it failed or was cancelled; DeadlineError at the deadline.
 */
export const awaitTask = (context: ApiContext, wait: TaskWait): Promise<Task> => {
  const { action, deadline, instanceId, name, taskId } = wait
  return poll(context, {
    name,
    deadline,
    subject: `${action} on instance ${instanceId} (task ${taskId})`,
    observe: async () => {
      const task = await findTask(context, instanceId, 0, ({ id }) => id === taskId)
      if (task === undefined) {
        throw new UnlistedTaskError(`${name}: task ${taskId} is not in the activity feed of instance ${instanceId}`)
      }
      if (hasFailed(task)) {
        const reason = task.error ?? "no reason given"
        throw new UserError(`${name}: ${action} on instance ${instanceId} ${String(task.status)}: ${reason}`)
      }
      return task.status === "succeeded" ? task : undefined
    }
  })
}
