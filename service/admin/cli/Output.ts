/** Prints results: a table or a list of fields for people, or a JSON document for programs. */
import * as Effect from "effect/Effect"
import { escapeJson, sanitize } from "@pulumi-vps/contract/CommandLine"
import type { Use } from "../../contract/Fields.ts"
import { asText } from "../../domain/Money.ts"

export const FORMATS = ["table", "json"] as const
export type Format = typeof FORMATS[number]

type Cell = string | number | boolean | null | undefined | ReadonlyArray<unknown> | object
type Row = Readonly<Record<string, Cell>>

/** The look of a table. */
export interface Look {
  /** Names of fields with amounts of money, which always show their cents. */
  readonly amounts: ReadonlySet<string>
  /** A row as a table shows it. */
  readonly view: (row: object) => object
}

const PLAIN: Look = { amounts: new Set(), view: (row) => row }

const isUse = (cell: object): cell is Use => Object.keys(cell).join() === "used,total"

const format = (name: string, cell: Cell, amounts: Look["amounts"]): string => {
  if (cell === null || cell === undefined || (Array.isArray(cell) && cell.length === 0)) return "-"
  if (typeof cell === "boolean") return cell ? "yes" : "no"
  if (typeof cell === "number") return amounts.has(name) ? asText(cell) : String(cell)
  if (Array.isArray(cell)) return sanitize(cell.map(String).join(", "))
  if (typeof cell === "object" && isUse(cell)) return `${cell.used}/${cell.total}`
  return sanitize(typeof cell === "string" ? cell : JSON.stringify(cell))
}

const aligned = (lines: ReadonlyArray<ReadonlyArray<string>>, right: ReadonlyArray<boolean>): string => {
  const widths = right.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const padded = (cell: string, column: number) =>
    right[column] === true ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
  return lines.map((line) => `${line.map(padded).join("  ").trimEnd()}\n`).join("")
}

const title = (name: string): string => name.replaceAll("_", " ").toUpperCase()

/** A table with the names of fields as header, and numbers aligned to the right. */
const table = (rows: ReadonlyArray<Row>, amounts: Look["amounts"]): string => {
  const [first] = rows
  if (first === undefined) return "none\n"
  const names = Object.keys(first)
  const right = names.map((name) => rows.every((row) => typeof row[name] === "number" || row[name] === null))
  return aligned([names.map(title), ...rows.map((row) => names.map((name) => format(name, row[name], amounts)))], right)
}

const isRows = (cell: Cell): cell is ReadonlyArray<Row> =>
  Array.isArray(cell) && cell.length > 0 && cell.every((item) => typeof item === "object" && item !== null)

/** A record, with one field per line; lists of records follow as tables. */
export const fields = (record: Row, amounts: Look["amounts"] = PLAIN.amounts): string => {
  const entries = Object.entries(record)
  const lines = entries.filter(([, cell]) => !isRows(cell)).map(([name, cell]) => [name, format(name, cell, amounts)])
  const tables = entries.map(([name, cell]) => isRows(cell) ? `\n${title(name)}\n${table(cell, amounts)}` : "")
  return `${aligned(lines, [false, false])}${tables.join("")}`
}

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** Prints a result in an output format. JSON is complete. */
export const show = (format: Format, result: unknown, { amounts, view }: Look = PLAIN): Effect.Effect<void> => {
  if (format === "json") return print(`${escapeJson(JSON.stringify(result, null, 2))}\n`)
  return print(
    Array.isArray(result)
      ? table(result.map(view) as ReadonlyArray<Row>, amounts)
      : fields(view(result as Row) as Row, amounts)
  )
}

/** Prints a note to standard error, because programs parse standard output. */
export const note = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stderr.write(`${text}\n`))

/** Prints each line of an error. */
export const printError = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const line of text.split("\n")) process.stderr.write(`vps-service: ${sanitize(line)}\n`)
  })

/** Prints a text unchanged. */
export const plain = print
