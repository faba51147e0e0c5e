/** Usage over time as graphs, or the same numbers as a table. */
import type { Metrics, MetricsSample } from "@pulumi-vps/contract/Monitoring"
import type { ComponentChildren } from "preact"
import { useMemo, useState } from "preact/hooks"
import { useRead } from "../../../api/calls.ts"
import { bytes, duration, percent } from "../../../api/format.ts"
import type { Query } from "../../../api/query.ts"
import { ShowCode } from "../../../components/ShowCode.tsx"
import { Chart, type Series } from "../../../components/Chart.tsx"
import { Empty, Loaded, Section, Segments } from "../../../components/Page.tsx"
import { type Column, Table } from "../../../components/Table.tsx"
import { When } from "../../../components/Values.tsx"
import { INSTANCE, useInstance } from "./Context.ts"

const RANGES = { "1h": "1 hour", "6h": "6 hours", "24h": "1 day", "7d": "7 days", "30d": "30 days" } as const
type Range = keyof typeof RANGES
const FORMS = { graphs: "Graphs", table: "Table" } as const

const rate = (value: number): string => `${bytes(value)}/s`

interface Graph {
  readonly title: string
  readonly series: ReadonlyArray<readonly [name: string, value: (sample: MetricsSample) => number]>
  readonly format: (value: number) => string
  readonly max?: (samples: ReadonlyArray<MetricsSample>) => number
}

const GRAPHS: ReadonlyArray<Graph> = [
  { title: "CPU", series: [["CPU", (one) => one.cpu_percent]], format: percent, max: () => 100 },
  {
    title: "Memory",
    series: [["Memory", (one) => one.memory_bytes]],
    format: bytes,
    max: (samples) => samples.at(-1)?.memory_total_bytes ?? 0
  },
  {
    title: "Network",
    series: [["In", (one) => one.network_rx_bytes_per_second], ["Out", (one) => one.network_tx_bytes_per_second]],
    format: rate
  },
  {
    title: "Disk",
    series: [["Read", (one) => one.disk_read_bytes_per_second], ["Written", (one) => one.disk_write_bytes_per_second]],
    format: rate
  }
]

const Drawn = ({ graph, samples }: { readonly graph: Graph; readonly samples: ReadonlyArray<MetricsSample> }) => {
  const { format, max, series, title } = graph
  const times = useMemo(() => samples.map(({ at }) => Date.parse(at) / 1000), [samples])
  const drawn = useMemo<ReadonlyArray<Series>>(
    () => series.map(([name, value]) => ({ name, values: samples.map(value) })),
    [samples]
  )
  const top = max?.(samples)
  return (
    <Section title={title}>
      <Chart
        label={`${title} over time; the table has the numbers`}
        series={drawn}
        times={times}
        format={format}
        {...(top === undefined ? {} : { max: top })}
      />
    </Section>
  )
}

const COLUMNS: ReadonlyArray<Column<MetricsSample>> = [
  { key: "at", title: "Time", by: ({ at }) => at, cell: ({ at }) => <When at={at} /> },
  ...GRAPHS.flatMap(({ format, series, title }) =>
    series.map(([name, value]) => ({
      key: title + name,
      title: series.length === 1 ? title : `${title} ${name.toLowerCase()}`,
      numeric: true,
      by: value,
      cell: (sample: MetricsSample) => <span class="number">{format(value(sample))}</span>
    }))
  )
]

const Samples = ({ metrics: { samples }, table }: { readonly metrics: Metrics; readonly table: boolean }) => {
  if (samples.length === 0) {
    return <Empty icon="today" title="No measurements yet">They begin when the instance runs.</Empty>
  }
  if (table) {
    const sort = { key: "at", down: true }
    return <Table label="Measurements" columns={COLUMNS} rows={samples} idOf={({ at }) => at} sort={sort} />
  }
  return (
    <div class="grid graphs">
      {GRAPHS.map((graph) => <Drawn key={graph.title} graph={graph} samples={samples} />)}
    </div>
  )
}

/** Each range with the next finer one. */
const FINER: Readonly<Partial<Record<Range, Range>>> = { "30d": "7d", "7d": "24h", "24h": "6h", "6h": "1h" }

/** With fewer measurements than this, a finer range may have more: that of a young instance does. */
const FEW = 4

interface FilledProps extends Pick<GraphsOfProps, "useMetrics"> {
  readonly range: Range
  readonly children: (metrics: Metrics) => ComponentChildren
  /** Of the range that was chosen, or of a finer one; the longest so far. */
  readonly best?: Metrics
}

/** Reads the chosen range, and finer ones while there are more measurements in them. */
const Filled = ({ best, children, range, useMetrics }: FilledProps) => {
  const finer = FINER[range]
  return (
    <Loaded query={useMetrics(range)} lines={8}>
      {(metrics) => {
        const isMore = best === undefined || metrics.samples.length > best.samples.length
        const most = isMore ? metrics : best
        return metrics.samples.length < FEW && finer !== undefined
          ? <Filled key={finer} best={most} range={finer} useMetrics={useMetrics}>{children}</Filled>
          : children(most)
      }}
    </Loaded>
  )
}

const MILLIS = 1_000

/** Such as "4 hours of measurements": of a range for which there are less. */
const Span = ({ chosen, metrics: { range, samples, step_seconds: step } }: {
  readonly chosen: Range
  readonly metrics: Metrics
}) => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (range === chosen || first === undefined || last === undefined) return null
  const seconds = (Date.parse(last.at) - Date.parse(first.at)) / MILLIS + step
  return <p class="muted">{duration(seconds)} of measurements so far.</p>
}

interface GraphsOfProps {
  /** A hook. */
  readonly useMetrics: (range: Range) => Query<Metrics>
  /** Beside the choices, for the range. */
  readonly beside?: (range: Range) => ComponentChildren
}

/** Reads the measurements where they are: customers and operators have paths of their own. */
export const GraphsOf = ({ beside, useMetrics }: GraphsOfProps) => {
  const [range, setRange] = useState<Range>("1h")
  const [form, setForm] = useState<keyof typeof FORMS>("graphs")
  return (
    <>
      <div class="toolbar">
        <Segments label="Range" names={RANGES} current={range} onChoose={setRange} />
        <Segments label="Form" names={FORMS} current={form} onChoose={setForm} />
        {beside?.(range)}
      </div>
      <Filled key={range} range={range} useMetrics={useMetrics}>
        {(metrics) => (
          <>
            <Span chosen={range} metrics={metrics} />
            <Samples metrics={metrics} table={form === "table"} />
          </>
        )}
      </Filled>
    </>
  )
}

const exampleOf = (id: number, range: Range) =>
  ({
    method: "GET",
    path: `/instances/${id}/metrics?range=${range}`,
    sdk: `vps.monitoring.metrics(${id}, { range: "${range}" })`,
    vps: `vps instance metrics ${id} --range ${range}`
  }) as const

export const Graphs = () => {
  const { instance: { id }, params } = useInstance()
  return (
    <GraphsOf
      useMetrics={(range) => useRead(`${INSTANCE}/metrics`, { params, query: { range } })}
      beside={(range) => <ShowCode title="Read the measurements" example={exampleOf(id, range)} />}
    />
  )
}
