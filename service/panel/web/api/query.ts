/**
 * The service's responses to reads, shared by the components that show them. Cached until an event, a change, or a
 * timer says that they may be outdated, and shown meanwhile, so that a screen that was open before appears at
 * once.
 */
import { useEffect } from "preact/hooks"
import { ApiError, request } from "./client.ts"
import { makeStore, type Store, useStore } from "./store.ts"

export interface Answer<T> {
  readonly data: T | undefined
  readonly error: ApiError | undefined
}

interface Entry {
  readonly store: Store<Answer<unknown>>
  observers: number
  /** Increases with each request, so that a late response does not replace a newer one. */
  sent: number
  /** The last request whose response arrived. */
  received: number
  stale: boolean
}

const entries = new Map<string, Entry>()

const entryOf = (path: string): Entry => {
  const known = entries.get(path)
  if (known !== undefined) return known
  const made = {
    store: makeStore<Answer<unknown>>({ data: undefined, error: undefined }),
    observers: 0,
    sent: 0,
    received: 0,
    stale: true
  }
  entries.set(path, made)
  return made
}

/** Separates a path from the input of a command that reads, which is sent by POST. */
const INPUT = "#"

export const withInput = (path: string, input: object): string => path + INPUT + JSON.stringify(input)

const load = async (path: string): Promise<void> => {
  const entry = entryOf(path)
  const number = ++entry.sent
  entry.stale = false
  try {
    const [url = "", ...rest] = path.split(INPUT)
    const input = rest.length === 0 ? undefined : rest.join(INPUT)
    const data = await (input === undefined
      ? request("GET", url)
      : request("POST", url, { body: JSON.parse(input) as object }))
    entry.received = Math.max(entry.received, number)
    if (entry.sent === number) entry.store.set({ data, error: undefined })
  } catch (error) {
    entry.received = Math.max(entry.received, number)
    entry.stale = true
    const known = error instanceof ApiError ? error : new ApiError(String(error), 0)
    // A passing failure keeps what is known on the screen.
    const kept = known.status === 0 || known.status >= 500 || known.status === 429
    if (entry.sent === number) entry.store.set({ data: kept ? entry.store.get().data : undefined, error: known })
  }
}

/** Loads again what is shown, of the paths that are outdated; the rest when it is shown next. */
export const refreshWhere = (isOutdated: (path: string) => boolean): void => {
  for (const [path, entry] of entries) {
    if (!isOutdated(path)) continue
    entry.stale = true
    if (entry.observers > 0) void load(path)
  }
}

export const refresh = (...prefixes: ReadonlyArray<string>): void =>
  refreshWhere((path) => prefixes.some((prefix) => path.startsWith(prefix)))

/** True if a component shows the response of one of the paths. */
export const isObserved = (...paths: ReadonlyArray<string>): boolean =>
  paths.some((path) => (entries.get(path)?.observers ?? 0) > 0)

/** Changes a response that is known. One that is under way, or failed, may be older, so it is requested again. */
export const patch = (path: string, change: (data: unknown) => unknown): void => {
  const entry = entries.get(path)
  if (entry === undefined) return
  const { data } = entry.store.get()
  if (entry.received < entry.sent || entry.stale && entry.observers > 0) void load(path)
  else if (data !== undefined && !entry.stale) entry.store.set({ data: change(data), error: undefined })
}

/** Everything, after the connection was lost: what changed meanwhile is unknown. */
export const refreshAll = (): void => refresh("")

/** Forgets everything, as another person may sign in. */
export const forget = (): void => entries.clear()

const NOTHING: Answer<unknown> = { data: undefined, error: undefined }
const nothing = makeStore(NOTHING)

export interface Query<T> extends Answer<T> {
  readonly reload: () => void
}

/** A part of a response. */
export const mapQuery = <A, B>({ data, ...query }: Query<A>, f: (data: A) => B): Query<B> => ({
  ...query,
  data: data === undefined ? undefined : f(data)
})

/** The response to a read; without a path, nothing is read. */
export const useQuery = (path: string | undefined): Query<unknown> => {
  const store = path === undefined ? nothing : entryOf(path).store
  const answer = useStore(store)
  useEffect(() => {
    if (path === undefined) return undefined
    const entry = entryOf(path)
    entry.observers++
    if (entry.stale) void load(path)
    return () => void entry.observers--
  }, [path])
  return { ...answer, reload: () => path === undefined ? undefined : void load(path) }
}

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
