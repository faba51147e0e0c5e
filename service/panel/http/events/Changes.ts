/**
 * Finds out what has changed for open pages: it compares the data at intervals while there are such pages, and does
 * nothing else. The intervals grow with the time that a comparison takes, so that it never takes much of a core.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Limits } from "../../../config/Limits.ts"
import { Readiness } from "../../../http/system/Health.ts"
import { type Observation, Observations } from "../../../persistence/Observations.ts"
import { realSleep } from "../../../runtime/Time.ts"
import { ServiceRuntime } from "../../../ServiceRuntime.ts"
import * as ConditionVariable from "../../../runtime/ConditionVariable.ts"

/** The account of a page; null for an operator's. */
export type Subject = number | null

/** One open page. */
export interface Subscription {
  /** Completes when something has changed, with the names of it; also with none, so that the page is checked. */
  readonly next: Effect.Effect<ReadonlyArray<string>>
  readonly close: Effect.Effect<void>
}

/** Names of what has changed, for one page. Bounded, because there are only so many names. */
interface Page {
  readonly pending: Set<string>
  readonly changed: ConditionVariable.ConditionVariable
}

interface Watched {
  readonly pages: Set<Page>
  last: Observation
}

/** A comparison may take one part in so many of the time. */
const SHARE = 50

const difference = (before: Observation, after: Observation): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))

export interface Changes {
  readonly subscribe: (subject: Subject) => Effect.Effect<Subscription>
}

const observe = (subject: Subject) =>
  Effect.flatMap(Observations, ({ account, host }) => subject === null ? host : account(subject))

const makeCompare = (watched: ReadonlyMap<Subject, Watched>) => {
  let version: string | undefined
  return Effect.gen(function*() {
    const now = yield* (yield* Observations).version
    if (now === version) return
    version = now
    for (const [subject, entry] of watched) {
      const after = yield* observe(subject)
      const changed = difference(entry.last, after)
      entry.last = after
      if (changed.length === 0) continue
      for (const { changed: wake, pending } of entry.pages) {
        for (const name of changed) pending.add(name)
        yield* wake.notifyAll
      }
    }
  })
}

const wakeAll = (watched: ReadonlyMap<Subject, Watched>) => {
  const pages = [...watched.values()].flatMap((entry) => [...entry.pages])
  return Effect.forEach(pages, ({ changed }) => changed.notifyAll, { discard: true })
}

interface Loop {
  readonly watched: ReadonlyMap<Subject, Watched>
  readonly opened: ConditionVariable.ConditionVariable
  readonly isReady: () => boolean
}

/** Compares until the service stops, which ends the pages' streams; waits while no page is open. */
const makeLoop = ({ isReady, opened, watched }: Loop) =>
  Effect.gen(function*() {
    const { EVENTS_INTERVAL_MILLIS } = yield* Limits
    const compare = makeCompare(watched)
    while (true) {
      if (!isReady()) yield* wakeAll(watched)
      const version = yield* opened.version
      if (watched.size === 0) yield* opened.waitSince(version)
      const began = performance.now()
      // Another comparison follows; other parts report a database that cannot be read.
      yield* Effect.catchDefect(compare, () => Effect.void)
      yield* realSleep(Math.max(EVENTS_INTERVAL_MILLIS, (performance.now() - began) * SHARE))
    }
  })

/** Lasts as long as its scope. */
export const makeChanges: Effect.Effect<Changes, never, Readiness | ServiceRuntime | Scope.Scope> = Effect.gen(
  function*() {
    const { run } = yield* ServiceRuntime
    const { isReady } = yield* Readiness
    const watched = new Map<Subject, Watched>()
    const opened = ConditionVariable.make()
    yield* Effect.forkScoped(run(makeLoop({ watched, opened, isReady })))
    const take = (page: Page) =>
      Effect.gen(function*() {
        const version = yield* page.changed.version
        if (page.pending.size === 0) yield* page.changed.waitSince(version)
        const names = [...page.pending]
        page.pending.clear()
        return names
      })
    return {
      subscribe: (subject) =>
        Effect.gen(function*() {
          const page: Page = { pending: new Set(), changed: ConditionVariable.make() }
          const last = yield* run(observe(subject))
          const entry = watched.get(subject) ?? { pages: new Set(), last }
          watched.set(subject, entry)
          entry.pages.add(page)
          yield* opened.notifyAll
          const close = Effect.sync(() => {
            entry.pages.delete(page)
            if (entry.pages.size === 0) watched.delete(subject)
          })
          return { next: take(page), close }
        })
    }
  }
)
