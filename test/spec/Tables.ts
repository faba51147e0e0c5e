/** Reads the tables: which test proves which sentence of the specification. README.md shows what a row looks like. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { ROOT } from "../tidy/Source.ts"

export interface Proof {
  /** Relative to the root. */
  readonly path: string
  readonly title: string
}

export interface Row {
  readonly document: string
  readonly section: string
  readonly sentence: string
  readonly proofs: ReadonlyArray<Proof>
  /** The reason why the service departs from the sentence, or why no test can prove it. */
  readonly notes: ReadonlyArray<string>
  readonly at: string
}

export interface Tables {
  readonly rows: ReadonlyArray<Row>
  /** Lines that are none of a table's: what is not understood must not get lost. */
  readonly strays: ReadonlyArray<string>
}

const DOCUMENT = /^# (.+)$/
const SECTION = /^## (.+)$/
const SENTENCE = /^- (.+)$/
const PROOF = /^ {2}- `(test\/[^`]+)`: (.+)$/
const NOTE = /^ {2}- ((?:Departs|Not testable): .+)$/

/** Markdown's escapes are not part of what is said. */
const plain = (text: string): string => text.replace(/\\([\\`*_{}[\]()#+\-.!<>|~])/g, "$1")

/** The rows of one page, in their order. */
export const parseTable = (path: string, text: string): Tables => {
  const rows: Array<Row & { proofs: Array<Proof>; notes: Array<string> }> = []
  const strays: Array<string> = []
  let [document, section] = ["", ""]
  text.split("\n").forEach((line, index) => {
    const at = `${path}:${index + 1}`
    const found = (form: RegExp) => form.exec(line)?.slice(1).map(plain)
    const proof = found(PROOF)
    const row = rows.at(-1)
    const isWithin = row?.document === document && row.section === section
    if (found(DOCUMENT) !== undefined) document = found(DOCUMENT)![0]!
    else if (found(SECTION) !== undefined) section = found(SECTION)![0]!
    else if (proof !== undefined && isWithin) row.proofs.push({ path: proof[0]!, title: proof[1]! })
    else if (found(NOTE) !== undefined && isWithin) row.notes.push(found(NOTE)![0]!)
    else if (found(SENTENCE) !== undefined && section !== "") {
      rows.push({ document, section, sentence: found(SENTENCE)![0]!, proofs: [], notes: [], at })
    } else if (line.trim() !== "") strays.push(`${at} ${line}`)
  })
  return { rows, strays }
}

const HERE = fileURLToPath(new URL(".", import.meta.url))

/** All tables of this folder. */
export const readTables = (): Tables => {
  const pages = readdirSync(HERE, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && name !== "README.md").toSorted()
    .map((name) => parseTable(relative(ROOT, join(HERE, name)), readFileSync(join(HERE, name), "utf8")))
  return { rows: pages.flatMap(({ rows }) => rows), strays: pages.flatMap(({ strays }) => strays) }
}

/** The faults of the tables. `titlesIn` returns the test titles of a file, undefined if it does not exist. */
export const faults = (
  { rows, strays }: Tables,
  sections: ReadonlyArray<string>,
  titlesIn: (path: string) => ReadonlySet<string> | undefined
): ReadonlyArray<string> => {
  const nameOf = ({ document, section }: Row) => `${document}, ${section}`
  const [written, seen] = [new Set(rows.map(nameOf)), new Set<string>()]
  const ofRow = (row: Row): ReadonlyArray<string> => {
    const key = `${nameOf(row)}: ${row.sentence}`
    const doubled = seen.has(key) ? [`${row.at} says again: ${row.sentence}`] : []
    seen.add(key)
    const twice = row.proofs.filter(({ path, title }, index) =>
      row.proofs.findIndex((other) => other.path === path && other.title === title) !== index
    )
    const gone = row.proofs.filter(({ path, title }) => titlesIn(path)?.has(title) !== true)
    const isProven = row.proofs.length > 0 || row.notes.some((note) => note.startsWith("Not testable: "))
    return [
      ...doubled,
      ...twice.map(({ title }) => `${row.at} names twice: ${title}`),
      ...gone.map(({ path, title }) => `${row.at} names a test that is not in ${path}: ${title}`),
      ...(isProven ? [] : [`${row.at} has no test: ${row.sentence}`])
    ]
  }
  return [
    ...strays.map((stray) => `not understood: ${stray}`),
    ...rows.flatMap(ofRow),
    ...sections.filter((name) => !written.has(name)).map((name) => `no row for ${name}`),
    ...[...written].filter((name) => !sections.includes(name)).map((name) => `no section of the text: ${name}`)
  ]
}
