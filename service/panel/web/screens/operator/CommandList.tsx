/** The rows of a command that lists, page by page, with a search over all of them in the service. */
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { present } from "../../components/Form.tsx"
import { Button } from "../../components/Button.tsx"
import type { IconName } from "../../components/Icon.tsx"
import { Pager, usePages } from "../../components/List.tsx"
import { usePaused } from "../../components/paused.ts"
import { Empty, Loaded } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { useCommand } from "./commands.ts"

/** Rows on one page: as many as a table draws at once. */
export const PAGE = 50

/** A page, and the cursor of the next one; undefined on the last. A command is requested for one row more. */
export function pageOf<T>(rows: ReadonlyArray<T>, idOf: (row: T) => number) {
  const shown = rows.slice(0, PAGE)
  return { shown, next: rows.length > PAGE ? idOf(shown.at(-1)!) : undefined }
}

interface CommandListProps<T> {
  readonly command: string
  /** Filters of the command. */
  readonly input?: object
  /** The command's field for the row after which a page begins. */
  readonly cursor: "after" | "before"
  readonly idOf: (row: T) => number
  readonly label: string
  /** Of the search. */
  readonly placeholder: string
  readonly columns: ReadonlyArray<Column<T>>
  readonly icon: IconName
  /** If there are no rows at all. */
  readonly empty: ComponentChildren
  /** Beside the search. */
  readonly filters?: ComponentChildren
}

/** The rows of the page, or those before while it is loaded. */
function useRows<T>(command: string, input: object) {
  const query = useCommand<ReadonlyArray<T>>(command, { ...input, limit: PAGE + 1 })
  const last = useRef<ReadonlyArray<T> | undefined>(undefined)
  if (query.data !== undefined) last.current = query.data
  return query.error === undefined ? { ...query, data: query.data ?? last.current } : query
}

export function CommandList<T>(props: CommandListProps<T>) {
  const { columns, command, cursor, empty, filters, icon, idOf, input = {}, label, placeholder } = props
  const [text, setText] = useState("")
  const asked = usePaused(text)
  const filter = { ...input, ...present({ search: asked === "" ? undefined : asked }) }
  const { before: from, pagesOf } = usePages(JSON.stringify(filter))
  const start = cursor === "after" ? { after: from ?? 0 } : present({ before: from })
  const query = useRows<T>(command, { ...filter, ...start })
  const { next, shown } = pageOf(query.data ?? [], idOf)
  const isWhole = from === undefined && next === undefined
  // A page of many is in the service's order: sorting it would not sort the list.
  const shownColumns = isWhole ? columns : columns.map(({ by: _by, ...column }) => column)
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          aria-label={placeholder}
          placeholder={placeholder}
          maxLength={255}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {filters}
        <span class="muted" role="status">{shown.length} {isWhole ? "found" : "on this page"}</span>
      </div>
      <Loaded query={query} lines={8}>
        {() =>
          shown.length > 0
            ? <Table columns={shownColumns} idOf={idOf} label={label} rows={shown} />
            : asked === ""
            ? <Empty icon={icon} title={`No ${label.toLowerCase()}`}>{empty}</Empty>
            : (
              <Empty icon="search" title="Nothing found">
                <Button onClick={() => setText("")}>Clear the search</Button>
              </Empty>
            )}
      </Loaded>
      <Pager {...pagesOf(next)} names={cursor === "after" ? ["Previous", "Next"] : undefined} />
    </>
  )
}
