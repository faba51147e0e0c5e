/** The screen of the address. */
import { Route, Router } from "preact-iso/router"
import { useSession } from "../api/session.ts"
import { LinkButton } from "../components/Button.tsx"
import { later } from "../components/Later.tsx"
import { Page } from "../components/Page.tsx"
import { Empty } from "../components/State.tsx"
import { CUSTOMER, EMULATOR, OPERATOR } from "./Places.tsx"
import { Instances } from "../screens/customer/Instances.tsx"

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
    <Empty icon="people" title="You are not a member of an account">Ask your host to invite you to yours.</Empty>
  </Page>
)

/** Screens of one thing, which the navigation does not have. */
const InstanceScreen = later(async () =>
  (await import("../screens/customer/instance/InstanceScreen.tsx")).InstanceScreen
)
const Account = later(async () => (await import("../screens/operator/Account.tsx")).Account)

export const Screens = () => {
  const { emulator, person } = useSession()
  const isOperator = person.role === "operator"
  const places = [...CUSTOMER, ...(isOperator ? OPERATOR : []), ...(emulator ? EMULATOR : [])]
  return (
    <Router>
      <Route path="/panel" component={Home} />
      {places.map(({ href, screen }) => <Route key={href} path={href} component={screen} />)}
      <Route path="/panel/instances/:id/:tab?" component={InstanceScreen} />
      {isOperator ? <Route path="/panel/operator/accounts/:id" component={Account} /> : []}
      <Route default component={NotFound} />
    </Router>
  )
}
