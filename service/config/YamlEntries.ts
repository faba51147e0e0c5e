/** Reads YAML, of which JSON is a part, with the line of each entry. Loaded only if a config file is used. */
import { isMap, isScalar, LineCounter, type ParsedNode, parseDocument, type YAMLMap } from "yaml"

/** A key and its value. */
export interface Entry {
  readonly key: string
  readonly line: number
  readonly value: unknown
  /** The entries of a mapping; undefined for any other value. */
  readonly entries: ReadonlyArray<Entry> | undefined
}

export interface Problem {
  readonly line: number
  readonly message: string
}

export interface Document {
  readonly problems: ReadonlyArray<Problem>
  readonly entries: ReadonlyArray<Entry>
}

/** The entries of the mapping that a text contains. An empty text has none. */
export const readEntries = (text: string): Document => {
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) {
    return { problems: document.errors.map(({ message, pos }) => ({ line: lineAt(pos[0]), message })), entries: [] }
  }
  const entriesOf = ({ items }: YAMLMap<ParsedNode, ParsedNode | null>): ReadonlyArray<Entry> =>
    items.map(({ key, value }) => ({
      key: isScalar(key) ? String(key.value) : String(key),
      line: lineAt(key.range[0]),
      value: value === null ? null : value.toJS(document),
      entries: isMap<ParsedNode, ParsedNode | null>(value) ? entriesOf(value) : undefined
    }))
  const { contents } = document
  if (isMap<ParsedNode, ParsedNode | null>(contents)) return { problems: [], entries: entriesOf(contents) }
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null)
  return {
    problems: isEmpty ? [] : [{ line: 1, message: "should be a mapping of settings, like port: 8787" }],
    entries: []
  }
}
