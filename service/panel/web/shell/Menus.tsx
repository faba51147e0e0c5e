/** The menu of the account, with its balance, and the menu of the person. */
import { useState } from "preact/hooks"
import { money } from "../api/format.ts"
import { useWallet } from "../api/wallet.ts"
import { chooseAccount, signOut, useAccount, useSession } from "../api/session.ts"
import { ActionButton } from "../components/ActionButton.tsx"
import { Icon } from "../components/Icon.tsx"
import { Menu } from "../components/Menu.tsx"
import { Segments } from "../components/Page.tsx"

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

/** Undefined for an operator without an account. */
export const AccountMenu = () => {
  const account = useAccount()
  const balance = useBalance()
  if (account === undefined) return null
  return (
    <Menu
      label="Account"
      button={
        <span class="menu-text">
          <strong>{account.name}</strong>
          <span class="muted number">{balance ?? "…"}</span>
        </span>
      }
    >
      <Accounts />
      <a class="menu-item" href="/panel/wallet">
        <Icon name="wallet" />Wallet<span class="number muted">{balance}</span>
      </a>
      <a class="menu-item" href="/panel/account">
        <Icon name="settings" />Account settings
      </a>
      <a class="menu-item" href="/panel/people">
        <Icon name="people" />People
      </a>
      <a class="menu-item" href="/panel/mails">
        <Icon name="mail" />Mails
      </a>
    </Menu>
  )
}

export const UserMenu = () => {
  const { person } = useSession()
  return (
    <Menu
      above
      label="Signed in as"
      button={
        <span class="menu-text">
          <strong>{person.name}</strong>
          <span class="muted">{person.email}</span>
        </span>
      }
    >
      <ThemeChoice />
      <a class="menu-item" href="/panel/profile">
        <Icon name="key" />Passkeys and sessions
      </a>
      <ActionButton kind="quiet" icon="out" run={signOut}>Sign out</ActionButton>
    </Menu>
  )
}
