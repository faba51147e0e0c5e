/** The panel's page in a browser. */
import { render } from "preact"
import { App } from "./App.tsx"
import { applyTheme } from "./theme.ts"

applyTheme()
render(<App />, document.getElementById("app")!)
