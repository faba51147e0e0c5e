/** The search over one's own instances and the pages, and for operators over everything. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { type ResponseOf, useRead } from "../api/calls.ts"
import { words } from "../api/format.ts"
import { nameOf, searchText } from "../api/instances.ts"
import { useAccount, useSession } from "../api/session.ts"
import { Dialog } from "../components/Dialog.tsx"
import { usePaused } from "../components/Table.tsx"
import { Loaded } from "../components/Page.tsx"
import { Named } from "../components/Values.tsx"
import { usePlaces } from "./Screens.tsx"

type Found = ResponseOf<"GET /operator/search">

interface Hit {
  /** Undefined for people who are members of no account. */
  readonly href: string | undefined
  readonly name: string
  readonly note: string
}

const PATH = "/panel/operator"

const hitsOf = ({ accounts, instances, people, tasks }: Found): ReadonlyArray<Hit> => [
  ...accounts.map(({ email, id, name }) => ({
    href: `${PATH}/accounts/${id}`,
    name: name ?? email,
    note: name === null ? `account ${id}` : `${email}, account ${id}`
  })),
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

interface Group {
  readonly title: string
  readonly hits: ReadonlyArray<Hit>
}

const Results = ({ groups }: { readonly groups: ReadonlyArray<Group> }) => (
  <>
    {groups.filter(({ hits }) => hits.length > 0).map(({ hits, title }) => (
      <section key={title} aria-label={title}>
        <h3 class="muted">{title}</h3>
        <ul class="results">
          {hits.map(({ href, name, note }) => {
            const content: ComponentChildren = <Named note={note}>{name}</Named>
            return (
              <li key={`${href} ${note}`}>
                {href === undefined ? <div>{content}</div> : <a href={href}>{content}</a>}
              </li>
            )
          })}
        </ul>
      </section>
    ))}
  </>
)

/** Most instances of the account that are shown: more need a longer text. */
const INSTANCES_SHOWN = 8

const includesAll = (text: string, words: ReadonlyArray<string>): boolean => words.every((word) => text.includes(word))

/** The person's own instances, and the pages. */
const useOwn = (text: string): ReadonlyArray<Group> => {
  const account = useAccount()?.id
  const places = usePlaces()
  const path = account === undefined ? undefined : "/accounts/:account/v1/instances"
  const { data = [] } = useRead(path, { params: { account: account ?? 0 } })
  const typed = text.toLowerCase().split(/\s+/)
  const instances = text === "" ? [] : data.filter((one) => includesAll(searchText(one), typed))
  return [
    {
      title: "Your instances",
      hits: instances.slice(0, INSTANCES_SHOWN).map((one) => ({
        href: `/panel/instances/${one.id}`,
        name: nameOf(one),
        note: [one.order.service.name, one.ipv4, one.status].filter((part) => typeof part === "string").join(", ")
      }))
    },
    {
      title: "Pages",
      hits: places.filter(({ name }) => includesAll(name.toLowerCase(), typed))
        .map(({ href, name }) => ({ href, name, note: href }))
    }
  ]
}

/** Everything that the service has; for operators. */
const OfHost = ({ text }: { readonly text: string }) => (
  <Loaded query={useRead(text === "" ? undefined : "/operator/search", { query: { q: text } })}>
    {(found) => (
      <>
        <p class="muted" role="status">{countOf(found, hitsOf(found))}</p>
        <Results groups={[{ title: "All accounts", hits: hitsOf(found) }]} />
      </>
    )}
  </Loaded>
)

/** Down and up go from the field through the links, and Enter in the field opens the first one. */
const move = (event: KeyboardEvent): void => {
  const dialog = event.currentTarget as HTMLElement
  const stops = [...dialog.querySelectorAll<HTMLElement>("input, li a")]
  const at = stops.indexOf(document.activeElement as HTMLElement)
  const step = { ArrowDown: 1, ArrowUp: -1, Enter: at === 0 ? 1 : 0 }[event.key] ?? 0
  const next = stops[at + step]
  if (step === 0 || next === undefined) return
  event.preventDefault()
  if (event.key === "Enter") next.click()
  else next.focus()
}

export const SearchDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [text, setText] = useState("")
  const searched = usePaused(text)
  const isOperator = useSession().person.role === "operator"
  const label = isOperator ? "Account, person, instance, address, task, or page" : "Instance, address, or page"
  const own = useOwn(text.trim())
  const { url } = useLocation()
  const [first] = useState(url)
  useEffect(() => {
    if (url !== first) onClose()
  }, [url])
  return (
    <Dialog title="Search" onClose={onClose} wide>
      <div class="search" onKeyDown={move}>
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          maxLength={255}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Results groups={own} />
        {isOperator && searched !== "" && <OfHost text={searched} />}
        {!isOperator && own.every(({ hits }) => hits.length === 0) && <p role="status">Nothing found</p>}
      </div>
    </Dialog>
  )
}
