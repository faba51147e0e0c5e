/** From measurements to a table that people read: medians with their spread, and ratios paired per round. */
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import type { Measured } from "./Process.ts"

export const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** The load average says whether other programs disturbed the round. */
export const sayRound = (round: number, rounds: number): void =>
  say(`round ${round + 1} of ${rounds}, load average ${loadavg()[0]!.toFixed(1)}`)

/** Every other round runs backwards, so that no system always runs first. */
export const inTurn = <A>(all: ReadonlyArray<A>, round: number): ReadonlyArray<A> =>
  round % 2 === 0 ? all : all.toReversed()

/** Writes all figures, with the computer's. `json` is another path for them. */
export const writeResult = (json: string | undefined, name: string, result: object): void => {
  const path = json ?? fileURLToPath(new URL(`../../../.bench/${name}`, import.meta.url))
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version, platform: process.platform }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify({ machine, ...result }, undefined, 2)}\n`)
  say(`written to ${path}`)
}

export interface Sample extends Measured {
  readonly system: string
  readonly work: string
  readonly round: number
}

export interface Start {
  readonly system: string
  readonly round: number
  /** Milliseconds to the first answer. */
  readonly millis: number
  /** Megabytes, idle. */
  readonly rss: number
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** `median [least-most]`. */
export const spread = (values: ReadonlyArray<number>, digits: number): string =>
  values.length === 0
    ? "-"
    : `${median(values).toFixed(digits)} [${Math.min(...values).toFixed(digits)}-${
      Math.max(...values).toFixed(digits)
    }]`

/** Ours over theirs, round by round: what disturbs the machine in a round disturbs both. */
export const paired = <A extends { system: string; round: number }>(
  rows: ReadonlyArray<A>,
  [ours, theirs]: readonly [string, string],
  value: (row: A) => number
): Array<number> =>
  rows.filter(({ system }) => system === ours).flatMap((row) => {
    const other = rows.find(({ round, system }) => system === theirs && round === row.round)
    return other === undefined ? [] : [value(row) / value(other)]
  })

export const align = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row.map((cell, column) => column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)).join("  ")
      .trimEnd()
  ).join("\n")
}

type Measure<A> = readonly [title: string, value: (row: A) => number, digits: number]

/** One table: a line per system that has rows, then ours over each of the others. */
export const table = <A extends { system: string; round: number }>(
  title: string,
  systems: ReadonlyArray<string>,
  rows: ReadonlyArray<A>,
  measures: ReadonlyArray<Measure<A>>
): string => {
  const present = systems.filter((name) => rows.some(({ system }) => system === name))
  const [ours, ...others] = present
  const lines = present.map((system) => [
    system,
    ...measures.map(([, value, digits]) => spread(rows.filter((row) => row.system === system).map(value), digits))
  ])
  const ratios = others.map((theirs) => [
    `${ours} : ${theirs}`,
    ...measures.map(([, value]) => spread(paired(rows, [ours!, theirs], value), 2))
  ])
  return align([[title, ...measures.map(([name]) => name)], ...lines, ...ratios])
}

export const report = (
  systems: ReadonlyArray<string>,
  starts: ReadonlyArray<Start>,
  samples: ReadonlyArray<Sample>
): string => {
  const works = [...new Set(samples.map(({ work }) => work))]
  const tables = works.map((work) =>
    table(work, systems, samples.filter((sample) => sample.work === work), [
      ["CPU us/request", ({ cpu }) => cpu, 1],
      ["requests/s", ({ perSecond }) => perSecond, 0],
      ["p50 us", ({ p50 }) => p50, 0],
      ["p99 us", ({ p99 }) => p99, 0],
      ["RSS MB", ({ rss }) => rss, 0]
    ])
  )
  const start = table("start", systems, starts, [
    ["ms to first answer", ({ millis }) => millis, 0],
    ["idle RSS MB", ({ rss }) => rss, 0]
  ])
  return [...starts.length === 0 ? [] : [start], ...tables].join("\n\n")
}
