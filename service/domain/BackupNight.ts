/** The night in which an instance is backed up. */

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The night starts at 02:00 UTC, when most machines are idle. */
const START = 2 * 60 * MINUTE

/** Its work is spread over two hours, in minutes, to limit the load on the hosts. */
const SPREAD = 120

/** A stride without a common factor with the spread: consecutive instances are minutes apart. */
const STRIDE = 7

/** The time between two nightly runs of an instance, in milliseconds. */
export const NIGHT_TO_NIGHT_MILLIS = DAY

/** The instance's next nightly run after `at`; both in epoch milliseconds. */
export const nextNight = (at: number, instanceId: number): number => {
  const minute = START + (instanceId * STRIDE % SPREAD) * MINUTE
  return (Math.floor((at - minute) / DAY) + 1) * DAY + minute
}
