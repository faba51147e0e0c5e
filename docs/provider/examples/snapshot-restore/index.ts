import { Instance, Snapshot, SnapshotRestore } from "pulumi-vps/pulumi"

const web = new Instance("web", { plan: "vps-s", hostname: "web.example.com", maxCharge: 10 })
const snapshot = new Snapshot("before-upgrade", { instanceId: web.id, name: "before-upgrade" })

const rollback = new SnapshotRestore("rollback", {
  instanceId: web.id,
  snapshotId: snapshot.snapshotId,
  triggers: ["the upgrade of March 1 failed"], // another text restores again
  allowDataLoss: true
})

export const restoredAt = rollback.restoredAt
