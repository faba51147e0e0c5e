/** The list of a command, page by page and with a search over all rows in the service; and the reason of an act. */
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { type CommandInput, type InputOf, type PanelCommand, type RowOf, useCommand } from "../../api/calls.ts"
import type { Query } from "../../api/query.ts"
import { present, TextField } from "../../components/Form.tsx"
import { Button } from "../../components/Button.tsx"
import type { IconName } from "../../components/Icon.tsx"
import { type Column, Pager, Rows, Table, usePages, usePaused } from "../../components/Table.tsx"
import { Empty, Loaded, Page } from "../../components/Page.tsx"

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

/** A field of the input that filters by a word, and the texts of its words. */
type Filter<Input> = {
  [Field in keyof Input]: {
    readonly field: Field
    readonly words: { readonly [Word in Extract<Input[Field], string>]?: string }
  }
}[keyof Input]

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
  readonly filter?: Filter<InputOf<Name>>
}

/** The rows of the page, or those before while it is loaded. */
function useRows<Name extends ListCommand>(command: Name, input: object) {
  const whole = [{ ...input, limit: PAGE + 1 }] as unknown as CommandInput<Name>
  const query = useCommand(command, ...whole) as Query<ReadonlyArray<RowOf<Name>>>
  const last = useRef<ReadonlyArray<RowOf<Name>> | undefined>(undefined)
  if (query.data !== undefined) last.current = query.data
  return query.error === undefined ? { ...query, data: query.data ?? last.current } : query
}

const ALL = "all"

interface ChoiceProps {
  readonly texts: object
  readonly chosen: string
  readonly onChoose: (word: string) => void
}

const Choice = ({ chosen, onChoose, texts }: ChoiceProps) => (
  <select
    aria-label="Show"
    value={chosen}
    onChange={(event) => onChoose(event.currentTarget.value)}
  >
    {Object.entries({ [ALL]: "All", ...texts }).map(([word, text]) => <option key={word} value={word}>{text}</option>)}
  </select>
)

export function CommandList<Name extends ListCommand>(props: CommandListProps<Name>) {
  const { columns, command, cursor, empty, filter, icon, idOf, input, label, placeholder } = props
  const [text, setText] = useState("")
  const [word, setWord] = useState(ALL)
  const asked = usePaused(text)
  const wanted = {
    ...input,
    ...(filter === undefined || word === ALL ? {} : { [filter.field]: word }),
    ...(asked === "" ? {} : { search: asked })
  }
  const { before: from, pagesOf } = usePages(JSON.stringify(wanted))
  const start = cursor === "after" ? { after: from ?? 0 } : present({ before: from })
  const query = useRows(command, { ...wanted, ...start })
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
        {filter !== undefined && <Choice texts={filter.words} chosen={word} onChoose={setWord} />}
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
