/** A small line without axes, beside the number that it leads to. */
interface SparklineProps {
  /** Such as "CPU in the last hour". */
  readonly label: string
  readonly values: ReadonlyArray<number>
  /** The top of the scale, where one is known. */
  readonly max?: number | undefined
}

/** Large, so that whole numbers are exact enough. */
const WIDTH = 1_200
const HEIGHT = 280
/** Room for half of the line's width. */
const EDGE = 10

export const Sparkline = ({ label, max, values }: SparklineProps) => {
  if (values.length < 2) return null
  const top = max ?? Math.max(...values, Number.MIN_VALUE)
  const x = (index: number) => Math.round(index * WIDTH / (values.length - 1))
  const y = (value: number) => Math.round(HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * Math.min(1, value / top))
  const points = values.map((value, index) => `${x(index)},${y(value)}`)
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon points={[`0,${HEIGHT}`, ...points, `${WIDTH},${HEIGHT}`].join(" ")} />
      <polyline points={points.join(" ")} />
    </svg>
  )
}
