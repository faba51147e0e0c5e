/** Changes as they happen: server-sent events, and polling while they cannot be received. */
import { useEffect } from "preact/hooks"
import { refreshAll } from "./query.ts"
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

/** Reads what changes make outdated. */
export type Follow = (changed: Changed) => Promise<void>

/** Returns a function that collects changes, and follows them one batch after the other: a later one has newer data. */
const collector = (follow: Follow) => {
  const collected = new Set<string>()
  let timer: number | undefined
  const flush = async () => {
    const changes = [...collected]
    collected.clear()
    await follow(changes)
    timer = collected.size === 0 ? undefined : window.setTimeout(() => void flush(), COLLECT_MILLIS)
  }
  return (changed: Changed) => {
    for (const one of changed) collected.add(one)
    timer ??= window.setTimeout(() => void flush(), COLLECT_MILLIS)
  }
}

/** Opens the stream at `path`. Returns a function that closes it. */
const open = (path: string, follow: Follow): () => void => {
  let source: EventSource | undefined
  let reopening: number | undefined
  let missed = false
  const collect = collector(follow)
  const connect = () => {
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
      if (source?.readyState === EventSource.CLOSED) reopening = window.setTimeout(connect, REOPEN_MILLIS)
    })
  }
  connect()
  const polling = window.setInterval(() => {
    if (connection.get() === "polling" && !document.hidden) refreshAll()
  }, POLL_MILLIS)
  return () => {
    source?.close()
    window.clearTimeout(reopening)
    window.clearInterval(polling)
  }
}

export const useEvents = (path: string | undefined, follow: Follow): void =>
  useEffect(() => path === undefined ? undefined : open(path, follow), [path])
