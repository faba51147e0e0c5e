/** The texts of a graph's axis, in the language of the browser. */

const DAY_SECONDS = 86_400
const MILLIS = 1_000

/** The times below a graph, in seconds since 1970, with the day where one begins, and at first. */
export const axisTimes = (times: ReadonlyArray<number>, step: number, locale?: string): Array<string> => {
  const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" })
  const clocks = new Intl.DateTimeFormat(locale, { timeStyle: "short" })
  let before = ""
  return times.map((seconds) => {
    const day = days.format(seconds * MILLIS)
    const isNew = day !== before
    before = day
    if (step >= DAY_SECONDS) return day
    const clock = clocks.format(seconds * MILLIS)
    return isNew ? `${clock}\n${day}` : clock
  })
}
