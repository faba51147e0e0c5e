/** The one menu of the account and of the person: other accounts, settings, the appearance, and the way out. */
import { useState } from "preact/hooks"
import { money } from "../api/format.ts"
import { useWallet } from "../api/wallet.ts"
import { chooseAccount, signOut, useAccount, useSession } from "../api/session.ts"
import { ActionButton } from "../components/ActionButton.tsx"
import { Icon } from "../components/Icon.tsx"
import { Menu } from "../components/Menu.tsx"
import { Segments } from "../components/Page.tsx"
import { type Place, SECURITY, SETTINGS } from "./Screens.tsx"

const KEY = "theme"
const THEMES = { system: "System", light: "Light", dark: "Dark" } as const
type Theme = keyof typeof THEMES

const isTheme = (text: string | null): text is Theme => text !== null && text in THEMES

const chosenTheme = (): Theme => {
  const stored = localStorage.getItem(KEY)
  return isTheme(stored) ? stored : "system"
}

/** Light, dark, or as the system says. The choice stays in this browser. */
export const applyTheme = (theme = chosenTheme()): void => {
  document.documentElement.dataset["theme"] = theme
}

const ThemeChoice = () => {
  const [theme, setTheme] = useState(chosenTheme)
  const choose = (next: Theme) => {
    localStorage.setItem(KEY, next)
    applyTheme(next)
    setTheme(next)
  }
  return <Segments label="Appearance" names={THEMES} current={theme} onChoose={choose} />
}

const useBalance = (): string | undefined => {
  const data = useWallet()
  return data === undefined ? undefined : money(data.balance, data.currency)
}

const Accounts = () => {
  const { accounts } = useSession()
  const current = useAccount()
  if (accounts.length < 2) return null
  return (
    <ul>
      {accounts.map(({ id, name }) => (
        <li key={id}>
          <button
            type="button"
            class="menu-item"
            aria-pressed={id === current?.id}
            onClick={() => chooseAccount(id)}
          >
            <Icon name={id === current?.id ? "check" : "account"} />
            {name}
          </button>
        </li>
      ))}
    </ul>
  )
}

const Item = ({ place: { href, icon, name } }: { readonly place: Place }) => (
  <a class="menu-item" href={href}>
    <Icon name={icon} />
    {name}
  </a>
)

export const AccountMenu = () => {
  const { person: { email, name } } = useSession()
  const account = useAccount()
  const balance = useBalance()
  const [title, note] = account === undefined ? [name, email] : [account.name, balance ?? "…"]
  return (
    <Menu
      label="Account menu"
      button={
        <span class="menu-text">
          <strong>{title}</strong>
          <span class="muted number">{note}</span>
        </span>
      }
    >
      <p class="menu-note">
        Signed in as <strong>{email}</strong>
      </p>
      <Accounts />
      {account !== undefined && SETTINGS.map((one) => <Item key={one.href} place={one} />)}
      <Item place={SECURITY} />
      <ThemeChoice />
      <ActionButton kind="quiet" icon="out" run={signOut}>Sign out</ActionButton>
    </Menu>
  )
}
