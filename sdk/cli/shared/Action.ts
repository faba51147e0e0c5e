/** Commands that change an instance: the service responds immediately, and a task does the work. */
import type { ActionResult } from "#contract/Instance"
import * as Effect from "effect/Effect"
import type { Client } from "../../client/Client.ts"
import type { CallFailure } from "../../client/errors/Failures.ts"
import type { ApiResponse } from "../../client/chain/ApiResponse.ts"
import { EXIT } from "../errors/ExitCode.ts"
import { FOLLOW_TASKS } from "../Limits.ts"
import type { View } from "../output/Output.ts"
import { CommandError } from "../errors/CommandError.ts"
import { getClient, print } from "../Command.ts"
import { withProgress } from "../terminal/Progress.ts"
import { sanitize } from "../terminal/TerminalCapabilities.ts"

/** Waits until no task of the instance is running; returns its live status. */
export const waitUntilIdle = (client: Client, id: number, waitTimeout: number) =>
  withProgress((report) =>
    client.instances.waitUntilIdle(id, {
      waitTimeout,
      onProgress: ({ status, task }) => {
        const work = task === null || task === undefined ? "" : ` (${humanize(task.type)} ${task.progress} %)`
        report(`Instance ${id} is ${status}${work}`)
      }
    })
  ).pipe(Effect.map(({ data }) => data))

/** An idle instance may be one whose task failed. */
const failIfTaskFailed = Effect.fnUntraced(function*(client: Client, id: number, taskId: number) {
  const { data } = yield* client.monitoring.tasks(id, { limit: FOLLOW_TASKS })
  const task = data.items.find((each) => each.id === taskId)
  if (task?.status !== "failed" && task?.status !== "cancelled") return
  const reason = task.error === null ? "" : `: ${task.error}`
  const end = task.status === "failed" ? "failed" : "was cancelled"
  return yield* new CommandError({
    message: `The ${humanize(task.type)} of instance ${id} ${end}${reason}`,
    hint: `See its tasks: vps instance tasks ${id}`,
    exit: EXIT.failed
  })
})

/** `rescue_enter` becomes "rescue enter". */
const humanize = (action: string): string => action.replaceAll("_", " ")

export interface Action<A> {
  readonly id: number
  readonly request: (client: Client) => Effect.Effect<ApiResponse<A>, CallFailure>
  readonly wait: boolean
  /** Milliseconds. */
  readonly timeout: number
  /** Reads the result again after the wait, if more than the instance's status changes. */
  readonly refresh?: (client: Client, result: A) => Effect.Effect<A, CallFailure>
  /** An additional sentence about the result. */
  readonly detail?: (result: A) => string
  /** The IDs for `-o id`; default: the instance. */
  readonly ids?: View<A>["ids"]
}

/** Null when there was nothing to do, or the service does not report tasks. */
const taskOf = ({ task_id: task }: ActionResult): number | null => task ?? null

/** The outcome in one sentence. */
const view = <A extends ActionResult>({ id, ids, detail }: Action<A>, waited: boolean): View<A> => ({
  text: (result) => {
    const { action, status } = result
    const task = taskOf(result)
    const now = waited || task === null ? "is done" : `has started (task ${task})`
    const extra = detail === undefined ? "" : ` ${detail(result)}`
    return `${sanitize(`Instance ${id}: ${humanize(action)} ${now}, status ${status}.${extra}`)}\n`
  },
  ids: ids ?? (() => [id])
})

/** Sends the request of an action, waits with `--wait`, and prints the outcome. */
export const runAction = Effect.fnUntraced(function*<A extends ActionResult>(action: Action<A>) {
  const { request, id, timeout, wait } = action
  const client = yield* getClient
  const { data: result } = yield* request(client)
  const task = taskOf(result)
  if (!wait || task === null) return yield* print(result, view(action, false))
  const { status } = yield* waitUntilIdle(client, id, timeout)
  yield* failIfTaskFailed(client, id, task)
  const fresh = action.refresh === undefined ? result : yield* action.refresh(client, result)
  return yield* print({ ...fresh, status }, view(action, true))
})
