import { listBackups } from "../../instances/Backups.ts"
import { restoreBackup } from "../../operations/Restore.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const backups: Handlers<"backups"> = {
  list: ({ params }, caller) => listBackups(caller, params.instance_id),
  restore: ({ params }, caller) => restoreBackup(caller, params.instance_id, params.backup_id)
}
