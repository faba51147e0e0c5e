/** `vps instance tasks`: the task history of an instance. */
import type { Task, TaskPage } from "#contract/Monitoring"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { sanitize } from "#contract/Text"
import { FOLLOW_MILLIS, FOLLOW_TASKS } from "../../Limits.ts"
import { json, type OutputFormat, printAs, printRaw, type View } from "../../output/Output.ts"
import { table } from "../../output/List.ts"
import { dateTime } from "../../output/Format.ts"
import { usageError } from "../../errors/CommandError.ts"
import { callAndPrint, getClient, vps } from "../../Command.ts"
import { paint } from "../../terminal/Terminal.ts"
import { instanceCommand } from "../../shared/Selection.ts"
import { styleOf, taskColumns } from "../../shared/Views.ts"

/** The default page size, as in the API. */
const PAGE = 20

const page: View<TaskPage> = {
  text: ({ items, offset, total }, capabilities) => {
    const rest = total - offset - items.length
    const more = rest > 0 ? `${rest} older tasks: --offset ${offset + items.length}\n` : ""
    return table(taskColumns, items, capabilities) + more
  },
  ids: ({ items }) => items.map(({ id }) => id)
}

/** One line per change, because a table cannot grow. */
const oneLine: View<Task> = {
  text: ({ created_at, error, finished_at, id, progress, status, type }, capabilities) => {
    const what = `${dateTime(finished_at ?? created_at)}  task ${id}  ${type}`
    const result = `${progress} %${error === null ? "" : `: ${error}`}`
    return `${sanitize(what)} ${paint(capabilities, styleOf(status), sanitize(status))} ${sanitize(result)}\n`
  },
  ids: ({ id }) => [id]
}

/** One document per change: JSON on a line, YAML after a separator. */
const printChange = (format: OutputFormat, task: Task): Effect.Effect<void> => {
  if (format === "json") return printRaw(`${json(task, 0)}\n`)
  return Effect.andThen(format === "yaml" ? printRaw("---\n") : Effect.void, printAs(format, task, oneLine))
}

/** The parts of a task that change. */
const taskState = ({ progress, status }: Task): string => `${status} ${progress}`

/** Prints the newest tasks from the oldest on, then their changes and new tasks until interrupted. */
const follow = Effect.fnUntraced(function*(id: number, limit: number) {
  const client = yield* getClient
  const { output } = yield* vps
  const printed = new Map<number, string>()
  for (let first = true;; first = false) {
    const { data } = yield* client.monitoring.tasks(id, { limit: first ? limit : FOLLOW_TASKS })
    // Tasks that the first page left out are not new.
    const oldest = printed.size === 0 ? 0 : Math.min(...printed.keys())
    for (const task of data.items.toReversed()) {
      if (task.id < oldest || printed.get(task.id) === taskState(task)) continue
      printed.set(task.id, taskState(task))
      yield* printChange(output, task)
    }
    yield* Effect.sleep(FOLLOW_MILLIS)
  }
})

export const tasks = instanceCommand("tasks", {
  limit: Flag.Int("limit").pipe(
    Flag.filter(
      (count) => count >= 1 && count <= FOLLOW_TASKS,
      (count) => `--limit must be from 1 to ${FOLLOW_TASKS}, not ${count}`
    ),
    Flag.withMetavar("count"),
    Flag.withDescription(`Number of tasks, 1 to ${FOLLOW_TASKS} (default: ${PAGE})`),
    Flag.withDefault(PAGE)
  ),
  offset: Flag.Int("offset").pipe(
    Flag.filter((count) => count >= 0, (count) => `--offset must be 0 or more, not ${count}`),
    Flag.withMetavar("count"),
    Flag.withDescription("Number of the newest tasks to skip"),
    Flag.withDefault(0)
  ),
  follow: Flag.Boolean("follow").pipe(
    Flag.withAlias("f"),
    Flag.withDescription("Print changes until Ctrl-C"),
    Flag.withDefault(false)
  )
}, ({ follow: isFollowing, id, limit, offset }) => {
  if (!isFollowing) return callAndPrint((client) => client.monitoring.tasks(id, { limit, offset }), page)
  return offset === 0
    ? follow(id, limit)
    : Effect.fail(usageError("--follow cannot be combined with --offset."))
}).pipe(
  Command.withShortDescription("List the tasks of an instance"),
  Command.withDescription("List the finished and running tasks of an instance, newest first."),
  Command.withExamples([
    { command: "vps instance tasks 7" },
    { command: "vps instance tasks 7 --follow -o json | jq .status", description: "One JSON line per change" }
  ])
)
