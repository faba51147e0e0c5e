/**
 * A button that shows the call behind a screen, in the ways to make it: people automate what they have just done
 * by hand.
 */
import { useState } from "preact/hooks"
import { Button, LinkButton } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Segments } from "./Page.tsx"
import { copy } from "./Values.tsx"

/** A call of the API in the ways to make it, as texts to copy. */
export interface Example {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below the base URL. */
  readonly path: string
  readonly body?: object
  /** For a purchase: what a script repeats safely. */
  readonly key?: string
  /** The expression after `await`. */
  readonly sdk: string
  readonly vps: string
  /** Undefined if Pulumi programs describe a state instead. */
  readonly pulumi?: string
}

export const baseUrl = (): string => `${location.origin}/api/v1`

/** In single quotes, for a shell: nothing in it is interpreted. */
export const quoted = (text: string): string => /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** A value of TypeScript; keys without quotes, as people write them. */
export const literal = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  return `{ ${fields.map(([name, one]) => `${name}: ${literal(one)}`).join(", ")} }`
}

const curl = ({ body, key, method, path }: Example): string =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(baseUrl() + path)}`,
    `-H "Authorization: Bearer $VPS_API_KEY"`,
    ...(key === undefined ? [] : [`-H ${quoted(`Idempotency-Key: ${key}`)}`]),
    ...(body === undefined ? [] : [`--json ${quoted(JSON.stringify(body))}`])
  ].join(" \\\n  ")

const sdk = ({ sdk }: Example): string =>
  `import { Vps } from "@pulumi-vps/sdk"\n\nconst vps = new Vps({ baseUrl: ${
    JSON.stringify(baseUrl())
  } }) // VPS_API_KEY\n`
  + `const result = await ${sdk}`

const pulumi = (code: string): string =>
  `import { Instance, ReverseDns, Snapshot } from "pulumi-vps/provider"\n\n${code}`

/** The text of each way by its name. */
const waysOf = (example: Example): Readonly<Record<string, string>> => ({
  curl: curl(example),
  SDK: sdk(example),
  vps: example.vps,
  ...(example.pulumi === undefined ? {} : { Pulumi: pulumi(example.pulumi) })
})

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
