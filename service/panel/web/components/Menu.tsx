/** A button that opens a panel with links and controls below or above it. */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { Icon } from "./Icon.tsx"

interface MenuProps {
  /** Before the text of the button, for those who do not see it. */
  readonly label: string
  readonly button: ComponentChildren
  /** Opens above the button, at the end of a screen. */
  readonly above?: boolean
  readonly children: ComponentChildren
}

/** Closes when a person presses Escape, goes to another page, or does something outside. */
const useOpen = () => {
  const element = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  const { url } = useLocation()
  useEffect(() => setOpen(false), [url])
  useEffect(() => {
    if (!open) return undefined
    const outside = ({ target }: Event) => {
      if (target instanceof Node && element.current?.contains(target) !== true) setOpen(false)
    }
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return
      setOpen(false)
      opener.current?.focus()
    }
    document.addEventListener("pointerdown", outside)
    document.addEventListener("focusin", outside)
    document.addEventListener("keydown", key)
    return () => {
      document.removeEventListener("pointerdown", outside)
      document.removeEventListener("focusin", outside)
      document.removeEventListener("keydown", key)
    }
  }, [open])
  return { element, opener, open, setOpen }
}

export const Menu = ({ above = false, button, children, label }: MenuProps) => {
  const id = useId()
  const { element, open, opener, setOpen } = useOpen()
  return (
    <div class="menu" ref={element}>
      <button
        ref={opener}
        type="button"
        class="menu-button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span class="hidden">{label}:</span>
        {button}
        <Icon name={above ? "up" : "down"} />
      </button>
      {open && (
        <div id={id} class={above ? "menu-panel above" : "menu-panel"} role="group" aria-label={label}>{children}</div>
      )}
    </div>
  )
}
