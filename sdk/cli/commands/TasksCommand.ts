/** `vps instance tasks`: what was done at an instance, and what is under way. */
import type { Task, TaskPage } from "#contract/Monitoring"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { FOLLOW_MILLIS, FOLLOW_TASKS } from "../Limits.ts"
import { type Format, json, show, type View, write } from "../output/Show.ts"
import { table } from "../output/Table.ts"
import { moment } from "../output/Words.ts"
import { misused } from "../Refusal.ts"
import { client, leaf, present, vps } from "../Root.ts"
import { harmless, paint } from "../terminal/Surface.ts"
import * as Arguments from "./Arguments.ts"
import { styleOf, taskColumns } from "./Views.ts"

/** As the service has it, and as it counts when nothing else is said. */
const PAGE = 20

const page: View<TaskPage> = {
  text: ({ items, offset, total }, surface) => {
    const rest = total - offset - items.length
    const more = rest > 0 ? `${rest} older: --offset ${offset + items.length}\n` : ""
    return table(taskColumns, items, surface) + more
  },
  ids: ({ items }) => items.map(({ id }) => id)
}

/** One line a change: a table cannot grow. */
const oneLine: View<Task> = {
  text: ({ created_at, error, finished_at, id, progress, status, type }, surface) => {
    const at = moment(finished_at ?? created_at)
    const why = error === null ? "" : `: ${error}`
    return `${at}  task ${id}  ${harmless(type)} ${paint(surface, styleOf(status), harmless(status))} ${progress} %`
      + `${harmless(why)}\n`
  },
  ids: ({ id }) => [id]
}

/** A document a change: JSON in a line each, YAML behind a separator. */
const showChange = (format: Format, task: Task): Effect.Effect<void> => {
  if (format === "json") return write(`${json(task, 0)}\n`)
  return Effect.andThen(format === "yaml" ? write("---\n") : Effect.void, show(format, task, oneLine))
}

/** What of a task can change. */
const stateOf = ({ progress, status }: Task): string => `${status} ${progress}`

/** Prints the feed from its oldest task on, and what changes, until it is interrupted. */
const follow = Effect.fnUntraced(function*(id: number, limit: number) {
  const core = yield* client
  const { output } = yield* vps
  const seen = new Map<number, string>()
  for (let first = true;; first = false) {
    const { data } = yield* core.monitoring.tasks(id, { limit: first ? limit : FOLLOW_TASKS })
    // Those that the first look left out on purpose are no news.
    const oldest = seen.size === 0 ? 0 : Math.min(...seen.keys())
    for (const task of data.items.toReversed()) {
      if (task.id < oldest || seen.get(task.id) === stateOf(task)) continue
      seen.set(task.id, stateOf(task))
      yield* showChange(output, task)
    }
    yield* Effect.sleep(FOLLOW_MILLIS)
  }
})

export const tasks = leaf(
  "tasks",
  {
    id: Arguments.instance,
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("count"),
      Flag.withDescription(`How many, 1 to 100 (default: ${PAGE})`),
      Flag.withDefault(PAGE)
    ),
    offset: Flag.Int("offset").pipe(
      Flag.withMetavar("count"),
      Flag.withDescription("How many of the newest to leave out"),
      Flag.withDefault(0)
    ),
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDescription("Go on with what happens, until Ctrl-C"),
      Flag.withDefault(false)
    )
  },
  ({ follow: follows, id, limit, offset }) => {
    if (!follows) return present((core) => core.monitoring.tasks(id, { limit, offset }), page)
    return offset === 0
      ? follow(id, limit)
      : Effect.fail(misused("--follow begins with the newest: leave --offset out."))
  }
).pipe(
  Command.withShortDescription("Show what was done at an instance"),
  Command.withDescription("Show what was done at an instance and what is under way, newest first."),
  Command.withExamples([
    { command: "vps instance tasks 7" },
    { command: "vps instance tasks 7 --follow -o json | jq .status", description: "A JSON line for each change" }
  ])
)
