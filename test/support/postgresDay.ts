/** The situations of `postgresDay.long.test.ts`, and its table, which docs/guarantees.md has as it was measured. */

import { assert } from "vitest"

/** The fates of the database, with the most seconds until all buy again. */
export const SITUATIONS = {
  "The primary is killed, and its synchronous standby is promoted": 30,
  "The primary is killed, and an asynchronous standby that lags is promoted": 30,
  "The name moves to a standby, and the old primary keeps its sessions": 30,
  "The database only reads for a while": 30,
  "The database starts after the service": 30,
  "Two replicas are restarted one after the other behind nginx": 0
} as const

export type Situation = keyof typeof SITUATIONS

/** The only one in which a database can lose what was acknowledged: what its standby has not received. */
export const LOSING: Situation = "The primary is killed, and an asynchronous standby that lags is promoted"

const COLUMNS = [
  "situation",
  "acknowledged purchases",
  "of them lost",
  "ids sold twice",
  "requests lost",
  "seconds"
]

/** Fewer purchases than these would show little. */
const ACKNOWLEDGED = 100

export interface Outcome {
  readonly acknowledged: number
  /** Acknowledged, and not in the database afterwards. */
  readonly lost: number
  readonly soldTwice: number
  /** Never acknowledged, although they were repeated with their keys. */
  readonly requestsLost: number
  /** From the moment in which the database can be written until every client has bought again. */
  readonly seconds: number
}

const cells = ({ acknowledged, lost, requestsLost, seconds, soldTwice }: Outcome): ReadonlyArray<string> => [
  acknowledged.toLocaleString("en"),
  lost.toLocaleString("en"),
  String(soldTwice),
  String(requestsLost),
  seconds.toFixed(1)
]

/** Fails unless the outcome of a situation is as it must be. */
export const assertAccepted = (
  situation: Situation,
  { acknowledged, lost, requestsLost, seconds, soldTwice }: Outcome
) => {
  assert.deepStrictEqual({ soldTwice, requestsLost }, { soldTwice: 0, requestsLost: 0 })
  assert.strictEqual(lost > 0, situation === LOSING, `${lost} purchases were lost`)
  assert.isAbove(acknowledged, ACKNOWLEDGED)
  assert.isAtMost(seconds, SITUATIONS[situation])
}

/** A line of the table. */
export const rowOf = (situation: Situation, outcome: Outcome): string =>
  `| ${[situation, ...cells(outcome)].join(" | ")} |`

/** The outcomes in a document's table, by situation. */
export const outcomesIn = (document: string): ReadonlyMap<string, Outcome> => {
  const lines = document.split("\n").map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
  const start = lines.findIndex((line) => line.join() === COLUMNS.join())
  if (start === -1) throw new Error(`there is no table with the columns ${COLUMNS.join(", ")}`)
  const end = lines.findIndex((line, index) => index > start && line.length === 0)
  return new Map(
    lines.slice(start + 2, end).map(([situation = "", ...numbers]) => {
      const [acknowledged, lost, soldTwice, requestsLost, seconds] = numbers.map((text) =>
        Number(text.replaceAll(",", ""))
      )
      return [situation, {
        acknowledged: acknowledged!,
        lost: lost!,
        soldTwice: soldTwice!,
        requestsLost: requestsLost!,
        seconds: seconds!
      }]
    })
  )
}
