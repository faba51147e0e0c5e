/** The parts of a catalogue: each entry is replaced by its id, and has a unique name. */
import { isDeepStrictEqual } from "node:util"
import type { CompleteDocument } from "./CatalogueRows.ts"

/** The parts, with the fields of an entry that have its id and its name. */
const PARTS = [
  { part: "data_center", list: "data_centers", id: "id", name: "label" },
  { part: "image", list: "images", id: "os_id", name: "slug" },
  { part: "plan", list: "plans", id: "id", name: "slug" },
  { part: "iso", list: "isos", id: "id", name: "name" }
] as const

type Part = typeof PARTS[number]

/** The effect of an import on one entry. */
export interface Change {
  readonly part: Part["part"]
  readonly id: number
  readonly name: string
  readonly change: "added" | "changed" | "unchanged"
}

const entriesOf = (document: CompleteDocument, { id, list, name }: Part) =>
  (document[list] as ReadonlyArray<object>).map((entry) => {
    const fields = entry as Readonly<Record<string, unknown>>
    return { id: fields[id] as number, name: fields[name] as string, entry }
  })

/** The current catalogue with the imported entries added or replaced by id. */
export const merged = (current: CompleteDocument, imported: CompleteDocument): CompleteDocument =>
  Object.fromEntries(PARTS.map((part) => {
    const entries = [...entriesOf(current, part), ...entriesOf(imported, part)]
    return [part.list, [...new Map(entries.map(({ entry, id }) => [id, entry])).values()]]
  })) as unknown as CompleteDocument

/** Compares each imported entry with its previous state. */
export const changesOf = (current: CompleteDocument, imported: CompleteDocument): ReadonlyArray<Change> =>
  PARTS.flatMap((part) => {
    const before = new Map(entriesOf(current, part).map(({ entry, id }) => [id, entry]))
    return entriesOf(imported, part).map(({ entry, id, name }): Change => {
      const was = before.get(id)
      const change = was === undefined ? "added" : isDeepStrictEqual(was, entry) ? "unchanged" : "changed"
      return { part: part.part, id, name, change }
    })
  })

export const duplicates = (what: string, values: ReadonlyArray<string | number>): ReadonlyArray<string> =>
  [...new Set(values.filter((value, index) => values.indexOf(value) !== index))].map((value) =>
    `${what} ${value} is not unique.`
  )

/** Entries with the id or the name of another one of their part. */
export const duplicateEntries = (document: CompleteDocument, field: "id" | "name"): ReadonlyArray<string> =>
  PARTS.flatMap((part) =>
    duplicates(`${part.list}: ${part[field]}`, entriesOf(document, part).map((entry) => entry[field]))
  )
