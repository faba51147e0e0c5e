/** The parts of every screen: its head, sections, and what is shown before, instead of, and around its content. */
import { Component, type ComponentChildren, type ComponentType } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { announce } from "../api/toasts.ts"
import { titled } from "../api/branding.ts"
import type { Query } from "../api/query.ts"
import { Button } from "./Button.tsx"
import { Icon, type IconName } from "./Icon.tsx"

interface Crumb {
  readonly href: string
  readonly name: string
}

interface PageProps {
  readonly title: string
  /** The pages above it, from the first on, or the only one. */
  readonly parents?: ReadonlyArray<Crumb>
  readonly parent?: Crumb
  /** The last of the breadcrumbs; the title by default. */
  readonly here?: string | undefined
  readonly beside?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children?: ComponentChildren
}

const Breadcrumbs = ({ here, parents }: { readonly parents: ReadonlyArray<Crumb>; readonly here: string }) => (
  <nav class="crumbs" aria-label="Breadcrumbs">
    <ol>
      {parents.map(({ href, name }) => (
        <li key={href}>
          <a href={href}>{name}</a>
        </li>
      ))}
      <li aria-current="page">{here}</li>
    </ol>
  </nav>
)

/** Moves the focus to the title of a new screen, so that keyboards and screen readers start there. */
export const Page = ({ actions, beside, children, here, parent, parents, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const above = parents ?? (parent === undefined ? [] : [parent])
  useEffect(() => {
    const { activeElement, body } = document
    // The place in a list that is shown again stays.
    if (activeElement === body || activeElement?.closest("nav") !== null) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [])
  useEffect(() => {
    document.title = titled(title)
  }, [title])
  return (
    <>
      <header class="page-head">
        <div>
          {above.length > 0 && <Breadcrumbs parents={above} here={here ?? title} />}
          <h1 ref={heading} tabIndex={-1}>{title}</h1>
          {beside}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

export interface SectionProps {
  /** For links to it. */
  readonly id?: string
  readonly title: string
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly danger?: boolean
  readonly children?: ComponentChildren
}

export const Section = ({ actions, children, danger = false, id, note, title }: SectionProps) => (
  <section class={danger ? "card danger" : "card"} id={id}>
    <header>
      <div>
        <h2>{title}</h2>
        {note !== undefined && <p class="muted">{note}</p>}
      </div>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
)

/** Names and values, as in a data sheet. */
export const Facts = (
  { rows }: { readonly rows: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }
) => (
  <dl class="facts">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

interface SegmentsProps<Key extends string> {
  readonly label: string
  readonly names: Readonly<Record<Key, string>>
  readonly current: Key
  readonly onChoose: (key: Key) => void
}

/** A choice of which all names are visible. */
export function Segments<Key extends string>({ current, label, names, onChoose }: SegmentsProps<Key>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {(Object.keys(names) as Array<Key>).map((key) => (
        <button
          key={key}
          type="button"
          aria-pressed={key === current}
          onClick={() => onChoose(key)}
        >
          {names[key]}
        </button>
      ))}
    </div>
  )
}

interface TabsProps {
  readonly label: string
  readonly current: string
  readonly tabs: ReadonlyArray<{ readonly href: string; readonly name: string; readonly key: string }>
}

/** Links, so that each tab has an address, and opens in a new window. */
export const Tabs = ({ current, label, tabs }: TabsProps) => {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const open = nav.current?.querySelector<HTMLElement>("[aria-current]")
    if (nav.current === null || open === null || open === undefined) return
    // On a phone, the tabs are wider than the screen.
    nav.current.scrollLeft = open.offsetLeft - nav.current.offsetLeft - (nav.current.clientWidth - open.offsetWidth) / 2
  }, [current])
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ href, key, name }) => (
        <a key={key} href={href} aria-current={key === current ? "page" : undefined}>{name}</a>
      ))}
    </nav>
  )
}

interface NoticeProps {
  readonly tone: "info" | "good" | "warn" | "bad"
  readonly title?: string
  /** True for the only report of something that has just happened: others are read where they are, or by a toast. */
  readonly live?: boolean
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}

export const Notice = ({ action, children, live = false, title, tone }: NoticeProps) => (
  <div class={`notice ${tone}`} role={live ? "alert" : undefined} tabIndex={-1}>
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
  <div class="loading" role="status" aria-label="Loading">
    <Skeleton lines={lines} />
  </div>
)

/** In the place of what may not appear at all: what is below it waits, and does not jump. */
export const Pending = () => <span class="loading" hidden />

interface LoadedProps<T> {
  readonly query: Query<T>
  /** Of the skeleton. */
  readonly lines?: number | undefined
  readonly children: (data: T) => ComponentChildren
}

/** The content of a query: a skeleton, then the data, and a failure with a way to try again. */
export function Loaded<T>({ children, lines, query: { data, error, reload } }: LoadedProps<T>) {
  useEffect(() => {
    // One outage fails several parts of a page.
    if (error !== undefined) announce(error.message)
  }, [error?.message])
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

const Failed = () => (
  <Notice tone="warn" action={<Button onClick={() => location.reload()}>Reload</Button>}>
    This part of the panel could not be loaded: the service was updated, or cannot be reached. Reload the page.
  </Notice>
)

interface BoundaryState {
  readonly failed: boolean
}

interface BoundaryProps {
  /** Of the screen: another one is drawn again. */
  readonly path: string
  readonly children?: ComponentChildren
}

/** Keeps an exception while a screen is drawn from the rest of the panel. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  static override getDerivedStateFromError = (): BoundaryState => ({ failed: true })
  override state: BoundaryState = { failed: false }

  override componentDidCatch(error: unknown): void {
    reportError(error)
  }

  override componentDidUpdate({ path }: BoundaryProps): void {
    if (path !== this.props.path && this.state.failed) this.setState({ failed: false })
  }

  override render({ children }: BoundaryProps) {
    if (!this.state.failed) return children
    return (
      <Page title="This page cannot be shown">
        <Notice tone="bad" action={<Button onClick={() => this.setState({ failed: false })}>Try again</Button>}>
          The panel could not draw it: this is a fault of the panel. All other pages work. Try again, or contact your
          host.
        </Notice>
      </Page>
    )
  }
}

/** Code that is loaded when it is first shown; `meanwhile` is shown before. */
export const later = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  meanwhile: ComponentChildren = <Loading lines={6} />
): ComponentType<P> => {
  let loaded: ComponentType<P> | undefined
  return (props: P) => {
    const [Content, setContent] = useState<ComponentType<P> | undefined>(() => loaded)
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (Content !== undefined) return
      const run = async () => {
        const component = await load()
        loaded = component
        setContent(() => component)
      }
      run().catch(() => setFailed(true))
    }, [])
    if (failed) return <Failed />
    return Content === undefined ? <>{meanwhile}</> : <Content {...props} />
  }
}
