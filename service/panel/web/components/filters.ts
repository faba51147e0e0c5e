/** The filters of a screen, which are in its address, so that a link has them, and Back and a reload find them. */
import { useEffect, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { usePaused } from "./Table.tsx"

/** By name; those that are absent select all. */
export type FilterValues = Readonly<Record<string, string>>

export interface FilterState {
  readonly values: FilterValues
  /** An empty text removes a filter. */
  readonly change: (changes: FilterValues) => void
}

const SEARCH = "search"

const toQuery = (values: FilterValues): string => {
  const query = new URLSearchParams(values).toString()
  return query === "" ? "" : `?${query}`
}

const merged = (values: FilterValues, changes: FilterValues): FilterValues =>
  Object.fromEntries(Object.entries({ ...values, ...changes }).filter(([, value]) => value !== ""))

export const useFilters = (inAddress: boolean): FilterState => {
  const { path, query, route } = useLocation()
  const [own, setOwn] = useState<FilterValues>({})
  const change = (changes: FilterValues) => {
    if (!inAddress) return setOwn((known) => merged(known, changes))
    // Not the query of the last drawing: two filters may change before the next one.
    const known = Object.fromEntries(new URLSearchParams(location.search))
    route(path + toQuery(merged(known, changes)), true)
  }
  return { values: inAddress ? query : own, change }
}

/** A text of the address that a person types: set after a moment without typing. */
export const useTyped = (name: string, { change, values }: FilterState) => {
  const known = values[name] ?? ""
  const [text, setText] = useState(known)
  const written = useRef(known)
  const paused = usePaused(text)
  useEffect(() => {
    if (paused === written.current) return
    written.current = paused
    change({ [name]: paused })
  }, [paused])
  useEffect(() => {
    // A link to the same screen has other values.
    if (known === written.current) return
    written.current = known
    setText(known)
  }, [known])
  return { text, setText, known }
}

export const useSearch = (state: FilterState) => useTyped(SEARCH, state)
