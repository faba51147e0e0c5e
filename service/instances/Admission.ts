/** The checks that purchases and operations on an instance share: ownership, no open task, state, and the charge. */
import * as Effect from "effect/Effect"
import type { Caller } from "../domain/Caller.ts"
import {
  AccountFrozen,
  AwaitsApproval,
  ChargeTooHigh,
  InstanceBusy,
  InstanceNotFound,
  InvalidState,
  NotForCategory
} from "../domain/Errors.ts"
import { type InstanceOperation, statusOf, verdict } from "../domain/InstanceMachine.ts"
import type { Charged, ChargeLimit } from "../domain/Money.ts"
import type { OperationType } from "@pulumi-vps/contract/OperationPower"
import { type Account, Accounts } from "../persistence/Accounts.ts"
import { isVirtual } from "../persistence/catalogue/Plan.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"

/** The caller's own instance. */
export const findOwn = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const found = yield* (yield* Instances).find(instanceId)
  const own = found !== undefined && found.accountId === caller.accountId && found.lifecycle !== "deleted"
  return own ? found : yield* new InstanceNotFound({ instanceId })
})

/** The caller's own virtual machine: dedicated ones have no snapshots and no backups, and cannot be resized. */
export const findOwnVirtual = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const instance = yield* findOwn(caller, instanceId)
  return isVirtual(instance.category) ? instance : yield* new NotForCategory({ category: instance.category })
})

/** The account of an instance, subscription or caller. */
export const ownerOf = Effect.fnUntraced(function*({ accountId }: { readonly accountId: number }) {
  const account = yield* (yield* Accounts).find(accountId)
  return account ?? (yield* Effect.die(new Error(`account ${accountId} is missing`)))
})

/** The precondition of anything that costs money. Fails with `AccountFrozen`. */
export const assertNotFrozen = ({ frozenReason: reason, id: accountId }: Account) =>
  reason === null ? Effect.void : Effect.fail(new AccountFrozen({ accountId, reason }))

/** The precondition of a charge. Fails with `ChargeTooHigh` unless the charge is allowed; without a limit, any is. */
export const assertAllowed = ({ charge, currency }: Charged, max: ChargeLimit | undefined) =>
  max === undefined || (currency === max.currency && charge <= max.amount)
    ? Effect.void
    : Effect.fail(new ChargeTooHigh({ charge, currency, max }))

/** The public status of an instance whose open task, if any, is not running yet. */
export const publicStatus = (instance: StoredInstance): string => statusOf(instance, false)

/** The nightly backup: the one task that other operations preempt. */
export const BACKUP: OperationType = "backup_create"

const invalid = (operation: InstanceOperation, instance: StoredInstance): InvalidState =>
  new InvalidState({
    operation,
    status: publicStatus(instance),
    reason: instance.suspendedReason,
    renewableUntil: instance.autoRenew ? instance.graceUntil : null,
    terminating: instance.terminateAt !== null
  })

/** Checks for an open task first, then the state. True when there is something to do, false when it holds already. */
export const admit = Effect.fnUntraced(function*(instance: StoredInstance, operation: InstanceOperation) {
  if (instance.task !== undefined && instance.task !== BACKUP) {
    return yield* instance.held ? new AwaitsApproval() : new InstanceBusy({ taskType: instance.task })
  }
  const allowed = verdict(operation, instance)
  if (allowed === "no") return yield* invalid(operation, instance)
  return allowed === "yes"
})
