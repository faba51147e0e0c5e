/** The frame around every screen: navigation, account, connection, open invitations, and the screen itself. */
import { pathTo, send } from "../api/calls.ts"
import { chooseAccount, loadSession, signOut, useAccount, useSession } from "../api/session.ts"
import { ActionButton } from "../components/ActionButton.tsx"
import { IconButton } from "../components/Button.tsx"
import { Notice } from "../components/Page.tsx"
import { useCanChange } from "../components/ReadOnly.tsx"
import { invitationText } from "../screens/signin/SignIn.tsx"
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { Icon } from "../components/Icon.tsx"
import { CUSTOMER, EMULATOR, OPERATOR, type Place, Screens } from "./Places.tsx"
import { Search, SearchButton } from "./Search.tsx"
import { connection, type Follow, refresh, useEvents } from "../api/query.ts"
import { readChanged } from "../api/instances.ts"
import { useStore } from "../api/store.ts"
import { FreshSignIn } from "./FreshSignIn.tsx"

/** Invitations to other accounts, which the signed-in person accepts or declines. */
const OpenInvitations = () => {
  const { invitations } = useSession()
  const answer = (call: () => Promise<unknown>, text: string) => async () => {
    await call()
    await loadSession()
    return text
  }
  return (
    <>
      {invitations.map((one) => {
        const accept = () => send("POST /me/invitations/:id/accept", { params: { id: one.id } })
        const decline = () => send("DELETE /me/invitations/:id", { params: { id: one.id } })
        return (
          <Notice
            key={one.id}
            tone="info"
            action={
              <div class="actions">
                <ActionButton kind="primary" run={answer(accept, "You are a member now.")}>
                  Accept
                </ActionButton>
                <ActionButton run={answer(decline, "You declined.")}>Decline</ActionButton>
              </div>
            }
          >
            {invitationText(one)}
          </Notice>
        )
      })}
    </>
  )
}

/** Light, dark, or as the system says. The choice stays in this browser. */
const KEY = "theme"

export const THEMES = ["system", "light", "dark"] as const
export type Theme = typeof THEMES[number]

const chosenTheme = (): Theme => THEMES.find((one) => one === localStorage.getItem(KEY)) ?? "system"

export const applyTheme = (theme = chosenTheme()): void => {
  document.documentElement.dataset["theme"] = theme
}

const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(KEY, theme)
  applyTheme(theme)
}

const isCurrent = (href: string, path: string): boolean =>
  path === href || (href !== "/panel/operator" && path.startsWith(`${href}/`))
  || (href === "/panel/instances" && path === "/panel")

const Group = ({ items, title }: { readonly items: ReadonlyArray<Place>; readonly title: string }) => {
  const { path } = useLocation()
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {items.map(({ href, icon, name }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent(href, path) ? "page" : undefined}>
              <Icon name={icon} />
              {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

const AccountChoice = () => {
  const { accounts } = useSession()
  const account = useAccount()
  if (accounts.length < 2) return null
  const change = (event: Event) => chooseAccount(Number((event.currentTarget as HTMLSelectElement).value))
  return (
    <select aria-label="Account" value={account?.id} onChange={change}>
      {accounts.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
    </select>
  )
}

const ThemeChoice = () => {
  const [theme, setTheme] = useState<Theme>(chosenTheme())
  const change = (event: Event) => {
    const next = THEMES.find((one) => one === (event.currentTarget as HTMLSelectElement).value) ?? "system"
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <select aria-label="Appearance" value={theme} onChange={change}>
      <option value="system">As the system</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  )
}

/** Of members who may not order. */
const READING = CUSTOMER.filter(({ href }) => href !== "/panel/order")

/** The navigation: what the person may do, the account, the look, and the way out. */
const Navigation = () => {
  const { accounts, emulator, person } = useSession()
  const account = useAccount()
  const canChange = useCanChange()
  return (
    <nav class="side" aria-label="Main">
      <div>
        {person.role === "operator" && <SearchButton />}
        {accounts.length > 0 && <Group title={account?.name ?? "Account"} items={canChange ? CUSTOMER : READING} />}
        {person.role === "operator" && <Group title="Operator" items={OPERATOR} />}
        {emulator && <Group title="Testing" items={EMULATOR} />}
      </div>
      <footer>
        <AccountChoice />
        <ThemeChoice />
        <p title={person.email}>{person.name}</p>
        <ActionButton kind="quiet" icon="out" run={signOut}>Sign out</ActionButton>
      </footer>
    </nav>
  )
}

/** Instances with all that belongs to them, and the wallet with its statement. */
const ofAccount = (account: number): Follow => (changed) => {
  const base = `/accounts/${account}`
  const ids = changed.filter((name) => /^\d/.test(name))
  refresh(
    `${base}/activity`,
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
