/** A table that sorts by its headings. On a narrow screen, each row becomes a card. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button } from "./Button.tsx"
import { Icon } from "./Icon.tsx"

export interface Column<T> {
  readonly key: string
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  /** Makes the column sortable. */
  readonly by?: (row: T) => string | number
  readonly numeric?: boolean
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
      {columns.map(({ cell, key, numeric, title }) => (
        <td key={key} class={numeric === true ? "numeric" : undefined} data-title={title}>{cell(row)}</td>
      ))}
    </tr>
  )
}

export function Table<T>({ choice, columns, idOf, label, rows, sort }: TableProps<T>) {
  const [{ down, key }, setSort] = useState({ key: sort?.key ?? "", down: sort?.down ?? false })
  const [limit, setLimit] = useState(PAGE_ROWS)
  const ordered = sorted(rows, columns.find((one) => one.key === key)?.by, down)
  const more = rows.length - limit
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
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
                onSort={() => setSort({ key: column.key, down: column.key === key && !down })}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, limit).map((row) => <Row key={idOf(row)} id={idOf(row)} {...{ choice, columns, row }} />)}
        </tbody>
      </table>
      {more > 0 && (
        <Button kind="quiet" onClick={() => setLimit(limit + PAGE_ROWS)}>
          Show {Math.min(more, PAGE_ROWS)} more of {rows.length}
        </Button>
      )}
    </div>
  )
}
