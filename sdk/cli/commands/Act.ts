/** Commands that change an instance: the service answers at once, a task does the work. */
import type { ActionResult } from "#contract/Instance"
import * as Effect from "effect/Effect"
import type { Client } from "../../client/Client.ts"
import type { CallFailure } from "../../client/chain/Handler.ts"
import type { ApiResponse } from "../../client/chain/Request.ts"
import { EXIT } from "../ExitCode.ts"
import { FOLLOW_TASKS } from "../Limits.ts"
import type { View } from "../output/Show.ts"
import { Refusal } from "../Refusal.ts"
import { client, print } from "../Root.ts"
import { withProgress } from "../terminal/Progress.ts"
import { harmless } from "../terminal/Surface.ts"

/** Waits until nothing is under way at an instance; the live status then. */
export const settle = (core: Client, id: number, waitTimeout: number) =>
  withProgress((say) =>
    core.instances.waitUntilIdle(id, {
      waitTimeout,
      onProgress: ({ status, task }) => {
        const work = task === null || task === undefined ? "" : ` (${spoken(task.type)} ${task.progress} %)`
        say(`Instance ${id} is ${status}${work}`)
      }
    })
  ).pipe(Effect.map(({ data }) => data))

/** An instance that nothing is under way at may still be one whose task failed. */
const outcome = Effect.fnUntraced(function*(core: Client, id: number, taskId: number) {
  const { data } = yield* core.monitoring.tasks(id, { limit: FOLLOW_TASKS })
  const task = data.items.find((each) => each.id === taskId)
  if (task?.status !== "failed" && task?.status !== "cancelled") return
  const reason = task.error === null ? "" : `: ${task.error}`
  const end = task.status === "failed" ? "failed" : "was cancelled"
  return yield* new Refusal({
    message: `The ${spoken(task.type)} of instance ${id} ${end}${reason}`,
    hint: `What happened there: vps instance tasks ${id}`,
    exit: EXIT.failed
  })
})

/** `rescue_enter` is "rescue enter" to a person. */
const spoken = (action: string): string => action.replaceAll("_", " ")

export interface Acting<A> {
  readonly id: number
  readonly act: (core: Client) => Effect.Effect<ApiResponse<A>, CallFailure>
  readonly wait: boolean
  /** Milliseconds. */
  readonly timeout: number
  /** The result as it is after the wait, where more than the instance's status changes. */
  readonly refresh?: (core: Client, result: A) => Effect.Effect<A, CallFailure>
  /** What more there is to say of the result. */
  readonly more?: (result: A) => string
  /** What `-o id` prints, when that is not the instance. */
  readonly ids?: View<A>["ids"]
}

/** Null when nothing had to be done, or the host tells no tasks. */
const taskOf = ({ task_id: task }: ActionResult): number | null => task ?? null

/** What became of it, in a sentence. */
const view = <A extends ActionResult>({ id, ids, more }: Acting<A>, waited: boolean): View<A> => ({
  text: (result) => {
    const { action, status } = result
    const task = taskOf(result)
    const now = waited || task === null ? "is done" : `has begun (task ${task})`
    const said = more === undefined ? "" : ` ${more(result)}`
    return `${harmless(`Instance ${id}: ${spoken(action)} ${now}, status ${status}.${said}`)}\n`
  },
  ids: ids ?? (() => [id])
})

/** Has something done, waits for it if wanted, and prints what became of it. */
export const acted = Effect.fnUntraced(function*<A extends ActionResult>(acting: Acting<A>) {
  const { act, id, timeout, wait } = acting
  const core = yield* client
  const { data: result } = yield* act(core)
  const task = taskOf(result)
  if (!wait || task === null) return yield* print(result, view(acting, false))
  const { status } = yield* settle(core, id, timeout)
  yield* outcome(core, id, task)
  const fresh = acting.refresh === undefined ? result : yield* acting.refresh(core, result)
  return yield* print({ ...fresh, status }, view(acting, true))
})
