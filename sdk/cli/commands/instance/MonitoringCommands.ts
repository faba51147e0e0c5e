/**
 * `vps instance tasks` and `vps instance metrics`: the task history of an instance, and its usage over time, as
 * small charts on a terminal and as a table elsewhere.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type { Metrics, MetricsRange, MetricsSample, Task, TaskPage } from "../../../client/Records.ts"
import { rawOf, type View as Shown } from "../../../client/host/View.ts"
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import { CHART_COLUMNS, CHART_LINES, FOLLOW_MILLIS, FOLLOW_TASKS } from "../../Limits.ts"
import { json, type OutputFormat, printAs, printRaw, type View } from "../../output/Output.ts"
import { bytes, dateTime, duration, percent, rate } from "../../output/Format.ts"
import { table } from "../../output/List.ts"
import { CommandError, EXIT, usageError } from "../../errors/CommandError.ts"
import { callAndPrint, getClient, vps } from "../../Command.ts"
import { paint, type TerminalCapabilities } from "../../terminal/Terminal.ts"
import { instanceCommand } from "../../shared/Selection.ts"
import { styleOf, taskColumns } from "../../shared/Views.ts"

/** The default page size, as in the API. */
const PAGE = 20

/** True for a task of which the host shows something that is documented. */
const isReadable = ({ id, status, type }: Shown<Task>): boolean => (id ?? status ?? type) !== undefined

/** @throws Error for a feed of another shape: it is printed as JSON. */
const tasksIn = ({ items }: Shown<TaskPage>): ReadonlyArray<Shown<Task>> => {
  if (items === undefined || !items.every(isReadable)) throw new Error("The feed has another shape")
  return items
}

const page: View<Shown<TaskPage>> = {
  text: (feed, capabilities) => {
    const { offset = 0, total = 0 } = feed
    const items = tasksIn(feed)
    const rest = total - offset - items.length
    const more = rest > 0 ? `${rest} older tasks: --offset ${offset + items.length}\n` : ""
    return table(taskColumns, items, capabilities) + more
  },
  ids: ({ items = [] }) => items.flatMap(({ id }) => id ?? [])
}

/** One line per change, because a table cannot grow. */
const oneLine: View<Shown<Task>> = {
  text: ({ created_at, error, finished_at, id, progress, status = "", type = "" }, capabilities) => {
    const what = `${dateTime(finished_at ?? created_at)}  task ${id}  ${type}`
    const result = [progress === undefined ? "" : `${progress} %`, error ?? ""].filter((part) => part !== "").join(": ")
    return `${sanitize(what)} ${paint(capabilities, styleOf(status), sanitize(status))} ${sanitize(result)}\n`
  },
  ids: ({ id }) => id === undefined ? [] : [id]
}

/** One document per change: JSON on a line, YAML after a separator. */
const printChange = (format: OutputFormat, task: Shown<Task>): Effect.Effect<void> => {
  if (format === "json") return printRaw(`${json(rawOf(task), 0)}\n`)
  return Effect.andThen(format === "yaml" ? printRaw("---\n") : Effect.void, printAs(format, task, oneLine))
}

/** The parts of a task that change. */
const taskState = ({ progress, status }: Shown<Task>): string => `${status} ${progress}`

