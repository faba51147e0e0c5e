/** A small chart of samples, as wide as the terminal allows. */
import { CHART_COLUMNS, CHART_LINES } from "../Limits.ts"

const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
const FULL = EIGHTHS.length - 1

/** As many values as there are columns: each the highest of its share of the samples, so that no peak is lost. */
export const squeezed = (values: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  if (values.length <= columns) return values
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor(column * values.length / columns)
    const until = Math.floor((column + 1) * values.length / columns)
    return Math.max(...values.slice(from, until))
  })
}

/** Lines from the top down. The highest value fills them; the lowest line stands for 0. */
export const chart = (values: ReadonlyArray<number>, columns: number): ReadonlyArray<string> => {
  const shown = squeezed(values, Math.max(1, Math.min(columns, CHART_COLUMNS)))
  const top = Math.max(...shown, 0)
  const heights = shown.map((value) => top === 0 ? 0 : Math.round(value / top * CHART_LINES * FULL))
  return Array.from({ length: CHART_LINES }, (_, index) => {
    const below = (CHART_LINES - 1 - index) * FULL
    return heights.map((height) => EIGHTHS[Math.min(FULL, Math.max(0, height - below))]).join("").trimEnd()
  })
}
