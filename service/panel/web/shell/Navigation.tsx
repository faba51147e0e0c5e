/** The navigation: what the person may do, the account, the look, and the way out. */
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { chooseAccount, signOut, useAccount, useSession } from "../api/session.ts"
import { ActionButton } from "../components/ActionButton.tsx"
import { Icon } from "../components/Icon.tsx"
import { CUSTOMER, EMULATOR, OPERATOR, type Place } from "./Places.tsx"
import { SearchButton } from "./Search.tsx"
import { chooseTheme, chosenTheme, type Theme, THEMES } from "../theme.ts"

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

export const Navigation = () => {
  const { accounts, emulator, person } = useSession()
  const account = useAccount()
  return (
    <nav class="side" aria-label="Main">
      <div>
        {person.role === "operator" && <SearchButton />}
        {accounts.length > 0 && <Group title={account?.name ?? "Account"} items={CUSTOMER} />}
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
