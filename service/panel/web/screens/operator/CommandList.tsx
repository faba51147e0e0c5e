/** The list of a command, page by page and with a search over all rows in the service; and the reason of an act. */
import type { ComponentChildren } from "preact"
import { useRef } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { type CommandInput, type InputOf, type PanelCommand, type RowOf, useCommand } from "../../api/calls.ts"
import type { Query } from "../../api/query.ts"
import { present, TextField } from "../../components/Form.tsx"
import { Button } from "../../components/Button.tsx"
import type { IconName } from "../../components/Icon.tsx"
import { type Column, Pager, Rows, Table, usePages } from "../../components/Table.tsx"
import { Empty, Loaded, Page } from "../../components/Page.tsx"
import { useFilters, useSearch } from "../../components/filters.ts"
import { type Filter, FilterControl, inputOf } from "./Filters.tsx"

/** Rows on one page: as many as a table draws at once. */
export const PAGE = 50

/** A page, and the cursor of the next one; undefined on the last. A command is requested for one row more. */
export function pageOf<T>(rows: ReadonlyArray<T>, idOf: (row: T) => number) {
  const shown = rows.slice(0, PAGE)
  return { shown, next: rows.length > PAGE ? idOf(shown.at(-1)!) : undefined }
}

/** The commands that search in what they list. */
type ListCommand = {
  [Name in PanelCommand]: "limit" | "search" extends keyof InputOf<Name> ? Name : never
}[PanelCommand]

interface CommandListProps<Name extends ListCommand> {
  readonly command: Name
  readonly input?: Partial<InputOf<Name>>
  /** The command's field for the row after which a page begins. */
  readonly cursor: Extract<keyof InputOf<Name>, "after" | "before">
  readonly idOf: (row: RowOf<Name>) => number
  readonly label: string
  /** Of the search. */
  readonly placeholder: string
  readonly columns: ReadonlyArray<Column<RowOf<Name>>>
  readonly icon: IconName
  /** If there are no rows at all. */
  readonly empty: ComponentChildren
  /** Beside the search. */
  readonly filters?: ReadonlyArray<Filter<InputOf<Name>>>
  /** True for the list of a screen, whose search and filters are in the address. */
  readonly inAddress?: boolean
}

/** The rows of the page, or those before while it is loaded. */
function useRows<Name extends ListCommand>(command: Name, input: object) {
  const whole = [{ ...input, limit: PAGE + 1 }] as unknown as CommandInput<Name>
  const query = useCommand(command, ...whole) as Query<ReadonlyArray<RowOf<Name>>>
  const last = useRef<ReadonlyArray<RowOf<Name>> | undefined>(undefined)
  if (query.data !== undefined) last.current = query.data
  return query.error === undefined ? { ...query, data: query.data ?? last.current } : query
}

interface NoneProps {
  readonly icon: IconName
  readonly label: string
  readonly searched: boolean
  readonly filtered: boolean
  readonly onClear: () => void
  readonly children: ComponentChildren
}

const None = ({ children, filtered, icon, label, onClear, searched }: NoneProps) => {
  const clear = <Button onClick={onClear}>Clear the search</Button>
  if (searched) return <Empty icon="search" title="Nothing found">{clear}</Empty>
  const none = `No ${label.toLowerCase()}`
  return filtered
    ? <Empty icon="search" title={`${none} match`}>Change the filter above to see others.</Empty>
    : <Empty icon={icon} title={none}>{children}</Empty>
}

export function CommandList<Name extends ListCommand>(props: CommandListProps<Name>) {
  const { columns, command, cursor, empty, filters = [], icon, idOf, inAddress = false, input, label } = props
  const state = useFilters(inAddress)
  const { known: search, setText, text } = useSearch(state)
  const filtered = inputOf(filters, state.values)
  const wanted = { ...input, ...filtered, ...(search === "" ? {} : { search }) }
  const { before: from, pagesOf } = usePages(JSON.stringify(wanted))
  const start = cursor === "after" ? { after: from ?? 0 } : present({ before: from })
  const query = useRows(command, { ...wanted, ...start })
  const { next, shown } = pageOf(query.data ?? [], idOf)
  const isWhole = from === undefined && next === undefined
  // A page of many is in the service's order: sorting it would not sort the list.
  const shownColumns = isWhole ? columns : columns.map(({ by: _by, ...column }) => column)
  const none = { icon, label, searched: search !== "", filtered: Object.keys(filtered).length > 0 }
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          aria-label={props.placeholder}
          placeholder={props.placeholder}
          maxLength={255}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {filters.map((filter) => <FilterControl key={filter.name} filter={filter} state={state} />)}
        <span class="muted" role="status">{shown.length} {isWhole ? "found" : "on this page"}</span>
      </div>
      <Loaded query={query} lines={8}>
        {() =>
          shown.length > 0
            ? <Table columns={shownColumns} {...{ idOf, inAddress, label }} rows={shown} />
            : <None {...none} onClear={() => setText("")}>{empty}</None>}
      </Loaded>
      <Pager {...pagesOf(next)} names={cursor === "after" ? ["Previous", "Next"] : undefined} />
    </>
  )
}

interface OneProps<Row> {
  /** Such as "Task". */
  readonly kind: string
  readonly useOne: (id: number) => Query<ReadonlyArray<Row>>
  readonly idOf: (row: Row) => number
  readonly columns: ReadonlyArray<Column<Row>>
}

interface ListScreenProps<Row> extends OneProps<Row> {
  readonly list: { readonly href: string; readonly name: string }
  /** All of them. */
  readonly children: ComponentChildren
}

function One<Row>({ columns, id, idOf, kind, useOne }: OneProps<Row> & { readonly id: number }) {
  const empty = { icon: "search", title: `There is no such ${kind.toLowerCase()}` } as const
  return (
    <Loaded query={useOne(id)} lines={8}>
      {(rows) => (
        <Rows
          label={`${kind}s`}
          empty={{ ...empty, advice: "It may have been deleted." }}
          {...{ columns, idOf, rows }}
        />
      )}
    </Loaded>
  )
}

/** All, or the one that the address names. */
export function ListScreen<Row>({ children, list, ...one }: ListScreenProps<Row>) {
  const { id } = useLocation().query
  return id === undefined
    ? <Page title={list.name}>{children}</Page>
    : (
      <Page title={`${one.kind} ${id}`} parent={list}>
        <One id={Number(id)} {...one} />
      </Page>
    )
}

/** Longest reason, note, or reference, in characters. */
export const REASON_MAX = 255

/** A filter of tasks and of entries by the account or the instance in a link. */
export const linked = <Name extends "account" | "instance">(name: Name) =>
  ({
    kind: "linked",
    name,
    label: name,
    textOf: (value: string) => `${name} ${value}`,
    inputOf: (value: string) => ({ [`${name}_id`]: Number(value) })
  }) as const

interface ReasonProps {
  /** The readers. */
  readonly hint: string
  readonly label?: string
  readonly name?: string
  readonly required?: boolean
}

export const Reason = ({ hint, label = "Reason", name = "reason", required = true }: ReasonProps) => (
  <TextField
    name={name}
    label={label}
    required={required}
    maxLength={REASON_MAX}
    hint={`${hint} At most ${REASON_MAX} characters.`}
  />
)
