/** Prints results: a table or a list of fields for people, or a JSON document for programs. */
import * as Effect from "effect/Effect"
import { escapeJson, sanitize } from "#contract/Text"
import { asText } from "../../domain/Money.ts"

export const FORMATS = ["table", "json"] as const
export type Format = typeof FORMATS[number]

type Cell = string | number | boolean | null | undefined | ReadonlyArray<unknown> | object
type Row = Readonly<Record<string, Cell>>

/** Fields with amounts of money, which always show their cents. */
const AMOUNTS: ReadonlySet<string> = new Set(["amount", "balance", "net", "price", "vat_amount", "wallet"])

const format = (name: string, cell: Cell): string => {
  if (cell === null || cell === undefined || (Array.isArray(cell) && cell.length === 0)) return "-"
  if (typeof cell === "boolean") return cell ? "yes" : "no"
  if (typeof cell === "number") return AMOUNTS.has(name) ? asText(cell) : String(cell)
  if (Array.isArray(cell)) return sanitize(cell.map(String).join(", "))
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
const table = (rows: ReadonlyArray<Row>): string => {
  const [first] = rows
  if (first === undefined) return "none\n"
  const names = Object.keys(first)
  const right = names.map((name) => rows.every((row) => typeof row[name] === "number" || row[name] === null))
  return aligned([names.map(title), ...rows.map((row) => names.map((name) => format(name, row[name])))], right)
}

const isRows = (cell: Cell): cell is ReadonlyArray<Row> =>
  Array.isArray(cell) && cell.length > 0 && cell.every((item) => typeof item === "object" && item !== null)

/** A record, with one field per line; lists of records follow as tables. */
export const fields = (record: Row): string => {
  const entries = Object.entries(record)
  const lines = entries.filter(([, cell]) => !isRows(cell)).map(([name, cell]) => [name, format(name, cell)])
  const tables = entries.map(([name, cell]) => isRows(cell) ? `\n${title(name)}\n${table(cell)}` : "")
  return `${aligned(lines, [false, false])}${tables.join("")}`
}

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** Prints a result in an output format. */
export const show = (format: Format, result: unknown): Effect.Effect<void> => {
  if (format === "json") return print(`${escapeJson(JSON.stringify(result, null, 2))}\n`)
  return print(Array.isArray(result) ? table(result) : fields(result as Row))
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
