/** Single values: amounts, times, states, and texts to copy. */
import type { ComponentChildren } from "preact"
import { date, exactTime, money, time, words } from "../api/format.ts"
import { IconButton } from "./Button.tsx"
import { notify } from "../api/toasts.ts"

export const Money = ({ amount, currency }: { readonly amount: number; readonly currency: string }) => (
  <span class="number">{money(amount, currency)}</span>
)

interface WhenProps {
  /** Null while it has not happened. */
  readonly at: string | null | undefined
  readonly day?: boolean
}

/** A time in the reader's time zone; the exact one as a tooltip. */
export const When = ({ at, day = false }: WhenProps) =>
  at === null || at === undefined
    ? <span class="muted">–</span>
    : <time class="number" dateTime={at} title={exactTime(at)}>{day ? date(at) : time(at)}</time>

type Tone = "good" | "busy" | "off" | "warn" | "bad"

const TONES: Readonly<Record<string, Tone>> = {
  running: "good",
  available: "good",
  succeeded: "good",
  active: "good",
  done: "good",
  up: "good",
  stopped: "off",
  deleted: "off",
  cancelled: "off",
  closed: "off",
  revoked: "off",
  suspended: "bad",
  expired: "bad",
  failed: "bad",
  rejected: "bad",
  down: "bad",
  paused: "bad",
  planned: "warn",
  ended: "off",
  rescue: "warn",
  held: "warn",
  draining: "warn"
}

/** Unknown states are busy, as the API says. A reason may follow after a colon. */
export const toneOf = (status: string): Tone => TONES[status.split(":", 1)[0]!] ?? "busy"

interface NamedProps {
  readonly children: ComponentChildren
  /** In a second line. */
  readonly note: ComponentChildren
}

/** The subject of a row of a table. */
export const Named = ({ children, note }: NamedProps) => (
  <>
    <strong>{children}</strong>
    <span class="muted second">{note}</span>
  </>
)

interface StatusProps {
  readonly value: string
  /** True for a task: one that is running has not succeeded yet. */
  readonly task?: boolean
}

/** A state by color, form, and name. */
export const Status = ({ task = false, value }: StatusProps) => (
  <span class={`status ${task && value === "running" ? "busy" : toneOf(value)}`}>{words(value)}</span>
)

interface ProgressProps {
  readonly label: string
  readonly percent: number
}

/** As wide as what is done: nothing at 0 %. */
export const Progress = ({ label, percent }: ProgressProps) => (
  <div
    class="progress"
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={percent}
  >
    <span style={{ width: `${percent}%` }} />
  </div>
)

export const copy = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
    notify("good", "Copied.")
  } catch {
    notify("bad", "The browser did not allow copying. Select the text and copy it.")
  }
}

/** A text in a fixed-width font with a button that copies it. */
export const Copyable = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <span class="copyable">
    <code>{text}</code>
    <IconButton icon="copy" label={`Copy ${what}`} onClick={() => void copy(text)} />
  </span>
)
