/** The screens by their addresses, in the order of the navigation. Only the list of instances is loaded at first. */
import type { ComponentType } from "preact"
import type { IconName } from "../components/Icon.tsx"
import { Boundary, Empty, later, Page } from "../components/Page.tsx"
import { Instances } from "../screens/customer/Instances.tsx"
import { Route, Router, useLocation } from "preact-iso/router"
import { useSession } from "../api/session.ts"
import { AskHost } from "../components/Brand.tsx"
import { LinkButton } from "../components/Button.tsx"
import { ReadOnlyAccount } from "../components/ReadOnly.tsx"

export interface Place {
  readonly href: string
  readonly name: string
  readonly icon: IconName
  readonly screen: ComponentType
}

type Load = Parameters<typeof later<object>>[0]

const place = (href: string, name: string, icon: IconName, load: Load): Place => ({
  href,
  name,
  icon,
  screen: later(load)
})

export const CUSTOMER: ReadonlyArray<Place> = [
  { href: "/panel/instances", name: "Instances", icon: "instances", screen: Instances },
  place("/panel/order", "Order", "order", async () => (await import("../screens/customer/Order.tsx")).Order),
  place("/panel/wallet", "Wallet", "wallet", async () => (await import("../screens/account/Wallet.tsx")).Wallet),
  place("/panel/keys", "Keys", "key", async () => (await import("../screens/account/Keys.tsx")).Keys),
  place("/panel/people", "People", "people", async () => (await import("../screens/account/People.tsx")).People),
  place(
    "/panel/activity",
    "Activity",
    "today",
    async () => (await import("../screens/account/AccountActivity.tsx")).AccountActivity
  )
]

/** In the account's menu: settings that people look for rarely. */
export const SETTINGS: ReadonlyArray<Place> = [
  place(
    "/panel/account",
    "Account settings",
    "settings",
    async () => (await import("../screens/account/AccountSettings.tsx")).AccountSettings
  ),
  place("/panel/mails", "Mails", "mail", async () => (await import("../screens/account/Mails.tsx")).Mails)
]

/** Of the person, with or without an account. */
export const SECURITY: Place = place(
  "/panel/profile",
  "Security",
  "key",
  async () => (await import("../screens/account/Profile.tsx")).Profile
)

/** Only for operators: the service refuses their calls to anyone else, too. */
export const OPERATOR: ReadonlyArray<Place> = [
  place("/panel/operator", "Today", "today", async () => (await import("../screens/operator/Today.tsx")).Today),
  place(
    "/panel/operator/accounts",
    "Accounts",
    "people",
    async () => (await import("../screens/operator/Accounts.tsx")).Accounts
  ),
  place(
    "/panel/operator/instances",
    "All instances",
    "instances",
    async () => (await import("../screens/operator/AllInstances.tsx")).AllInstances
  ),
  place("/panel/operator/tasks", "Tasks", "tasks", async () => (await import("../screens/operator/Tasks.tsx")).Tasks),
  place(
    "/panel/operator/catalogue",
    "Catalogue",
    "catalogue",
    async () => (await import("../screens/operator/Catalogue.tsx")).Catalogue
  ),
  place(
    "/panel/operator/announcements",
    "Announcements",
    "announce",
    async () => (await import("../screens/operator/Announcements.tsx")).Announcements
  ),
  place("/panel/operator/hosts", "Hosts", "hosts", async () => (await import("../screens/operator/Hosts.tsx")).Hosts),
  place("/panel/operator/audit", "Audit", "audit", async () => (await import("../screens/operator/Audit.tsx")).Audit)
]

export const EMULATOR: ReadonlyArray<Place> = [
  place(
    "/panel/emulator",
    "Emulator",
    "emulator",
    async () => (await import("../screens/emulator/Emulator.tsx")).Emulator
  ),
  place(
    "/panel/emulator-mails",
    "Sent mails",
    "mail",
    async () => (await import("../screens/emulator/SentMails.tsx")).SentMails
  )
]

/** Of an emulator, and not in the navigation: its users do not need it. */
const Components = later(async () => (await import("../screens/emulator/Components.tsx")).Components)

const NotFound = () => (
  <Page title="Page not found">
    <Empty icon="search" title="There is no such page">
      <LinkButton href="/panel">Go to the first page</LinkButton>
    </Empty>
  </Page>
)

/** The first page of a customer, or of an operator who is not a customer, too. */
const Home = () => {
  const { accounts, person } = useSession()
  if (accounts.length > 0) return <Instances />
  const { screen: First } = OPERATOR[0]!
  return person.role === "operator" ? <First /> : <NoAccount />
}

const NoAccount = () => (
  <Page title="No account">
    <Empty icon="people" title="You are not a member of an account">
      <AskHost /> to invite you to yours.
    </Empty>
  </Page>
)

/** Screens of one thing, which the navigation does not have. */
const InstanceScreen = later(async () =>
  (await import("../screens/customer/instance/InstanceScreen.tsx")).InstanceScreen
)
const Account = later(async () => (await import("../screens/operator/Account.tsx")).Account)
const OperatorInstance = later(async () => (await import("../screens/operator/Instance.tsx")).Instance)
const Bookings = later(async () => (await import("../screens/operator/Bookings.tsx")).Bookings)

/** The screens that the person may open. */
export const usePlaces = (): ReadonlyArray<Place> => {
  const { emulator, person } = useSession()
  return [
    ...CUSTOMER,
    ...SETTINGS,
    SECURITY,
    ...(person.role === "operator" ? OPERATOR : []),
    ...(emulator ? EMULATOR : [])
  ]
}

/** The screen of the address. */
export const Screens = () => {
  const { emulator, person } = useSession()
  const isOperator = person.role === "operator"
  const places = usePlaces()
  const { path } = useLocation()
  return (
    <ReadOnlyAccount>
      <Boundary path={path}>
        <Router>
          <Route path="/panel" component={Home} />
          {places.map(({ href, screen }) => <Route key={href} path={href} component={screen} />)}
          <Route path="/panel/instances/:id/:tab?" component={InstanceScreen} />
          {isOperator ? <Route path="/panel/operator/accounts/:id/:tab?" component={Account} /> : []}
          {isOperator ? <Route path="/panel/operator/instances/:id" component={OperatorInstance} /> : []}
          {isOperator ? <Route path="/panel/operator/bookings" component={Bookings} /> : []}
          {emulator ? <Route path="/panel/components" component={Components} /> : []}
          <Route default component={NotFound} />
        </Router>
      </Boundary>
    </ReadOnlyAccount>
  )
}
