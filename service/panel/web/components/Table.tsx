/**
 * A table that sorts by its headings, and the response to a read as such a table. On a narrow screen, each row has
 * two lines: its subject, and beside it what people look for first.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { Button } from "./Button.tsx"
import { Icon, type IconName } from "./Icon.tsx"
import type { Query } from "../api/query.ts"
import { Empty, Loaded, Section, type SectionProps } from "./Page.tsx"

/**
 * The place of a cell on a narrow screen: the subject with its second line, beside its first line, beside its second
 * line, a line of its own below, or none.
 */
type Place = "title" | "first" | "second" | "line" | "none"

export interface Column<T> {
  readonly key: string
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  /** Makes the column sortable. */
  readonly by?: (row: T) => string | number
  readonly numeric?: boolean
  /** By default, the first column is the title, a state is beside it, and the others have lines of their own. */
  readonly narrow?: Place
}

const STATES = new Set(["status", "state"])

const placeOf = ({ key, narrow, title }: Omit<Column<never>, "cell" | "by">, index: number): string => {
  if (narrow !== undefined) return narrow
  if (index === 0) return "title"
  return title === "" ? "actions" : STATES.has(key) ? "first" : "line"
}

/** The last column: what can be done with a row. */
export function actionsOf<T>(actions: (row: T) => ComponentChildren): Column<T> {
  const cell = (row: T) => {
    const shown = actions(row)
    return shown === null ? null : <div class="actions">{shown}</div>
  }
  return { key: "actions", title: "", cell }
}

export interface Choice {
  readonly has: (id: number | string) => boolean
  readonly toggle: (id: number | string) => void
  readonly all: boolean
  readonly toggleAll: () => void
  readonly nameOf: (id: number | string) => string
}

export interface TableProps<T> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<T>>
  readonly rows: ReadonlyArray<T>
  readonly idOf: (row: T) => number | string
  readonly choice?: Choice | undefined
  /** The column and direction at first. */
  readonly sort?: { readonly key: string; readonly down?: boolean } | undefined
  /** True for the list of a screen: its order and length are in the address, so that Back and a reload find them. */
  readonly inAddress?: boolean | undefined
}

/** Rows that are drawn at once: more than a screen shows, few enough for every keystroke in a filter. */
const PAGE_ROWS = 50

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : COLLATOR.compare(String(a), String(b))
const COLLATOR = new Intl.Collator(undefined, { numeric: true })

function sorted<T>(rows: ReadonlyArray<T>, by: Column<T>["by"], down: boolean): ReadonlyArray<T> {
  if (by === undefined) return rows
  const sign = down ? -1 : 1
  return rows.map((row) => ({ row, value: by(row) })).toSorted((a, b) => sign * compare(a.value, b.value))
    .map(({ row }) => row)
}

interface HeadProps<T> {
  readonly column: Column<T>
  readonly down: boolean | undefined
  readonly onSort: () => void
}

function Head<T>({ column: { by, numeric, title }, down, onSort }: HeadProps<T>) {
  const order = down === undefined ? undefined : down ? "descending" : "ascending"
  return (
    <th scope="col" class={numeric === true ? "numeric" : undefined} aria-sort={order}>
      {by === undefined ? title || <span class="hidden">Actions</span> : (
        <button type="button" onClick={onSort}>
          {title}
          {down !== undefined && <Icon name={down ? "down" : "up"} />}
        </button>
      )}
    </th>
  )
}

const Check = ({ checked, label, onChange }: { checked: boolean; label: string; onChange: () => void }) => (
  <input type="checkbox" aria-label={label} checked={checked} onChange={onChange} />
)

interface RowProps<T> extends Pick<TableProps<T>, "columns" | "choice"> {
  readonly row: T
  readonly id: number | string
}

