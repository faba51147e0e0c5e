/** The panel's page in a browser: the sign-in, or the shell with the screen of the address. */
import { useEffect } from "preact/hooks"
import { LocationProvider, useLocation } from "preact-iso/router"
import { loadSession, sessionState } from "./api/session.ts"
import { useStore } from "./api/store.ts"
import { Button } from "./components/Button.tsx"
import { later, Loading, Notice } from "./components/Page.tsx"
import { Toasts } from "./components/ActionButton.tsx"
import { applyTheme } from "./shell/Menus.tsx"
import { keepPlaces } from "./shell/places.ts"
import { Shell } from "./shell/Shell.tsx"
import { render } from "preact"

const SignIn = later(async () => (await import("./screens/signin/SignIn.tsx")).SignIn)
const Invitation = later(async () => (await import("./screens/signin/Invitation.tsx")).Invitation)

const Content = () => {
  const { path } = useLocation()
  const state = useStore(sessionState)
  if (path.startsWith("/panel/invitation")) return <Invitation />
  if (path.startsWith("/panel/sign-in") || state.kind === "out") return <SignIn />
  if (state.kind === "in") return <Shell />
  return (
    <main class="waiting">
      {state.kind === "loading"
        ? <Loading lines={5} />
        : (
          <Notice tone="bad" title="The panel cannot start" action={<Button onClick={loadSession}>Try again</Button>}>
            {state.error.message}
          </Notice>
        )}
    </main>
  )
}

/** Shows the sign-in, or the shell with the screen of the address. */
export const App = () => {
  useEffect(() => void loadSession(), [])
  return (
    <LocationProvider scope="/panel">
      <Content />
      <Toasts />
    </LocationProvider>
  )
}

applyTheme()
keepPlaces()
render(<App />, document.getElementById("app")!)
