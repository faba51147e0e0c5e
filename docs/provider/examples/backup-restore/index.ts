import { BackupRestore, Instance } from "pulumi-vps/pulumi"

const web = new Instance("web", { plan: "vps-s", hostname: "web.example.com", maxCharge: 10 })

const rollback = new BackupRestore("rollback", {
  instanceId: web.id,
  backupId: 1, // getBackups lists the backups of an instance
  triggers: ["the upgrade of March 1 failed"], // another text restores again
  allowDataLoss: true
})

export const restoredAt = rollback.restoredAt
