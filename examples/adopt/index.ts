/**
 * Manages existing instances with Pulumi. Nothing is bought or reinstalled.
 *
 * Shows: listing the instances of the account, adopting each by its ID, and taking a snapshot of it. When an adopted
 * instance is removed from the program, it is only removed from the stack, not stopped; `deletionPolicy` changes that.
 * After the first update, replace the list by fixed IDs: otherwise the next update imports instances bought later, too.
 *
 *   pulumi stack init adopted
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi preview   # shows that nothing is charged
 */
import { costSummary, getInstances, Instance, Snapshot } from "pulumi-vps/provider"

/** Instances in these states cannot be managed: they were never provisioned, or their contract has ended. */
const ENDED = new Set(["failed", "expired", "deleted"])

const existing = (await getInstances()).filter(({ status }) => !ENDED.has(status))

const instances = existing.map(({ id, order }) =>
  new Instance(`instance-${id}`, {
    adoptInstanceId: id,
    // The current plan; another one would resize the instance.
    serviceId: order.serviceId
  })
)

const snapshots = instances.map((instance, index) =>
  new Snapshot(`instance-${existing[index]!.id}`, { instanceId: instance.id, name: "when-adopted" })
)

export const adopted = existing.map(({ id }) => id)
export const snapshotIds = snapshots.map(({ snapshotId }) => snapshotId)
export const cost = costSummary(instances)
