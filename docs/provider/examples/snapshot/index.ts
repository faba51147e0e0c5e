import { Instance, Snapshot } from "pulumi-vps/pulumi"

const web = new Instance("web", { plan: "vps-s", hostname: "web.example.com", maxCharge: 10 })

const snapshot = new Snapshot("before-upgrade", { instanceId: web.id, name: "before-upgrade" })

export const snapshotId = snapshot.snapshotId
