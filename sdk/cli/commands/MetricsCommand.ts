/** `vps instance metrics`: usage over time, as small charts on a terminal and as figures anywhere else. */
import type { Metrics, MetricsRange, MetricsSample } from "#contract/Monitoring"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { chart } from "../output/Chart.ts"
import type { View } from "../output/Show.ts"
import { table } from "../output/Table.ts"
import { bytes, moment, percent, rate, span } from "../output/Words.ts"
import { leaf, present } from "../Root.ts"
import { paint, type Surface } from "../terminal/Surface.ts"
import * as Arguments from "./Arguments.ts"

/** As the contract has them, whose schemas take too long to load for a command. */
const RANGES = ["1h", "6h", "24h", "7d", "30d"] as const satisfies ReadonlyArray<MetricsRange>

/** One curve. */
interface Curve {
  readonly name: string
  readonly of: (sample: MetricsSample) => number
  readonly text: (value: number) => string
}

const CURVES: ReadonlyArray<Curve> = [
  { name: "CPU", of: (sample) => sample.cpu_percent, text: percent },
  { name: "Memory", of: (sample) => sample.memory_bytes, text: bytes },
  { name: "Disk read", of: (sample) => sample.disk_read_bytes_per_second, text: rate },
  { name: "Disk written", of: (sample) => sample.disk_write_bytes_per_second, text: rate },
  { name: "Network in", of: (sample) => sample.network_rx_bytes_per_second, text: rate },
  { name: "Network out", of: (sample) => sample.network_tx_bytes_per_second, text: rate }
]

const INDENT = "  "

/** What the figures of a curve come to. */
const summed = ({ of, text }: Curve, samples: ReadonlyArray<MetricsSample>) => {
  const values = samples.map(of)
  const average = values.reduce((sum, value) => sum + value, 0) / values.length
  return { latest: text(values.at(-1)!), average: text(average), highest: text(Math.max(...values)) }
}

const drawn = (curve: Curve, samples: ReadonlyArray<MetricsSample>, surface: Surface): string => {
  const { average, highest, latest } = summed(curve, samples)
  const figures = paint(surface, "dim", `average ${average}, highest ${highest}`)
  const lines = chart(samples.map(curve.of), surface.columns - INDENT.length)
  const title = `${paint(surface, "bold", curve.name)}  ${latest}  ${figures}`
  return [title, ...lines.map((line) => INDENT + paint(surface, "cyan", line))].map((line) => `${line}\n`).join("")
}

const figures = (samples: ReadonlyArray<MetricsSample>, surface: Surface): string =>
  table<Curve>(
    [
      { title: "METRIC", value: ({ name }) => name },
      { title: "LATEST", value: (curve) => summed(curve, samples).latest, right: true },
      { title: "AVERAGE", value: (curve) => summed(curve, samples).average, right: true },
      { title: "HIGHEST", value: (curve) => summed(curve, samples).highest, right: true }
    ],
    CURVES,
    surface
  )

const between = ({ samples, step_seconds }: Metrics): string =>
  `From ${moment(samples[0]?.at)} to ${moment(samples.at(-1)?.at)}, a sample every ${span(step_seconds)}\n`

const view = (id: number): View<Metrics> => ({
  text: (metrics, surface) => {
    const { samples } = metrics
    if (samples.length === 0) return "No samples yet.\n"
    const body = surface.terminal
      ? CURVES.map((curve) => drawn(curve, samples, surface)).join("\n")
      : figures(samples, surface)
    return `${body}\n${between(metrics)}`
  },
  ids: () => [id]
})

export const metrics = leaf("metrics", {
  id: Arguments.instance,
  range: Flag.Literals("range", RANGES).pipe(
    Flag.withMetavar(RANGES.join("|")),
    Flag.withDescription("How far back (default: 1h)"),
    Flag.withDefault("1h")
  )
}, ({ id, range }) => present((core) => core.monitoring.metrics(id, { range }), view(id))).pipe(
  Command.withShortDescription("Show an instance's load over time"),
  Command.withDescription(
    "Show an instance's load over time: small charts on a terminal, figures anywhere else; every sample with -o json."
  ),
  Command.withExamples([{ command: "vps instance metrics 7 --range 24h" }])
)
