/** The frame around every screen: navigation, account, connection, and the screen itself. */
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { connection, type IsOutdated, useEvents } from "../api/events.ts"
import { useAccount, useSession } from "../api/session.ts"
import { useStore } from "../api/store.ts"
import { IconButton } from "../components/Button.tsx"
import { FreshSignIn } from "./FreshSignIn.tsx"
import { Navigation } from "./Navigation.tsx"
import { Screens } from "./Screens.tsx"
import { Search, SearchButton } from "./Search.tsx"

/** The list, an instance with all that belongs to it, or the wallet with its statement. */
const ofAccount = (base: string): IsOutdated => (path, changed) =>
  /^\d/.test(changed)
    ? path === `${base}/v1/instances` || path.startsWith(`${base}/v1/instances/${changed}`)
      || path.startsWith(`${base}/instances/${changed}`)
    : path.startsWith(`${base}/${changed}`)

/** Most of the operators' lists depend on each other. */
const ofHost: IsOutdated = (path) => path.startsWith("/operator")

const useLiveUpdates = () => {
  const { person } = useSession()
  const account = useAccount()
  const base = `/accounts/${account?.id ?? 0}`
  useEvents(account === undefined ? undefined : `${base}/events`, ofAccount(base))
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
        <Screens />
      </main>
      <Search />
      <FreshSignIn />
    </div>
  )
}
