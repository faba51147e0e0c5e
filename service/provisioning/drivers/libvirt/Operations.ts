/** Each supported operation with its steps. */
import * as Effect from "effect/Effect"
import { type Fault, type Operation, type OperationOf, type OperationType, Rejected } from "../../Driver.ts"
import { DISKS } from "./operations/Disks.ts"
import { GUEST } from "./operations/Guest.ts"
import { POWER } from "./operations/Power.ts"
import { SYSTEMS } from "./operations/Systems.ts"
import type { CallFault } from "./HostConnection.ts"
import type { Continue, Outcome, Work } from "./Work.ts"

const STEPS = { ...SYSTEMS, ...POWER, ...DISKS, ...GUEST } satisfies {
  readonly [T in Exclude<OperationType, "terminate" | "set_rdns" | "move">]: Continue<OperationOf<T>>
}

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
