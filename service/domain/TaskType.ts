/** The types of tasks, under the names that the activity feed shows. */
import type { OperationType } from "@pulumi-vps/contract/OperationPower"

/** Operations that the service or an operator starts; they have no row in the table of states. */
export const SYSTEM_OPERATIONS = [
  "provision",
  "backup_create",
  "suspend",
  "unsuspend",
  "expire",
  "move",
  "terminate"
] as const satisfies ReadonlyArray<OperationType>

/** Events that only the activity feed records. */
export const AUDIT_TYPES = ["renew", "set_auto_renew", "undo_renew", "undo_expire"] as const

export type TaskType = OperationType | typeof AUDIT_TYPES[number]
