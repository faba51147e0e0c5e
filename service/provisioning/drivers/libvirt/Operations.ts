/** Each supported operation with its steps. */
import * as Effect from "effect/Effect"
import { type Fault, type Operation, type OperationType, Rejected } from "../../Driver.ts"
import { createImage, deleteImage, resize, restoreImage } from "./operations/Disks.ts"
import { resetPassword, setHostname } from "./operations/Guest.ts"
import { mountIso, restart, setBootMode, start, stop, unmountIso } from "./operations/Power.ts"
import { provision, reinstall } from "./operations/Systems.ts"
import type { CallFault } from "./Session.ts"
import type { Continue, Outcome, Work } from "./Work.ts"

/** The operations of a type; some types share a definition. */
type OperationOf<T, O = Operation> = O extends { readonly type: infer U } ? T extends U ? O : never : never

const STEPS = {
  provision,
  reinstall,
  start,
  stop,
  restart,
  rescue_enter: setBootMode("rescue"),
  rescue_exit: setBootMode("disk"),
  resize,
  reset_password: resetPassword,
  set_hostname: setHostname,
  snapshot_create: createImage,
  snapshot_restore: restoreImage,
  snapshot_delete: deleteImage,
  backup_create: createImage,
  backup_restore: restoreImage,
  backup_delete: deleteImage,
  iso_mount: mountIso,
  iso_unmount: unmountIso
} satisfies { readonly [T in Exclude<OperationType, "terminate" | "set_rdns" | "move">]: Continue<OperationOf<T>> }

/** Reverse DNS is not among them: no DNS server is connected. */
export const OPERATIONS: ReadonlySet<OperationType> = new Set<OperationType>([
  ...Object.keys(STEPS) as ReadonlyArray<keyof typeof STEPS>,
  "move",
  "terminate"
])

export const continueWith = (work: Work, operation: Operation): Effect.Effect<Outcome, Fault | CallFault> => {
  const step = (STEPS as Readonly<Partial<Record<OperationType, Continue<never>>>>)[operation.type]
  if (step === undefined) return Effect.fail(new Rejected({ reason: `libvirt does not support ${operation.type}` }))
  return step(work, operation as never)
}
