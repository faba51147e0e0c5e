/** The frame around every screen: navigation, account, connection, and the screen itself. */
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { connection, type Follow, useEvents } from "../api/events.ts"
import { pathTo } from "../api/calls.ts"
import { readChanged } from "../api/instances.ts"
import { refresh } from "../api/query.ts"
import { useAccount, useSession } from "../api/session.ts"
import { useStore } from "../api/store.ts"
import { IconButton } from "../components/Button.tsx"
import { FreshSignIn } from "./FreshSignIn.tsx"
import { Navigation } from "./Navigation.tsx"
import { OpenInvitations } from "./OpenInvitations.tsx"
import { Screens } from "./Screens.tsx"
import { Search, SearchButton } from "./Search.tsx"

/** Instances with all that belongs to them, and the wallet with its statement. */
const ofAccount = (account: number): Follow => (changed) => {
  const base = `/accounts/${account}`
  const ids = changed.filter((name) => /^\d/.test(name))
  refresh(
    ...ids.flatMap((id) => [`${base}/v1/instances/${id}/`, `${base}/instances/${id}/`]),
    ...changed.filter((name) => !ids.includes(name)).map((name) => `${base}/${name}`)
  )
  return ids.length === 0 ? Promise.resolve() : readChanged(account, ids)
}

/** Most of the operators' lists depend on each other. */
const ofHost: Follow = () => Promise.resolve(refresh("/operator"))

const useLiveUpdates = () => {
  const { person } = useSession()
  const account = useAccount()?.id
  const events = account === undefined ? undefined : pathTo("/accounts/:account/events", { account })
  useEvents(events, ofAccount(account ?? 0))
  useEvents(person.role === "operator" ? "/operator/events" : undefined, ofHost)
}

const Offline = () =>
  useStore(connection) === "polling"
    ? (
      <p class="offline" role="status">
        No live updates. The page reloads its data every few seconds, and reconnects by itself.
      </p>
    )
    : null

export const Shell = () => {
  useLiveUpdates()
  const { person } = useSession()
  const { path } = useLocation()
  const [open, setOpen] = useState(false)
  useEffect(() => setOpen(false), [path])
  return (
    <div class={open ? "shell open" : "shell"}>
      <a class="skip" href="#content">Skip to the content</a>
      <header class="topbar">
        <IconButton icon="menu" label="Menu" aria-expanded={open} onClick={() => setOpen(!open)} />
        <span>Panel</span>
        {person.role === "operator" && <SearchButton />}
      </header>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <Offline />
        <OpenInvitations />
        <Screens />
      </main>
      <Search />
      <FreshSignIn />
    </div>
  )
}
