/** Commands that change instances: the service responds immediately, and a task does the work. */
import type { ActionResult } from "@pulumi-vps/contract/Instance"
import * as Effect from "effect/Effect"
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import type { Client } from "../../client/Client.ts"
import type { BulkResult } from "../../client/Results.ts"
import type { ApiResponse } from "../../client/chain/ApiResponse.ts"
import type { CallFailure, WaitFailure } from "../../client/errors/ApiErrors.ts"
import { CommandError, EXIT } from "../errors/CommandError.ts"
import type { FailureReport } from "../output/FailureReport.ts"
import { FOLLOW_TASKS } from "../Limits.ts"
import { type ReportProgress, type View, withProgress } from "../output/Output.ts"
import { describeFailure, getClient, print, ReportedError, vps } from "../Command.ts"
import { select, type Selection } from "./Selection.ts"

/** Waits until no task of the instance is running; returns its live status. */
export const waitUntilIdle = (client: Client, id: number, waitTimeout: number, report: ReportProgress) =>
  client.instances.waitUntilIdle(id, {
    waitTimeout,
    onProgress: ({ status, task }) => {
      const work = task === null || task === undefined ? "" : ` (${humanize(task.type)} ${task.progress} %)`
      report(`Instance ${id} is ${status}${work}`)
    }
  }).pipe(Effect.map(({ data }) => data))

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

/** The flags of a wait. */
interface Waits {
  readonly wait: boolean
  /** Milliseconds. */
  readonly timeout: number
}

/** A change of any instance. */
export interface Change<A> {
  readonly request: (client: Client, id: number) => Effect.Effect<ApiResponse<A>, CallFailure | CommandError>
  /** True if the service responds when the change is made, even though it names a task. */
  readonly isImmediate?: true
  /** Reads the result again after the wait, if more than the instance's status changes. */
  readonly refresh?: (client: Client, id: number, result: A) => Effect.Effect<A, CallFailure>
  /** An additional sentence about the result. */
  readonly detail?: (result: A) => string
  /** The IDs for `-o id`; default: the instance. */
  readonly ids?: View<A>["ids"]
}

/** A change of one instance. */
export interface Action<A> extends Change<A>, Waits {
  readonly id: number
}

interface Outcome<A> {
  readonly result: A
  /** False while the task continues. */
  readonly isDone: boolean
}

/** Null when there was nothing to do, or the service does not report tasks. */
const taskOf = ({ task_id: task }: ActionResult): number | null => task ?? null

const perform = Effect.fnUntraced(function*<A extends ActionResult>(
  client: Client,
  { id, isImmediate, refresh, request, timeout, wait }: Action<A>,
  report: ReportProgress
) {
  const { data: result } = yield* request(client, id)
  const task = taskOf(result)
  if (!wait || task === null) return { result, isDone: task === null || isImmediate === true }
  const { status } = yield* waitUntilIdle(client, id, timeout, report)
  yield* failIfTaskFailed(client, id, task)
  const fresh = refresh === undefined ? result : yield* refresh(client, id, result)
  return { result: { ...fresh, status }, isDone: true }
})

/** The outcome in one sentence. */
const sentence = <A extends ActionResult>(
  id: number,
  { detail }: Change<A>,
  { isDone, result }: Outcome<A>
): string => {
  const now = isDone ? "is done" : `has started (task ${taskOf(result)})`
  const extra = detail === undefined ? "" : ` ${detail(result)}`
  return `${sanitize(`Instance ${id}: ${humanize(result.action)} ${now}, status ${result.status}.${extra}`)}\n`
}

/** Sends the request of an action, waits with `--wait`, and prints the outcome. */
export const runAction = Effect.fnUntraced(function*<A extends ActionResult>(action: Action<A>) {
  const client = yield* getClient
  const outcome = yield* withProgress((report) => perform(client, action, report))
  return yield* print(outcome.result, {
    text: () => sentence(action.id, action, outcome),
    ids: action.ids ?? (() => [action.id])
  })
})

type Finished<A> = BulkResult<number, Outcome<A>, WaitFailure | CommandError>

/** A program gets an element for each instance: the result, or the error as `-o json` prints it. */
const documentOf = <A extends object>(each: Finished<A>, report: FailureReport | undefined): object =>
  each.ok ? { instance_id: each.item, ...each.data.result } : { instance_id: each.item, ok: false, ...report?.error }

/** Prints the results in order. JSON and YAML contain the errors, too. Fails if any instance failed. */
const printAll = Effect.fnUntraced(function*<A extends ActionResult>(
  change: Change<A>,
  all: ReadonlyArray<Finished<A>>
) {
  const reports = yield* Effect.forEach(
    all,
    (each) => each.ok ? Effect.succeed(undefined) : describeFailure(each.error, `Instance ${each.item}: `)
  )
  yield* print(all.map((each, at) => documentOf(each, reports[at])), {
    text: () => all.map((each) => each.ok ? sentence(each.item, change, each.data) : "").join(""),
    ids: () => all.flatMap((each) => each.ok ? change.ids?.(each.data.result) ?? [each.item] : [])
  })
  const failures = reports.filter((report) => report !== undefined)
  if (failures.length === 0) return
  const { output } = yield* vps
  if (output !== "json" && output !== "yaml") process.stderr.write(failures.map(({ text }) => text).join(""))
  const [exit, ...others] = new Set(failures.map((report) => report.exit))
  return yield* new ReportedError({ exit: others.length > 0 ? EXIT.failed : exit! })
})

/** Makes a change on each selected instance, several at once, and prints a result for each. */
export const runOnEach = Effect.fnUntraced(function*<A extends ActionResult>(
  verb: string,
  wanted: Selection & Waits,
  change: Change<A>
) {
  const { timeout, wait } = wanted
  const { ids, isBulk } = yield* select(verb, wanted)
  if (!isBulk) return yield* runAction({ ...change, id: ids[0]!, wait, timeout })
  const client = yield* getClient
  let finished = 0
  const all = yield* withProgress((report) =>
    client.bulk.each(ids, (id) =>
      perform(client, { ...change, id, wait, timeout }, () => {}).pipe(
        Effect.onExit(() => Effect.sync(() => wait && report(`${++finished} of ${ids.length} instances`)))
      ))
  )
  return yield* printAll(change, all)
})
