/** The activity feed of an instance: what was begun, on whose request, and how it ended. */
import type { Task } from "#contract/Monitoring"
import type { Deadline } from "./Retry.ts"
import { poll } from "./Poll.ts"
import { UserError } from "../api/Errors.ts"
import type { ApiContext } from "../api/Api.ts"

/** Tasks per page; the most that the API gives. */
const PAGE = 100
/** Pages that are read at most: a server does not do a thousand things in the time that is asked about. */
const MAX_PAGES = 10

const ENDED_BADLY = new Set(["failed", "cancelled"])

/** Has it come to nothing? */
export const hasFailed = (task: Task): boolean => ENDED_BADLY.has(task.status)

/** The newest task that matches, among those begun at or after `since` (ms since 1970). */
export const findTask = async (
  session: ApiContext,
  id: number,
  since: number,
  matches: (task: Task) => boolean
): Promise<Task | undefined> => {
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items } = await session.api.tasks(id, { limit: PAGE, offset: page * PAGE })
    const found = items.find((task) => Date.parse(task.created_at) >= since && matches(task))
    const last = items.at(-1)
    if (found !== undefined || last === undefined || items.length < PAGE) return found
    if (Date.parse(last.created_at) < since) return undefined
  }
  return undefined
}

/** The id of the newest task; 0 when there is none. */
export const newestTask = async (session: ApiContext, id: number): Promise<number> =>
  (await session.api.tasks(id, { limit: 1 })).items[0]?.id ?? 0

export interface TaskWait {
  readonly instanceId: number
  readonly taskId: number
  /** How the user calls the resource. */
  readonly name: string
  /** What the task does, as "deleting snapshot 12". */
  readonly action: string
  readonly deadline: Deadline
}

/**
 * Waits until a task has ended well; answers it.
 * @throws UserError when it failed or was cancelled, with the feed's reason; WaitTimeoutError at the deadline.
 */
export const awaitTask = (
  session: ApiContext,
  { deadline, instanceId, name, taskId, action }: TaskWait
): Promise<Task> =>
  poll(session, {
    name,
    deadline,
    subject: `${action} on server ${instanceId} (task ${taskId})`,
    observe: async () => {
      const task = await findTask(session, instanceId, 0, ({ id }) => id === taskId)
      if (task === undefined) throw new UserError(`${name}: task ${taskId} is not in the feed of server ${instanceId}`)
      if (hasFailed(task)) {
        throw new UserError(
          `${name}: ${action} on server ${instanceId} ${task.status}: ${task.error ?? "no reason given"}`
        )
      }
      return task.status === "succeeded" ? task : undefined
    }
  })
