/** A time series as a graph, drawn by uPlot. Loaded with the first graph. */
import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import { axisTimes } from "../api/axisTimes.ts"
import { time } from "../api/format.ts"

export interface Series {
  readonly name: string
  readonly values: ReadonlyArray<number>
}

interface ChartProps {
  readonly label: string
  /** In seconds since 1970. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly format: (value: number) => string
  /** The top of the scale, where one is known. */
  readonly max?: number
}

const HEIGHT = 180
/** Of the values beside the graph: the longest, such as "999 MB/s". */
const AXIS_WIDTH = 72
/** Between two times below the graph, in pixels. */
const LABEL_SPACE = 90
const COLORS = ["--accent", "--good"]

/** The color of a custom property now: only a computed style resolves `light-dark()`. */
const colorOf = (element: HTMLElement, property: string): string => {
  const probe = element.appendChild(document.createElement("i"))
  probe.style.color = `var(${property})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const axis = (color: string, grid: string): uPlot.Axis => ({
  stroke: color,
  font: "12px system-ui",
  grid: { stroke: grid, width: 1 },
  ticks: { show: false }
})

const MILLIS = 1_000

const optionsFor = (element: HTMLElement, { format, max, series }: ChartProps): uPlot.Options => {
  const color = (name: string) => colorOf(element, name)
  const [text, grid] = [color("--muted"), color("--line")]
  const formatted = (_: uPlot, values: Array<number>) => values.map(format)
  return {
    width: element.clientWidth,
    height: HEIGHT,
    scales: { y: { range: (_, __, top) => [0, max ?? Math.max(1, top * 1.1)] } },
    axes: [{
      ...axis(text, grid),
      space: LABEL_SPACE,
      values: (_, splits, __, ___, step) => axisTimes(splits, step)
    }, { ...axis(text, grid), values: formatted, size: AXIS_WIDTH }],
    series: [
      {
        label: "Time",
        value: (_: uPlot, at: number | null) => at === null ? "–" : time(new Date(at * MILLIS).toISOString())
      },
      ...series.map(({ name }, index) => ({
        label: name,
        stroke: color(COLORS[index] ?? "--text"),
        width: 1.5,
        points: { show: false },
        ...(index > 0 ? { dash: [6, 4] } : {}),
        value: (_: uPlot, value: number | null) => value === null ? "–" : format(value)
      }))
    ]
  }
}

export const Chart = (props: ChartProps) => {
  const element = useRef<HTMLDivElement>(null)
  const { label, series, times } = props
  useEffect(() => {
    const target = element.current
    if (target === null) return undefined
    const data: uPlot.AlignedData = [[...times], ...series.map(({ values }) => [...values])]
    let plot: uPlot | undefined
    const draw = () => {
      plot?.destroy()
      plot = new uPlot(optionsFor(target, props), data, target)
    }
    draw()
    const resized = new ResizeObserver(() => plot?.setSize({ width: target.clientWidth, height: HEIGHT }))
    resized.observe(target)
    // The canvas does not follow the colors of the page by itself.
    const themed = new MutationObserver(draw)
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] })
    const system = matchMedia("(prefers-color-scheme: dark)")
    system.addEventListener("change", draw)
    return () => {
      resized.disconnect()
      themed.disconnect()
      system.removeEventListener("change", draw)
      plot?.destroy()
    }
  }, [times, series])
  return <div ref={element} class="chart" role="img" aria-label={label} />
}
