/**
 * The snapshots that an update takes, against the quota of their instance. The engine takes new ones first and deletes
 * those that leave the program last, so a set that fits before and after an update may not fit during it.
 */
import { nameOf, type Properties } from "../definition/Properties.ts"
import type { Difference } from "../session/Lifecycle.ts"
import type { Session } from "../session/Session.ts"
import { asInputs, type SnapshotInputs } from "./Definition.ts"

interface Usage {
  readonly used: number
  readonly quota: number
  /** The URNs of the resources that take one more in this update. */
  readonly planned: Set<string>
}

/** Before this update; undefined when the service does not show it. */
const usageOf = (session: Session, instanceId: string): Promise<Usage | undefined> =>
  session.memoize(`snapshots of ${instanceId}`, async () => {
    const live = await session.api.status(Number(instanceId)).catch(() => undefined)
    const snapshots = live?.snapshots ?? undefined
    return snapshots && { ...snapshots, planned: new Set<string>() }
  })

/** Plans one more; the number of those that exist by then if it would exceed the quota. */
const reserve = ({ planned, quota, used }: Usage, urn: string): number | undefined => {
  const others = used + planned.size - (planned.has(urn) ? 1 : 0)
  if (others >= quota) return others
  planned.add(urn)
  return undefined
}

/** "3 of 3 snapshots", or "2 of 3 snapshots, and this update takes 1 more" */
const describe = ({ planned, quota, used }: Usage): string =>
  `${used} of ${quota} snapshots${planned.size === 0 ? "" : `, and this update takes ${planned.size} more`}`

/** Warns, in `check`, when a new snapshot exceeds the quota because the old ones are deleted after it. */
export const warnOfFullQuota = async (session: Session, inputs: SnapshotInputs): Promise<void> => {
  const { __urn: urn, instanceId, name } = inputs
  const usage = await usageOf(session, instanceId)
  if (usage === undefined || reserve(usage, urn) === undefined) return
  // An earlier run may have taken it: then it is among those that are counted.
  const taken = await session.api.snapshots(Number(instanceId)).catch(() => [])
  if (taken.some((one) => one.name === name)) return
  session.host.warn(
    `${nameOf(urn)}: instance ${instanceId} has ${describe(usage)}. Snapshots that leave the program are deleted last, `
      + "so this one may exceed the quota. Remove the old ones in an update of their own, or change the `name` of an "
      + "existing Snapshot instead of adding a resource: that deletes its old snapshot first"
  )
}

/** A replacement, in `diff`: with a full quota the old snapshot is deleted first; for a moment there is none. */
export const replacement = async (session: Session, olds: Properties, difference: Difference): Promise<Difference> => {
  const { instanceId, name, onDelete, __urn } = asInputs(olds)
  // Without the usage the replacement is tried in the usual order.
  const usage = difference.replaces.includes("instanceId") ? undefined : await usageOf(session, instanceId)
  if (usage === undefined || reserve(usage, __urn) === undefined) return difference
  const full = `${nameOf(__urn)}: instance ${instanceId} has ${describe(usage)}`
  if (onDelete === "keep") {
    session.host.warn(
      `${full}. onDelete: "keep" leaves ${JSON.stringify(name)}, so the new one may exceed the quota. Delete one `
        + `with \`vps snapshot delete ${instanceId} <id>\` first, or set onDelete: "delete"`
    )
    return difference
  }
  session.host.warn(`${full}, so ${JSON.stringify(name)} is deleted before the new one is taken`)
  return { ...difference, deleteBeforeReplace: true }
}
