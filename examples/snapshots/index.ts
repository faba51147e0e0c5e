/**
 * A snapshot before a risky upgrade, and the way back.
 *
 * Shows: a snapshot that is taken once, and a restore that runs once per text that the configuration gives it, never by
 * itself: what was written to the disk since is lost, so the preview says so before anything happens.
 *
 *   pulumi stack init snapshots
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi up
 *   pulumi config set restore "upgrade failed on Monday" && pulumi up   # puts the disk back, once
 *   pulumi config rm restore && pulumi up                               # nothing happens to the server
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

const restore = reason === undefined ? undefined : new SnapshotRestore("way-back", {
  instanceId: web.id,
  snapshotId: before.snapshotId,
  triggers: [reason],
  allowDataLoss: true
})

export const address = web.ipv4
export const takenAt = before.createdAt
export const restoredAt = restore?.restoredAt
