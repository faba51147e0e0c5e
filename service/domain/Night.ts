/** When the nightly work on an instance is due. */

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The night begins at 02:00 UTC, when most machines have the least to do. */
const BEGINS = 2 * 60 * MINUTE

/** Its work is spread over two hours, in minutes, so that the hosts are not all asked at once. */
const SPREAD = 120

/** A stride that shares no factor with the spread: neighbours are minutes apart. */
const STRIDE = 7

/** From one night's minute to the next's, in milliseconds. */
export const NIGHT_TO_NIGHT_MILLIS = DAY

/** The first moment after `at` that is an instance's own minute of the night; both in epoch milliseconds. */
export const nextNight = (at: number, instanceId: number): number => {
  const minute = BEGINS + (instanceId * STRIDE % SPREAD) * MINUTE
  return (Math.floor((at - minute) / DAY) + 1) * DAY + minute
}
