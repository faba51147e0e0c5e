/** Every operation by its type. Sagas and the rules for failed tasks derive from it. */
import * as Effect from "effect/Effect"
import { isInstanceOperation } from "../domain/InstanceMachine.ts"
import type { OperationType } from "@pulumi-vps/contract/OperationPower"
import type { TaskType } from "../domain/TaskType.ts"
import type { UnreconciledRule } from "../persistence/tasks/Unreconciled.ts"
import { Rejected } from "../provisioning/Driver.ts"
import { BackupCreate, BackupRestore } from "./Backups.ts"
import { Expire } from "./Expire.ts"
import { Suspend, Unsuspend } from "./Suspend.ts"
import { Terminate } from "./Terminate.ts"
import { IsoMount, IsoUnmount } from "./Isos.ts"
import type { Operation, Recovery } from "./Operation.ts"
import { Restart, Start, Stop } from "./Power.ts"
import { Move } from "./Relocation.ts"
import { Provision } from "./Provision.ts"
import { Reinstall } from "./Reinstall.ts"
import { RescueEnter, RescueExit } from "./Rescue.ts"
import { ResetPassword } from "./ResetPassword.ts"
import { Resize } from "./Resize.ts"
import type { Saga, TaskContext } from "./Saga.ts"
import { SetHostname } from "./SetHostname.ts"
import { SetRdns } from "./SetRdns.ts"
import { SnapshotCreate, SnapshotDelete, SnapshotRestore } from "./Snapshots.ts"

const OPERATIONS = {
  provision: Provision,
  start: Start,
  stop: Stop,
  restart: Restart,
  reinstall: Reinstall,
  resize: Resize,
  reset_password: ResetPassword,
  set_hostname: SetHostname,
  set_rdns: SetRdns,
  snapshot_create: SnapshotCreate,
  snapshot_restore: SnapshotRestore,
  snapshot_delete: SnapshotDelete,
  backup_create: BackupCreate,
  backup_restore: BackupRestore,
  iso_mount: IsoMount,
  iso_unmount: IsoUnmount,
  rescue_enter: RescueEnter,
  rescue_exit: RescueExit,
  suspend: Suspend,
  unsuspend: Unsuspend,
  expire: Expire,
  move: Move,
  terminate: Terminate
} satisfies { readonly [T in OperationType]: Operation<T> }

export const OPERATION_TYPES = Object.keys(OPERATIONS) as ReadonlyArray<OperationType>

/** Undefined for events of the feed, and for a type that only a newer version knows. */
const find = (type: TaskType): Operation | undefined =>
  (OPERATIONS as Readonly<Partial<Record<TaskType, Operation>>>)[type]

const unknown = (type: string): Saga => ({
  retry: "single",
  steps: Effect.fail(new Rejected({ reason: `this version of the service cannot ${type}` })),
  decidesByWallet: false,
  complete: () => Effect.void,
  fail: () => Effect.void,
  followUp: null
})

/** The saga of a task. */
export const sagaOf = (context: TaskContext): Saga =>
  find(context.task.type)?.saga(context) ?? unknown(context.task.type)

export const recoveryOf = (type: TaskType): Recovery => find(type)?.recovery ?? {}

/** The failed tasks that are retained until an operator, or a later task, reconciles them. */
export const UNRECONCILED: ReadonlyArray<UnreconciledRule> = OPERATION_TYPES.flatMap((type) => {
  const { lifecycles, unreconciled } = recoveryOf(type)
  if (unreconciled === undefined) return []
  return [{ type, ofRequests: !isInstanceOperation(type), lifecycles, supersededBy: unreconciled.supersededBy ?? [] }]
})
