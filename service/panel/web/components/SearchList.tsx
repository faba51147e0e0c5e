/** A table with a search over its rows. */
import { useMemo, useState } from "preact/hooks"
import type { ComponentChildren } from "preact"
import { Button } from "./Button.tsx"
import type { IconName } from "./Icon.tsx"
import { Empty } from "./State.tsx"
import { type Column, Table } from "./Table.tsx"

interface SearchListProps<T> {
  readonly label: string
  /** Of the search. */
  readonly placeholder: string
  readonly columns: ReadonlyArray<Column<T>>
  readonly rows: ReadonlyArray<T>
  readonly idOf: (row: T) => number | string
  /** The text in which the search looks for a row. */
  readonly textOf: (row: T) => string
  readonly icon: IconName
  /** If there are no rows at all. */
  readonly empty: ComponentChildren
  /** Beside the search. */
  readonly filters?: ComponentChildren
}

export function SearchList<T>(props: SearchListProps<T>) {
  const { columns, empty, filters, icon, idOf, label, placeholder, rows, textOf } = props
  const [text, setText] = useState("")
  const texts = useMemo(() => rows.map((row) => textOf(row).toLowerCase()), [rows])
  const words = text.toLowerCase().split(/\s+/)
  const found = rows.filter((_, index) => words.every((word) => texts[index]?.includes(word)))
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          aria-label={placeholder}
          placeholder={placeholder}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {filters}
        <span class="muted" role="status">{found.length} of {rows.length}</span>
      </div>
      {found.length > 0
        ? <Table {...{ columns, idOf, label }} rows={found} />
        : rows.length === 0
        ? <Empty icon={icon} title={`No ${label.toLowerCase()}`}>{empty}</Empty>
        : (
          <Empty icon="search" title="Nothing found">
            <Button onClick={() => setText("")}>Clear the search</Button>
          </Empty>
        )}
    </>
  )
}
