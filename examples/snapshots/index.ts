/**
 * A snapshot before a risky upgrade, and a rollback.
 *
 * Shows: a snapshot, and a restore that runs once for each new value of a configuration key. It never runs
 * unrequested, and the preview warns that changes since the snapshot are lost.
 *
 *   pulumi stack init snapshots
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi up
 *   pulumi config set restore "upgrade failed on Monday" && pulumi up   # restores the disk, once
 *   pulumi config rm restore && pulumi up                               # changes nothing on the instance
 */
import { Config } from "@pulumi/pulumi"
import { Instance, Snapshot, SnapshotRestore } from "pulumi-vps/provider"

const reason = new Config().get("restore")

const web = new Instance("web", {
  serviceId: 1,
  hostname: "web.example.com",
  maxCharge: 10,
  deletionPolicy: "stop"
})

const before = new Snapshot("before-upgrade", { instanceId: web.id, name: "before-upgrade" })

const restore = reason === undefined ? undefined : new SnapshotRestore("rollback", {
  instanceId: web.id,
  snapshotId: before.snapshotId,
  triggers: [reason],
  allowDataLoss: true
})

export const address = web.ipv4
export const takenAt = before.createdAt
export const restoredAt = restore?.restoredAt
