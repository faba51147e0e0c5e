/** The parts of every screen: its head, and sections. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

interface PageProps {
  readonly title: string
  /** Above the title: the way back. */
  readonly parent?: { readonly href: string; readonly name: string }
  readonly beside?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children?: ComponentChildren
}

/** Moves the focus to the title of a new screen, so that keyboards and screen readers start there. */
export const Page = ({ actions, beside, children, parent, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const { activeElement, body } = document
    if (activeElement === body || activeElement?.closest("nav") !== null) heading.current?.focus()
  }, [])
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <>
      <header class="page-head">
        <div>
          {parent !== undefined && <a class="back" href={parent.href}>{parent.name}</a>}
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
  readonly title: string
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly danger?: boolean
  readonly children?: ComponentChildren
}

export const Section = ({ actions, children, danger = false, note, title }: SectionProps) => (
  <section class={danger ? "card danger" : "card"}>
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
export const Tabs = ({ current, label, tabs }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, key, name }) => (
      <a key={key} href={href} aria-current={key === current ? "page" : undefined}>{name}</a>
    ))}
  </nav>
)