/** Prints the newest tasks from the oldest on, then their changes and new tasks until interrupted. */
const follow = Effect.fnUntraced(function*(id: number, limit: number) {
  const client = yield* getClient
  const { output } = yield* vps
  const printed = new Map<number, string>()
  for (let first = true;; first = false) {
    const { data } = yield* client.monitoring.tasks(id, { limit: first ? limit : FOLLOW_TASKS })
    // Tasks that the first page left out are not new.
    const oldest = printed.size === 0 ? 0 : Math.min(...printed.keys())
    const { items = [] } = data
    if (data.items === undefined || items.some(({ id }) => id === undefined)) {
      return yield* new CommandError({
        message: "This host does not show the IDs of tasks, so their changes cannot be followed.",
        hint: `See them: vps instance tasks ${id} -o json`,
        exit: EXIT.failed
      })
    }
    for (const task of items.toReversed()) {
      if (task.id === undefined || task.id < oldest || printed.get(task.id) === taskState(task)) continue
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

// A small chart of samples, up to the width of the terminal.

const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
const FULL = EIGHTHS.length - 1

/** Reduces samples to one value per column, each the maximum of its bucket, so that no peak is lost. */
export const downsample = (values: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  if (values.length <= columns) return values
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor(column * values.length / columns)
    const until = Math.floor((column + 1) * values.length / columns)
    return Math.max(...values.slice(from, until))
  })
}

/** The lines of the chart from the top down, scaled from 0 to the maximum value. */
export const chart = (values: ReadonlyArray<number>, columns: number): ReadonlyArray<string> => {
  const shown = downsample(values, Math.max(1, Math.min(columns, CHART_COLUMNS)))
  const top = Math.max(...shown, 0)
  const heights = shown.map((value) => top === 0 ? 0 : Math.round(value / top * CHART_LINES * FULL))
  return Array.from({ length: CHART_LINES }, (_, index) => {
    const below = (CHART_LINES - 1 - index) * FULL
    return heights.map((height) => EIGHTHS[Math.min(FULL, Math.max(0, height - below))]).join("").trimEnd()
  })
}

/** The ranges of the contract. Loading its schemas would take too long. */
const RANGES = ["1h", "6h", "24h", "7d", "30d"] as const satisfies ReadonlyArray<MetricsRange>

/** A metric to draw. */
interface Curve {
  readonly name: string
  /** Undefined if the host does not show it. */
  readonly of: (sample: Shown<MetricsSample>) => number | undefined
  readonly text: (value: number) => string
}

const CURVES: ReadonlyArray<Curve> = [
  { name: "CPU", of: (sample) => sample.cpu_percent, text: percent },
  { name: "Memory", of: (sample) => sample.memory_bytes, text: bytes },
  { name: "Disk read", of: (sample) => sample.disk_read_bytes_per_second, text: rate },
  { name: "Disk write", of: (sample) => sample.disk_write_bytes_per_second, text: rate },
  { name: "Network in", of: (sample) => sample.network_rx_bytes_per_second, text: rate },
  { name: "Network out", of: (sample) => sample.network_tx_bytes_per_second, text: rate }
]

const INDENT = "  "

const valuesOf = (samples: ReadonlyArray<Shown<MetricsSample>>, of: Curve["of"]): ReadonlyArray<number> =>
  samples.flatMap((sample) => of(sample) ?? [])

/** The latest, average, and highest value. */
const summarize = ({ of, text }: Curve, samples: ReadonlyArray<Shown<MetricsSample>>) => {
  const values = valuesOf(samples, of)
  const average = values.reduce((sum, value) => sum + value, 0) / values.length
  return { latest: text(values.at(-1)!), average: text(average), highest: text(Math.max(...values)) }
}

const drawCurve = (
  curve: Curve,
  samples: ReadonlyArray<Shown<MetricsSample>>,
  capabilities: TerminalCapabilities
): string => {
  const { average, highest, latest } = summarize(curve, samples)
  const figures = paint(capabilities, "dim", `average ${average}, highest ${highest}`)
  const lines = chart(valuesOf(samples, curve.of), capabilities.columns - INDENT.length)
  const title = `${paint(capabilities, "bold", curve.name)}  ${latest}  ${figures}`
  return [title, ...lines.map((line) => INDENT + paint(capabilities, "cyan", line))].map((line) => `${line}\n`).join("")
}

const summaryTable = (
  curves: ReadonlyArray<Curve>,
  samples: ReadonlyArray<Shown<MetricsSample>>,
  capabilities: TerminalCapabilities
): string =>
  table<Curve>(
    [
      { title: "METRIC", value: ({ name }) => name },
      { title: "LATEST", value: (curve) => summarize(curve, samples).latest, right: true },
      { title: "AVERAGE", value: (curve) => summarize(curve, samples).average, right: true },
      { title: "HIGHEST", value: (curve) => summarize(curve, samples).highest, right: true }
    ],
    curves,
    capabilities
  )

const period = ({ samples = [], step_seconds }: Shown<Metrics>): string =>
  sanitize(`From ${dateTime(samples[0]?.at)} to ${dateTime(samples.at(-1)?.at)}, one sample every `)
  + `${duration(step_seconds)}\n`

const view = (id: number): View<Shown<Metrics>> => ({
  text: (metrics, capabilities) => {
    const { samples } = metrics
    if (samples?.length === 0) return "No samples yet.\n"
    const curves = CURVES.filter(({ of }) => valuesOf(samples ?? [], of).length > 0)
    if (samples === undefined || curves.length === 0) throw new Error("The samples have another shape")
    const body = capabilities.isTerminal
      ? curves.map((curve) => drawCurve(curve, samples, capabilities)).join("\n")
      : summaryTable(curves, samples, capabilities)
    return `${body}\n${period(metrics)}`
  },
  ids: () => [id]
})

export const metrics = instanceCommand("metrics", {
  range: Flag.Literals("range", RANGES).pipe(
    Flag.withMetavar(RANGES.join("|")),
    Flag.withDescription("Time range (default: 1h)"),
    Flag.withDefault("1h")
  )
}, ({ id, range }) => callAndPrint((client) => client.monitoring.metrics(id, { range }), view(id))).pipe(
  Command.withShortDescription("Show the usage of an instance over time"),
  Command.withDescription(
    "Show the usage of an instance over time: charts on a terminal, a table elsewhere, and all samples with -o json."
  ),
  Command.withExamples([{ command: "vps instance metrics 7 --range 24h" }])
)
