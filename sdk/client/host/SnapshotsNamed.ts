/** Snapshots by their name, also of a host that has the name in another field. */
import type { Snapshot } from "../Records.ts"
import { isObject, rawOf, type View } from "./View.ts"

/** Those that have this name; the oldest first, where the host shows their ids. */
export const snapshotsNamed = (
  name: string,
  snapshots: ReadonlyArray<View<Snapshot>>
): ReadonlyArray<View<Snapshot>> =>
  snapshots.filter((one) => {
    const raw = rawOf(one)
    return one.name === name || (one.name === undefined && isObject(raw) && Object.values(raw).includes(name))
  }).toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0))
