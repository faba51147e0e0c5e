/**
 * Audits the machines at the start and at intervals, and reports what it finds to the log and the metrics. More often,
 * it starts those that are off since their host was restarted, and records those that their owners have shut down.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PlacesMachines } from "../catalogue/Capacity.ts"
import { Limits } from "../config/Limits.ts"
import type { Departures } from "../domain/Departures.ts"
import type { Finding } from "../domain/Finding.ts"
import { keyOf } from "../domain/MachineComparison.ts"
import { Metrics } from "../observability/Metrics.ts"
import { compareTwice, findPowerChanges, repair } from "../operations/MachineAudit.ts"
import { repeatAlone } from "../persistence/JobLeases.ts"

/** Lines of one report: the command lists all. */
const LOG_MAX = 20

const lineOf = ({ detail, hosts, kind, tag }: Finding): string =>
  `Machine audit: ${kind} ${tag ?? ""} on ${hosts.join(", ") || "no host"}: ${detail}`

const schedule = Effect.gen(function*() {
  // The record of a simulated machine cannot differ from it.
  if (!(yield* PlacesMachines)) return
  const metrics = yield* Metrics
  const { AUDIT_MILLIS, AUDIT_STARTS_MILLIS } = yield* Limits
  let known: ReadonlySet<string> = new Set()
  const once = Effect.gen(function*() {
    const { contents, findings } = yield* compareTwice("all")
    metrics.audited(findings, contents)
    const fresh = findings.filter((finding) => !known.has(keyOf(finding)))
    known = new Set(findings.map(keyOf))
    for (const finding of fresh.slice(0, LOG_MAX)) yield* Effect.logWarning(lineOf(finding))
    if (fresh.length > LOG_MAX) {
      yield* Effect.logWarning(
        `Machine audit: ${fresh.length - LOG_MAX} more. See all: vps-service admin machines audit`
      )
    }
    // A host that goes down shuts down its machines: only the more frequent work sees who has.
    yield* repair(findings.filter(({ repair }) => repair !== "record_off"))
  })
  yield* repeatAlone("machine audit", AUDIT_MILLIS, once, Effect.sync(() => metrics.audited([], [])))
  // Hosts start none by themselves: one that was fenced would run its machines a second time.
  let departures: Departures = new Map()
  const power = Effect.gen(function*() {
    const found = yield* findPowerChanges(departures)
    departures = found.known
    yield* repair(found.changes)
  })
  const forget = Effect.sync(() => {
    departures = new Map()
  })
  yield* repeatAlone("power of machines", AUDIT_STARTS_MILLIS, power, forget)
})

export const layer = Layer.effectDiscard(schedule)
