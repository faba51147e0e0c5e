/** Short reports of what happened, for the one part of the page that shows them and says them to screen readers. */
import { makeStore } from "./store.ts"

/** `off`: the reason why a button does nothing now. */
export type Tone = "good" | "bad" | "off"

/** The page with more about it. */
interface Link {
  readonly href: string
  readonly name: string
}

export interface Toast {
  readonly id: number
  readonly tone: Tone
  readonly text: string
  readonly link: Link | undefined
}

export const toasts = makeStore<ReadonlyArray<Toast>>([])

/** Long enough to read two lines. */
const SHOWN_MILLIS = 6_000
let count = 0

export const closeToast = (id: number): void => toasts.set(toasts.get().filter((one) => one.id !== id))

/** A failure stays until it is closed. */
export const notify = (tone: Tone, text: string, link?: Link): void => {
  const id = ++count
  toasts.set([...toasts.get().filter((one) => one.text !== text), { id, tone, text, link }])
  if (tone !== "bad") window.setTimeout(() => closeToast(id), SHOWN_MILLIS)
}

/** Only said: what the page shows where it belongs. */
export const announced = makeStore<{ readonly id: number; readonly text: string } | undefined>(undefined)

/** In which the same event, reported by several parts of a page, is said once. */
const SAME_MILLIS = 2_000
let last: { readonly text: string; readonly at: number } | undefined

/** Says a text to screen readers, once for all parts of the page that report the same. */
export const announce = (text: string): void => {
  const now = Date.now()
  const isSame = last?.text === text && now - last.at < SAME_MILLIS
  last = { text, at: now }
  if (!isSame) announced.set({ id: ++count, text })
}
