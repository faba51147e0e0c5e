/** The search, which `/` opens on every screen. */
import { useEffect } from "preact/hooks"
import { makeStore, useStore } from "../api/store.ts"
import { Button } from "../components/Button.tsx"
import { SearchDialog } from "./SearchDialog.tsx"

const opened = makeStore(false)

const open = (): void => opened.set(true)

/** True if the person types into something, so that the key is a letter. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, dialog, .console") !== null

/** `/`, and Ctrl or Command with K as elsewhere. */
const press = (event: KeyboardEvent): void => {
  const isCommand = event.key === "k" && (event.ctrlKey || event.metaKey)
  const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)
  if (!isCommand && !isSlash || document.querySelector("dialog[open]") !== null) return
  event.preventDefault()
  open()
}

export const Search = () => {
  const shown = useStore(opened)
  useEffect(() => {
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [])
  return shown ? <SearchDialog onClose={() => opened.set(false)} /> : null
}

export const SearchButton = () => (
  <Button icon="search" aria-haspopup="dialog" aria-keyshortcuts="/" onClick={open}>
    Search <kbd>/</kbd>
  </Button>
)
