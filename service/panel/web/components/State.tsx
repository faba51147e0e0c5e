/** Parts of a screen that are shown before, instead of, and around its content. */
import type { ComponentChildren } from "preact"
import type { Query } from "../api/query.ts"
import { Button } from "./Button.tsx"
import { Icon, type IconName } from "./Icon.tsx"

interface NoticeProps {
  readonly tone: "info" | "good" | "warn" | "bad"
  readonly title?: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}

export const Notice = ({ action, children, title, tone }: NoticeProps) => (
  <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : undefined} tabIndex={-1}>
    {(tone === "bad" || tone === "warn") && <Icon name="warning" />}
    <div>
      {title !== undefined && <strong>{title}</strong>}
      <div>{children}</div>
    </div>
    {action}
  </div>
)

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** Advice: the next step. */
  readonly children?: ComponentChildren
}

export const Empty = ({ children, icon, title }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <strong>{title}</strong>
    <div>{children}</div>
  </div>
)

const WIDTHS = ["60%", "85%", "72%", "90%", "66%"]

/** Lines in the place of the text that is being loaded. */
export const Skeleton = ({ lines = 3 }: { readonly lines?: number | undefined }) => (
  <div class="skeleton" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => <span key={index} style={{ width: WIDTHS[index % 5] ?? "80%" }} />)}
  </div>
)

/** Says so to screen readers, too. */
export const Loading = ({ lines }: { readonly lines?: number | undefined }) => (
  <div role="status" aria-label="Loading">
    <Skeleton lines={lines} />
  </div>
)

interface LoadedProps<T> {
  readonly query: Query<T>
  /** Of the skeleton. */
  readonly lines?: number | undefined
  readonly children: (data: T) => ComponentChildren
}

/** The content of a query: a skeleton, then the data, and a failure with a way to try again. */
export function Loaded<T>({ children, lines, query: { data, error, reload } }: LoadedProps<T>) {
  const retry = <Button onClick={reload}>Try again</Button>
  return (
    <>
      {error !== undefined && (
        <Notice tone="bad" action={retry}>
          {error.message}
          {error.requestId !== undefined && error.status >= 500 && <span class="muted">Request {error.requestId}</span>}
        </Notice>
      )}
      {data === undefined
        ? error === undefined && <Loading lines={lines} />
        : children(data)}
    </>
  )
}
