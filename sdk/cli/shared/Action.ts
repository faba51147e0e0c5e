/** Commands that change instances: the service responds immediately, and a task does the work. */
import type { ActionResult } from "../../client/Records.ts"
import type { View } from "../../client/host/View.ts"
import type { IdleSign } from "../../client/options/Options.ts"
import * as Effect from "effect/Effect"
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import type { HostClient } from "../HostClient.ts"
import type { BulkResult } from "../../client/Results.ts"
import type { ApiResponse } from "../../client/chain/ApiResponse.ts"
import type { CallFailure, WaitFailure } from "../../client/errors/ApiErrors.ts"
import { CommandError, EXIT } from "../errors/CommandError.ts"
import type { FailureReport } from "../output/FailureReport.ts"
import { FOLLOW_TASKS } from "../Limits.ts"
import { type ReportProgress, type View as Printed, withProgress } from "../output/Output.ts"
import { describeFailure, getClient, print, ReportedError, vps } from "../Command.ts"
import { select, type Selection } from "./Selection.ts"

/** The end of a wait: the status, and the sign by which the instance was taken for idle. */
export interface Idle {
  readonly status: string
  readonly sign: IdleSign | undefined
}

/** Waits until no task of the instance is running, as far as the host shows it. */
export const waitUntilIdle = (client: HostClient, id: number, waitTimeout: number, report: ReportProgress) => {
  let last: Idle = { status: "unknown", sign: undefined }
  return client.instances.waitUntilIdle(id, {
    waitTimeout,
    onProgress: ({ sign, status, task }) => {
      last = { status, sign }
      const { progress, type } = task ?? {}
      const work = type === undefined ? "" : ` (${humanize(type)}${progress === undefined ? "" : ` ${progress} %`})`
      report(`Instance ${id} is ${status}${work}`)
    }
  }).pipe(Effect.map(() => last))
}

/** An idle instance may be one whose task failed. */
const failIfTaskFailed = Effect.fnUntraced(function*(client: HostClient, id: number, taskId: number) {
  const { data } = yield* client.monitoring.tasks(id, { limit: FOLLOW_TASKS })
  const task = data.items?.find((each) => each.id === taskId)
  if (task?.status !== "failed" && task?.status !== "cancelled") return
  const reason = (task.error ?? null) === null ? "" : `: ${task.error}`
  const end = task.status === "failed" ? "failed" : "was cancelled"
  return yield* new CommandError({
    message: `The ${humanize(task.type ?? "task")} of instance ${id} ${end}${reason}`,
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

/** The result of a change. The specification shows none of its fields. */
type Result = View<ActionResult>

/** A change of any instance. */
export interface Change<A> {
  /** Its name where the result has none: `snapshot create`. */
  readonly action: string
  readonly request: (client: HostClient, id: number) => Effect.Effect<ApiResponse<A>, CallFailure | CommandError>
  /** True if the service responds when the change is made, even though it names a task. */
  readonly isImmediate?: true
  /** Reads the result again after the wait, if more than the instance's status changes. */
  readonly refresh?: (client: HostClient, id: number, result: A) => Effect.Effect<A, CallFailure>
  /** An additional sentence about the result; empty if there is nothing to say. */
  readonly detail?: (result: A) => string
  /** The IDs for `-o id`; default: the instance. */
  readonly ids?: Printed<A>["ids"]
}

/** A change of one instance. */
export interface Action<A> extends Change<A>, Waits {
  readonly id: number
}

interface Outcome<A> {
  readonly result: A
  /** False while the work continues, or if the host does not show whether it does. */
  readonly isDone: boolean
  readonly status: string | undefined
  readonly sign?: IdleSign | undefined
}

/** Null says that there was nothing to do; a host that shows no tasks returns none, and the work may continue. */
const perform = Effect.fnUntraced(function*<A extends Result>(
  client: HostClient,
  { id, isImmediate, refresh, request, timeout, wait }: Action<A>,
  report: ReportProgress
) {
  const { data: result } = yield* request(client, id)
  const { status, task_id: task } = result
  if (task === null || isImmediate === true && (task === undefined || !wait)) return { result, isDone: true, status }
  if (!wait) return { result, isDone: false, status }
  const idle = yield* waitUntilIdle(client, id, timeout, report)
  if (task !== undefined) yield* failIfTaskFailed(client, id, task)
  const fresh = refresh === undefined ? result : yield* refresh(client, id, result)
  return { result: { ...fresh, status: idle.status }, isDone: true, ...idle }
})

/** A part of the sentence where the end of the work is only inferred. */
const inferred = (sign: IdleSign | undefined): string =>
  sign === "unchanged" ? " (this host shows no tasks; its status has stayed the same)" : ""

/** The outcome in one sentence. */
const sentence = <A extends Result>(
  id: number,
  { action, detail }: Change<A>,
  { isDone, result, sign, status }: Outcome<A>
): string => {
  const { task_id: task } = result
  const started = task === undefined || task === null
    ? "was accepted; this host names no task"
    : `has started (task ${task})`
  const extra = detail?.(result) ?? ""
  const facts = [
    `${humanize(result.action ?? action)} ${isDone ? "is done" : started}`,
    ...(status === undefined ? [] : [`status ${status}${inferred(sign)}`])
  ]
  return `${sanitize(`Instance ${id}: ${facts.join(", ")}.${extra === "" ? "" : ` ${extra}`}`)}\n`
}

/** Sends the request of an action, waits with `--wait`, and prints the outcome. */
export const runAction = Effect.fnUntraced(function*<A extends Result>(action: Action<A>) {
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
const printAll = Effect.fnUntraced(function*<A extends Result>(
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
export const runOnEach = Effect.fnUntraced(function*<A extends Result>(
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
