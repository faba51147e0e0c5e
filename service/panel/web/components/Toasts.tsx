/** Short reports of what happened. Success disappears by itself; a failure stays until it is closed. */
import { makeStore, useStore } from "../api/store.ts"
import { IconButton } from "./Button.tsx"
import { Icon } from "./Icon.tsx"

type Tone = "good" | "bad"

interface Toast {
  readonly id: number
  readonly tone: Tone
  readonly text: string
}

const toasts = makeStore<ReadonlyArray<Toast>>([])
/** Long enough to read two lines. */
const SHOWN_MILLIS = 6_000
let count = 0

const remove = (id: number) => toasts.set(toasts.get().filter((one) => one.id !== id))

export const notify = (tone: Tone, text: string): void => {
  const id = ++count
  toasts.set([...toasts.get().filter((one) => one.text !== text), { id, tone, text }])
  if (tone === "good") window.setTimeout(() => remove(id), SHOWN_MILLIS)
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {useStore(toasts).map(({ id, text, tone }) => (
      <div class={`toast ${tone}`} key={id}>
        <Icon name={tone === "good" ? "check" : "warning"} />
        <p>{text}</p>
        <IconButton icon="close" label="Close this message" onClick={() => remove(id)} />
      </div>
    ))}
  </div>
)
