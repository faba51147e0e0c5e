/**
 * Servers that were bought in the panel, or by a script, come under Pulumi as they are: nothing is bought, nothing is
 * reinstalled.
 *
 * Shows: finding every server of the account with a function, taking each over by its id, and giving it a snapshot. A
 * server taken over is forgotten, not stopped, when it leaves the program; say `deletionPolicy` to change that.
 * Once they are in the stack, write their ids down instead of asking: a server bought later would be taken as well.
 *
 *   pulumi stack init adopted
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi preview   # charges nothing, and says so
 */
import { costSummary, getInstances, Instance, Snapshot } from "pulumi-vps/provider"

/** A server in these states can't be managed: it never came to be, or its contract has ended. */
const ENDED = new Set(["failed", "expired", "deleted"])

const existing = (await getInstances()).filter(({ status }) => !ENDED.has(status))

const servers = existing.map(({ id, order }) =>
  new Instance(`server-${id}`, {
    adoptInstanceId: id,
    // What it is on now; another plan here would resize it.
    serviceId: order.serviceId
  })
)

const snapshots = servers.map((server, index) =>
  new Snapshot(`server-${existing[index]!.id}`, { instanceId: server.id, name: "when-adopted" })
)

export const adopted = existing.map(({ id }) => id)
export const snapshotIds = snapshots.map(({ snapshotId }) => snapshotId)
export const cost = costSummary(servers)
