import { listBackups, restoreBackup } from "../../instances/Backups.ts"
import { answer } from "./Answer.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const backups: Handlers<"backups"> = {
  list: ({ params }, by) => answer(listBackups(by, params.instance_id)),
  restore: ({ params }, by) => answer(restoreBackup(by, params.instance_id, params.backup_id))
}
