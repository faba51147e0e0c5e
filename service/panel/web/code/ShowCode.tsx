/** A button that shows the call behind a screen: people automate what they have just done by hand. */
import { useState } from "preact/hooks"
import { Button, LinkButton } from "../components/Button.tsx"
import { Dialog } from "../components/Dialog.tsx"
import { Segments } from "../components/Page.tsx"
import { copy } from "../components/Values.tsx"
import { baseUrl, type Example, waysOf } from "./Example.ts"

const Code = ({ example, title, onClose }: { example: Example; title: string; onClose: () => void }) => {
  const ways = waysOf(example)
  const [way, setWay] = useState("curl")
  const text = ways[way] ?? ""
  const names = Object.fromEntries(Object.keys(ways).map((name) => [name, name]))
  return (
    <Dialog title={title} onClose={onClose} wide>
      <Segments label="Language" names={names} current={way} onChoose={setWay} />
      <pre tabIndex={0} aria-label={`${title} by ${way}`}>{text}</pre>
      <p class="muted">
        The base URL is <code>{baseUrl()}</code>. Make an API key under Keys, and set it as <code>VPS_API_KEY</code>.
      </p>
      <footer>
        <LinkButton href="/panel/keys">Make an API key</LinkButton>
        <Button kind="primary" icon="copy" onClick={() => void copy(text)}>Copy</Button>
      </footer>
    </Dialog>
  )
}

export const ShowCode = ({ example, title }: { readonly example: Example; readonly title: string }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon="code" kind="quiet" aria-haspopup="dialog" onClick={() => setOpen(true)}>Code</Button>
      {open && <Code example={example} title={title} onClose={() => setOpen(false)} />}
    </>
  )
}