function Row<T>({ choice, columns, id, row }: RowProps<T>) {
  return (
    <tr aria-selected={choice?.has(id)}>
      {choice !== undefined && (
        <td class="choice">
          <Check label={`Select ${choice.nameOf(id)}`} checked={choice.has(id)} onChange={() => choice.toggle(id)} />
        </td>
      )}
      {columns.map((column, index) => (
        <td
          key={column.key}
          class={column.numeric === true ? "numeric" : undefined}
          data-title={column.title}
          data-narrow={placeOf(column, index)}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

/** The order of a table, and how many rows are drawn: of the table itself, or in the address of its screen. */
const useView = ({ inAddress = false, sort }: Pick<TableProps<never>, "inAddress" | "sort">) => {
  const { path, query, route } = useLocation()
  const [own, setOwn] = useState<Readonly<Record<string, string>>>({})
  const values = inAddress ? query : own
  const change = (changes: Readonly<Record<string, string>>) => {
    if (!inAddress) return setOwn({ ...own, ...changes })
    const next = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.search)), ...changes })
    route(`${path}?${next}`, true)
  }
  const key = values["sort"] ?? sort?.key ?? ""
  const down = values["sort"] === undefined ? sort?.down ?? false : values["down"] === "1"
  const limit = Math.max(PAGE_ROWS, Number(values["rows"] ?? 0) || 0)
  return {
    key,
    down,
    limit,
    order: (by: string, isDown: boolean) => change({ sort: by, down: isDown ? "1" : "0" }),
    more: () => change({ rows: String(limit + PAGE_ROWS) })
  }
}

interface NarrowSortProps<T> extends Pick<TableProps<T>, "columns"> {
  readonly view: ReturnType<typeof useView>
}

/** On a narrow screen, where the headings are not shown. */
function NarrowSort<T>({ columns, view: { down, key, order } }: NarrowSortProps<T>) {
  const sortable = columns.filter(({ by }) => by !== undefined)
  if (sortable.length === 0) return null
  return (
    <div class="narrow-sort">
      <select aria-label="Sort by" value={key} onChange={(event) => order(event.currentTarget.value, false)}>
        {key === "" && <option value="">Sort by…</option>}
        {sortable.map((one) => <option key={one.key} value={one.key}>{one.title}</option>)}
      </select>
      <Button
        kind="quiet"
        off={key === "" ? "Choose what to sort by first." : undefined}
        icon={down ? "down" : "up"}
        onClick={() => order(key, !down)}
      >
        {down ? "Descending" : "Ascending"}
      </Button>
    </div>
  )
}

export function Table<T>({ choice, columns, idOf, inAddress, label, rows, sort }: TableProps<T>) {
  const view = useView({ inAddress, sort })
  const { down, key, limit, more: showMore, order } = view
  const ordered = sorted(rows, columns.find((one) => one.key === key)?.by, down)
  const more = rows.length - limit
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      {rows.length > 1 && <NarrowSort {...{ columns, view }} />}
      <table>
        <thead>
          <tr>
            {choice !== undefined && (
              <th class="choice" scope="col">
                <Check label="Select all" checked={choice.all} onChange={choice.toggleAll} />
              </th>
            )}
            {columns.map((column) => (
              <Head
                key={column.key}
                column={column}
                down={column.key === key ? down : undefined}
                onSort={() => order(column.key, column.key === key && !down)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, limit).map((row) => <Row key={idOf(row)} id={idOf(row)} {...{ choice, columns, row }} />)}
        </tbody>
      </table>
      {more > 0 && (
        <Button kind="quiet" onClick={showMore}>
          Show {Math.min(more, PAGE_ROWS)} more of {rows.length}
        </Button>
      )}
    </div>
  )
}

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

interface RowsProps<T> extends Pick<TableProps<T>, "columns" | "idOf" | "inAddress" | "label" | "rows" | "sort"> {
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
      <Button off={onNewer === undefined ? "This is the first page." : undefined} onClick={onNewer}>{back}</Button>
      {children}
      <Button off={onOlder === undefined ? "This is the last page." : undefined} onClick={onOlder}>{on}</Button>
    </footer>
  )
