/** Changes as they happen: server-sent events, and polling while they cannot be received. */
import { useEffect } from "preact/hooks"
import { refreshAll, refreshWhere } from "./query.ts"
import { makeStore } from "./store.ts"

/** The source of changes; the shell says so when it is polling. */
export const connection = makeStore<"connecting" | "live" | "polling">("connecting")

/** Between two polls while there are no events: quick enough to follow a task, few enough for a busy service. */
const POLL_MILLIS = 5_000
/** Before a stream that the service ended is opened again. Browsers only do so themselves after a lost connection. */
const REOPEN_MILLIS = 3_000

/** Changes within this time are read at once: a task reports several. */
const COLLECT_MILLIS = 200

/** The ids of instances, and words such as `wallet`. */
type Changed = ReadonlyArray<string>

/** True if a change makes the response of a path outdated. */
export type IsOutdated = (path: string, changed: string) => boolean

/** Returns a function that collects changes, and reads again what they make outdated. */
const collector = (isOutdated: IsOutdated) => {
  const collected = new Set<string>()
  let timer: number | undefined
  const flush = () => {
    const changes = [...collected]
    collected.clear()
    timer = undefined
    refreshWhere((path) => changes.some((one) => isOutdated(path, one)))
  }
  return (changed: Changed) => {
    for (const one of changed) collected.add(one)
    timer ??= window.setTimeout(flush, COLLECT_MILLIS)
  }
}

/** Opens the stream at `path`. Returns a function that closes it. */
const follow = (path: string, isOutdated: IsOutdated): () => void => {
  let source: EventSource | undefined
  let reopening: number | undefined
  let missed = false
  const collect = collector(isOutdated)
  const open = () => {
    source = new EventSource(`/panel/api${path}`)
    source.addEventListener("open", () => {
      connection.set("live")
      // Changes while nothing was received are unknown.
      if (missed) refreshAll()
      missed = false
    })
    source.addEventListener(
      "message",
      ({ data }: MessageEvent<string>) => collect((JSON.parse(data) as { readonly changed: Changed }).changed)
    )
    source.addEventListener("error", () => {
      missed = true
      connection.set("polling")
      if (source?.readyState === EventSource.CLOSED) reopening = window.setTimeout(open, REOPEN_MILLIS)
    })
  }
  open()
  const polling = window.setInterval(() => {
    if (connection.get() === "polling" && !document.hidden) refreshAll()
  }, POLL_MILLIS)
  return () => {
    source?.close()
    window.clearTimeout(reopening)
    window.clearInterval(polling)
  }
}

export const useEvents = (path: string | undefined, isOutdated: IsOutdated): void =>
  useEffect(() => path === undefined ? undefined : follow(path, isOutdated), [path])
