/** The page of one record: its title while it loads, a way to try again, and the way to the list if there is none. */
import type { ComponentChildren } from "preact"
import type { Query } from "../api/query.ts"
import { LinkButton } from "./Button.tsx"
import { Empty, Loaded, Page } from "./Page.tsx"

interface RecordPageProps<T> {
  readonly query: Query<T>
  /** Such as "Instance 7". */
  readonly title: string
  readonly list: { readonly href: string; readonly name: string }
  /** Possible reasons why the record does not exist. */
  readonly missing?: string
  readonly children: (record: T) => ComponentChildren
}

/** Of an id that is not known, or not a number. */
const MISSING = new Set([400, 404, 422])

export function RecordPage<T>({ children, list, missing, query, title }: RecordPageProps<T>) {
  const { data, error } = query
  if (data !== undefined) return <>{children(data)}</>
  if (error === undefined || !MISSING.has(error.status)) {
    return (
      <Page title={title} parent={list}>
        <Loaded query={query} lines={8}>{() => null}</Loaded>
      </Page>
    )
  }
  return (
    <Page title={`${title} not found`} parent={list}>
      <Empty icon="search" title="It does not exist">
        {missing !== undefined && <p>{missing}</p>}
        <LinkButton href={list.href}>Show all {list.name.toLowerCase()}</LinkButton>
      </Empty>
    </Page>
  )
}
