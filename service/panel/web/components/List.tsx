/** The response to a read as a table in a section, or advice while there are no rows; pages, and a search. */
import { useEffect, useState } from "preact/hooks"
import type { ComponentChildren } from "preact"
import type { Query } from "../api/query.ts"
import type { IconName } from "./Icon.tsx"
import { Button } from "./Button.tsx"
import { Section, type SectionProps } from "./Page.tsx"
import { Empty, Loaded } from "./State.tsx"
import { Table, type TableProps } from "./Table.tsx"

/** Between the last keystroke and a search in the service. */
const PAUSE_MILLIS = 200

/** The trimmed text after a moment without typing. */
export const usePaused = (text: string): string => {
  const [paused, setPaused] = useState(text.trim())
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(text.trim()), PAUSE_MILLIS)
    return () => window.clearTimeout(timer)
  }, [text])
  return paused
}

export interface EmptyText {
  readonly icon: IconName
  readonly title: string
  /** The next step. */
  readonly advice?: ComponentChildren
}

interface RowsProps<T> extends Pick<TableProps<T>, "columns" | "idOf" | "label" | "rows" | "sort"> {
  readonly empty: EmptyText
}

export function Rows<T>({ empty: { advice, icon, title }, ...table }: RowsProps<T>) {
  return table.rows.length === 0 ? <Empty icon={icon} title={title}>{advice}</Empty> : <Table {...table} />
}

interface ListProps<T> extends Omit<RowsProps<T>, "rows" | "label">, Pick<SectionProps, "actions" | "note" | "title"> {
  readonly query: Query<ReadonlyArray<T>>
  readonly lines?: number | undefined
  /** Below the table. */
  readonly children?: ComponentChildren
}

export function List<T>({ actions, children, lines, note, query, title, ...rows }: ListProps<T>) {
  return (
    <Section {...{ actions, note, title }}>
      <Loaded query={query} lines={lines}>
        {(found) => <Rows {...rows} rows={found} label={title} />}
      </Loaded>
      {children}
    </Section>
  )
}

/** The pages of a list in which each page names where the next one begins. Another list begins with its first page. */
export const usePages = (list = "") => {
  const [pages, setPages] = useState<{ readonly list: string; readonly cursors: ReadonlyArray<number> }>()
  const cursors = pages?.list === list ? pages.cursors : []
  const setCursors = (changed: ReadonlyArray<number>) => setPages({ list, cursors: changed })
  return {
    /** The beginning of this page; undefined for the first. */
    before: cursors.at(-1),
    pagesOf: (next: number | null | undefined): PagerProps => ({
      onNewer: cursors.length === 0 ? undefined : () => setCursors(cursors.slice(0, -1)),
      onOlder: next === null || next === undefined ? undefined : () => setCursors([...cursors, next])
    })
  }
}

interface PagerProps {
  readonly onNewer: (() => void) | undefined
  readonly onOlder: (() => void) | undefined
  /** Of the buttons; of lists by time by default. */
  readonly names?: readonly [back: string, on: string] | undefined
  readonly children?: ComponentChildren
}

/** The way to other pages of a long list; undefined where there is none. */
export const Pager = ({ children, names: [back, on] = ["Newer", "Older"], onNewer, onOlder }: PagerProps) =>
  onNewer === undefined && onOlder === undefined ? null : (
    <footer class="pages">
      <Button disabled={onNewer === undefined} onClick={onNewer}>{back}</Button>
      {children}
      <Button disabled={onOlder === undefined} onClick={onOlder}>{on}</Button>
    </footer>
  )
