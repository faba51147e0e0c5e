/** The search of operators over everything, which `/` opens on every screen. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { type ResponseOf, useRead } from "../api/calls.ts"
import { words } from "../api/format.ts"
import { useSession } from "../api/session.ts"
import { makeStore, useStore } from "../api/store.ts"
import { Button } from "../components/Button.tsx"
import { Dialog } from "../components/Dialog.tsx"
import { usePaused } from "../components/Table.tsx"
import { Loaded } from "../components/Page.tsx"
import { Named } from "../components/Values.tsx"

type Found = ResponseOf<"GET /operator/search">

interface Hit {
  /** Undefined for people who are members of no account. */
  readonly href: string | undefined
  readonly name: string
  readonly note: string
}

const PATH = "/panel/operator"

const hitsOf = ({ accounts, instances, people, tasks }: Found): ReadonlyArray<Hit> => [
  ...accounts.map(({ email, id }) => ({ href: `${PATH}/accounts/${id}`, name: email, note: `account ${id}` })),
  ...people.map(({ accounts: [first], email, name, role }) => ({
    href: first === undefined ? undefined : `${PATH}/accounts/${first}`,
    name,
    note: `${email}, ${role}`
  })),
  ...instances.map(({ hostname, id, ipv4, status }) => ({
    href: `${PATH}/instances/${id}`,
    name: hostname ?? `Instance ${id}`,
    note: [`instance ${id}`, ipv4, status].filter((one) => one !== null).join(", ")
  })),
  ...tasks.map(({ id, instance_id, status, type }) => ({
    href: `${PATH}/tasks?id=${id}`,
    name: words(type),
    note: `task ${id} of instance ${instance_id}, ${status}`
  }))
]

/** The service returns so many of each kind. */
const FOUND_MAX = 20

const countOf = (found: Found, hits: ReadonlyArray<Hit>): string => {
  if (hits.length === 0) return "Nothing found"
  const more = Object.values(found).some(({ length }) => length >= FOUND_MAX)
  return more ? `The first ${FOUND_MAX} of each kind. Type more, or search in the lists.` : `${hits.length} found`
}

const Results = ({ count, hits }: { readonly count: string; readonly hits: ReadonlyArray<Hit> }) => (
  <>
    <p class="muted" role="status">{count}</p>
    <ul class="results">
      {hits.map(({ href, name, note }) => {
        const content: ComponentChildren = <Named note={note}>{name}</Named>
        return (
          <li key={`${href} ${note}`}>{href === undefined ? <div>{content}</div> : <a href={href}>{content}</a>}</li>
        )
      })}
    </ul>
  </>
)

const SearchDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [text, setText] = useState("")
  const asked = usePaused(text)
  const query = useRead(asked === "" ? undefined : "/operator/search", { query: { q: asked } })
  const { url } = useLocation()
  const [first] = useState(url)
  useEffect(() => {
    if (url !== first) onClose()
  }, [url])
  return (
    <Dialog title="Search" onClose={onClose} wide>
      <input
        type="search"
        aria-label="Account, person, instance, address, or task"
        placeholder="Account, person, instance, address, or task"
        maxLength={255}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {asked !== "" && (
        <Loaded query={query}>
          {(found) => <Results hits={hitsOf(found)} count={countOf(found, hitsOf(found))} />}
        </Loaded>
      )}
    </Dialog>
  )
}

const opened = makeStore(false)

const open = (): void => opened.set(true)

/** True if the person types into something, so that the key is a letter. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, dialog, .console") !== null

/** `/` opens the operators' search; for others, it is for the search of the list on the screen. */
const press = (isOperator: boolean) => (event: KeyboardEvent): void => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
  event.preventDefault()
  if (isOperator) open()
  else document.querySelector<HTMLElement>("main input[type=search]")?.focus()
}

export const Search = () => {
  const isOperator = useSession().person.role === "operator"
  const shown = useStore(opened)
  useEffect(() => {
    const listener = press(isOperator)
    document.addEventListener("keydown", listener)
    return () => document.removeEventListener("keydown", listener)
  }, [isOperator])
  return shown ? <SearchDialog onClose={() => opened.set(false)} /> : null
}

export const SearchButton = () => (
  <Button icon="search" aria-haspopup="dialog" aria-keyshortcuts="/" onClick={open}>
    Search <kbd>/</kbd>
  </Button>
)
