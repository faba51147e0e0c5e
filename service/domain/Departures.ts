/**
 * The machines that were shut down by their owners, among those that went off. Nothing says who shut a machine down,
 * and a host that goes down shuts down all of its own, perhaps within minutes. So a machine counts as shut down by its
 * owner only when its host has stayed connected for a while, and no other one of it has gone off meanwhile.
 */
import type { Finding, HostContents } from "./Finding.ts"

interface Departure {
  /** Epoch milliseconds of when it was first found off over this connection. */
  readonly at: number
  /** The count of connections to its host. */
  readonly connection: number
}

/** By the machine's tag. */
export type Departures = ReadonlyMap<string, Departure>

/** Owners of other machines may shut them down again and again: a machine waits at most this many times as long. */
const WAITS_MAX = 6

const connectionTo = (contents: ReadonlyArray<HostContents>, finding: Finding): number =>
  contents.find(({ host }) => host === finding.hosts[0])?.connection ?? 0

/** True if no machine of a host runs, and several should: they were not all shut down by their owners. */
const isDown = (contents: ReadonlyArray<HostContents>, host: string, count: number): boolean =>
  count > 1 && contents.every((each) => each.host !== host || each.machines.every(({ power }) => power === "off"))

/** The machines that are off after an audit, and the tags of machines that were shut down by their owners. */
export const departures = (
  known: Departures,
  contents: ReadonlyArray<HostContents>,
  findings: ReadonlyArray<Finding>,
  now: number,
  waitMillis: number
): { readonly known: Departures; readonly decided: ReadonlySet<string> } => {
  const gone = new Map<string, Departure>()
  const decided = new Set<string>()
  const byHost = Map.groupBy(findings.filter(({ repair }) => repair === "record_off"), ({ hosts }) => hosts[0]!)
  for (const [host, machines] of byHost) {
    for (const finding of machines) {
      const before = known.get(finding.tag!)
      const connection = connectionTo(contents, finding)
      gone.set(finding.tag!, before?.connection === connection ? before : { at: now, connection })
    }
    if (isDown(contents, host, machines.length)) continue
    const latest = Math.max(...machines.map(({ tag }) => gone.get(tag!)!.at))
    for (const { tag } of machines) {
      const isQuiet = now - latest >= waitMillis
      if (isQuiet || now - gone.get(tag!)!.at >= WAITS_MAX * waitMillis) decided.add(tag!)
    }
  }
  return { known: gone, decided }
}
