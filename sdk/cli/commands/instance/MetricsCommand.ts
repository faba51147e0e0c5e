/** `vps instance metrics`: usage over time, as small charts on a terminal and as a table elsewhere. */
import type { Metrics, MetricsRange, MetricsSample } from "#contract/Monitoring"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { sanitize } from "#contract/Text"
import type { View } from "../../output/Output.ts"
import { table } from "../../output/List.ts"
import { bytes, dateTime, duration, percent, rate } from "../../output/Format.ts"
import { callAndPrint } from "../../Command.ts"
import { paint, type TerminalCapabilities } from "../../terminal/Terminal.ts"
import { instanceCommand } from "../../shared/Selection.ts"
import { CHART_COLUMNS, CHART_LINES } from "../../Limits.ts"

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
  readonly of: (sample: MetricsSample) => number
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

/** The latest, average, and highest value. */
const summarize = ({ of, text }: Curve, samples: ReadonlyArray<MetricsSample>) => {
  const values = samples.map(of)
  const average = values.reduce((sum, value) => sum + value, 0) / values.length
  return { latest: text(values.at(-1)!), average: text(average), highest: text(Math.max(...values)) }
}

const drawCurve = (curve: Curve, samples: ReadonlyArray<MetricsSample>, capabilities: TerminalCapabilities): string => {
  const { average, highest, latest } = summarize(curve, samples)
  const figures = paint(capabilities, "dim", `average ${average}, highest ${highest}`)
  const lines = chart(samples.map(curve.of), capabilities.columns - INDENT.length)
  const title = `${paint(capabilities, "bold", curve.name)}  ${latest}  ${figures}`
  return [title, ...lines.map((line) => INDENT + paint(capabilities, "cyan", line))].map((line) => `${line}\n`).join("")
}

const summaryTable = (samples: ReadonlyArray<MetricsSample>, capabilities: TerminalCapabilities): string =>
  table<Curve>(
    [
      { title: "METRIC", value: ({ name }) => name },
      { title: "LATEST", value: (curve) => summarize(curve, samples).latest, right: true },
      { title: "AVERAGE", value: (curve) => summarize(curve, samples).average, right: true },
      { title: "HIGHEST", value: (curve) => summarize(curve, samples).highest, right: true }
    ],
    CURVES,
    capabilities
  )

const period = ({ samples, step_seconds }: Metrics): string =>
  sanitize(`From ${dateTime(samples[0]?.at)} to ${dateTime(samples.at(-1)?.at)}, one sample every `)
  + `${duration(step_seconds)}\n`

const view = (id: number): View<Metrics> => ({
  text: (metrics, capabilities) => {
    const { samples } = metrics
    if (samples.length === 0) return "No samples yet.\n"
    const body = capabilities.isTerminal
      ? CURVES.map((curve) => drawCurve(curve, samples, capabilities)).join("\n")
      : summaryTable(samples, capabilities)
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
