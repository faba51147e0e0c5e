import { useEffect, useState } from "preact/hooks"

/** Between the last keystroke and a search in the service. */
const PAUSE_MILLIS = 200

/** The trimmed text after a moment without typing. */
export const usePaused = (text: string): string => {
  const [paused, setPaused] = useState(text.trim())
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(text.trim()), PAUSE_MILLIS)
    return () => window.clearTimeout(timer)
  }, [text])
  return paused
}
