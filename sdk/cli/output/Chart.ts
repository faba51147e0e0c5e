/** A small chart of samples, up to the width of the terminal. */
import { CHART_COLUMNS, CHART_LINES } from "../Limits.ts"

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
