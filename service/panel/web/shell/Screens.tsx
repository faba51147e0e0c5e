/** The screen of the address. Only the list of instances is part of the first load. */
import type { ComponentType } from "preact"
import { Route, Router } from "preact-iso/router"
import { useSession } from "../api/session.ts"
import { LinkButton } from "../components/Button.tsx"
import { later } from "../components/Later.tsx"
import { Page } from "../components/Page.tsx"
import { Empty } from "../components/State.tsx"
import { Instances } from "../screens/customer/Instances.tsx"

const NotFound = () => (
  <Page title="Page not found">
    <Empty icon="search" title="There is no such page">
      <LinkButton href="/panel">Go to the first page</LinkButton>
    </Empty>
  </Page>
)

const Today = later(async () => (await import("../screens/operator/Today.tsx")).Today)

/** The first page of a customer, or of an operator who is not a customer, too. */
const Home = () => {
  const { accounts, person } = useSession()
  if (accounts.length > 0) return <Instances />
  return person.role === "operator" ? <Today /> : <NoAccount />
}

const NoAccount = () => (
  <Page title="No account">
    <Empty icon="people" title="You are not a member of an account">Ask your host to invite you to yours.</Empty>
  </Page>
)

const ROUTES: ReadonlyArray<readonly [path: string, component: ComponentType]> = [
  ["/panel", Home],
  ["/panel/instances", Instances],
  [
    "/panel/instances/:id/:tab?",
    later(async () => (await import("../screens/customer/instance/InstanceScreen.tsx")).InstanceScreen)
  ],
  ["/panel/order", later(async () => (await import("../screens/customer/order/Order.tsx")).Order)],
  ["/panel/wallet", later(async () => (await import("../screens/account/Wallet.tsx")).Wallet)],
  ["/panel/keys", later(async () => (await import("../screens/account/Keys.tsx")).Keys)],
  ["/panel/people", later(async () => (await import("../screens/account/People.tsx")).People)],
  ["/panel/profile", later(async () => (await import("../screens/account/Profile.tsx")).Profile)]
]

/** Only for operators: the service refuses their calls to anyone else, too. */
const OPERATOR_ROUTES: typeof ROUTES = [
  ["/panel/operator", Today],
  ["/panel/operator/accounts", later(async () => (await import("../screens/operator/Accounts.tsx")).Accounts)],
  ["/panel/operator/accounts/:id", later(async () => (await import("../screens/operator/Account.tsx")).Account)],
  ["/panel/operator/instances", later(async () => (await import("../screens/operator/AllInstances.tsx")).AllInstances)],
  ["/panel/operator/tasks", later(async () => (await import("../screens/operator/Tasks.tsx")).Tasks)],
  ["/panel/operator/catalogue", later(async () => (await import("../screens/operator/Catalogue.tsx")).Catalogue)],
  ["/panel/operator/hosts", later(async () => (await import("../screens/operator/Hosts.tsx")).Hosts)],
  ["/panel/operator/audit", later(async () => (await import("../screens/operator/Audit.tsx")).Audit)]
]

const EMULATOR_ROUTES: typeof ROUTES = [
  ["/panel/emulator", later(async () => (await import("../screens/emulator/Emulator.tsx")).Emulator)]
]

export const Screens = () => {
  const { emulator, person } = useSession()
  const isOperator = person.role === "operator"
  const routes = [...ROUTES, ...(isOperator ? OPERATOR_ROUTES : []), ...(emulator ? EMULATOR_ROUTES : [])]
  return (
    <Router>
      {routes.map(([path, component]) => <Route key={path} path={path} component={component} />)}
      <Route default component={NotFound} />
    </Router>
  )
}
