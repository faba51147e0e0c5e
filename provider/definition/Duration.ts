/** Durations in programs and configuration: "90s", "10m", "1h30m", "500ms". */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/gy
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/

/** In milliseconds; undefined when the text is not a duration. */
export const parseDuration = (text: string): number | undefined => {
  if (!WHOLE.test(text)) return undefined
  return [...text.matchAll(PART)].reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ""] ?? 0), 0)
}

/** 90000 becomes "90s", 600000 becomes "10m", 999.5 becomes "1s". */
export const formatDuration = (exact: number): string => {
  const ms = Math.round(exact)
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000}m`
  return ms >= 1_000 ? `${Math.round(ms / 1_000)}s` : `${ms}ms`
}
