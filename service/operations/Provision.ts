/** Builds the machine that was ordered. A final failure refunds the order and terminates what was built. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Limits } from "../config/Limits.ts"
import { monthsAfter } from "../domain/Period.ts"
import { nextNight } from "../domain/BackupNight.ts"
import { refundOrder } from "../ledger/Refunds.ts"
import { mailDeploymentFailed } from "./ContractMails.ts"
import { reviveAll } from "./Renew.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { isVirtual } from "../persistence/catalogue/Plan.ts"
import { Coupons } from "../persistence/Coupons.ts"
import { IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { Orders } from "../persistence/Orders.ts"
import { type Machine, type OperationOf, Rejected } from "../provisioning/Driver.ts"
import { hostnameOf, providerDataOf, rootPassword } from "./InstalledSystem.ts"
import { define, type OperationContext } from "./Operation.ts"
import { Terminate } from "./Terminate.ts"

const Params = Schema.Struct({ ssh_pubkey: Schema.NullOr(Schema.String) })

const newMachine = Effect.fnUntraced(function*({ instance, params, task }: OperationContext<typeof Params.Type>) {
  const catalogue = yield* Catalogue
  const plan = yield* catalogue.sold(instance.soldId)
  const dataCenter = plan === undefined ? undefined : yield* catalogue.dataCenter(plan.dataCenterId)
  if (plan === undefined || dataCenter === undefined) return yield* new Rejected({ reason: "the plan does not exist" })
  return {
    type: "provision",
    hostname: hostnameOf(instance),
    os: instance.os,
    plan: plan.slug,
    specs: plan.specs,
    dataCenter: dataCenter.label,
    sshPublicKey: params.ssh_pubkey,
    rootPassword: yield* rootPassword(task)
  } satisfies OperationOf<"provision">
})

/** Virtual machines have a backup every night from the next one on. */
const recordDeployed = (instance: StoredInstance, machine: Machine | null, at: number) =>
  machine === null
    ? Effect.die(new Error(`instance ${instance.id} was provisioned without a machine`))
    : Effect.flatMap(Instances, (instances) =>
      instances.setDeployed(instance.id, {
        providerId: machine.providerId,
        ipv4: machine.ipv4,
        ipv6: machine.ipv6,
        providerData: providerDataOf(instance.os, machine),
        nextBackupAt: isVirtual(instance.category) ? nextNight(at, instance.id) : null
      }))

/** A deployment that took long, for example because it was held, begins the paid period at its end. */
const beginPeriod = Effect.fnUntraced(function*({ createdAt, id }: StoredInstance, at: number) {
  if (at - createdAt <= (yield* Limits).DEPLOYMENT_INCLUDED_MILLIS) return
  yield* (yield* Instances).subscriptions.begin(id, at, monthsAfter(at, 1))
})

export const Provision = define({
  type: "provision",
  params: Params,
  retry: "persistent",
  execute: (context) => Effect.map(newMachine(context), (machine) => [machine]),
  complete: Effect.fnUntraced(function*({ instance }, { machine }, at) {
    yield* recordDeployed(instance, machine, at)
    yield* beginPeriod(instance, at)
  }),
  refund: Effect.fnUntraced(function*({ instance: { accountId, id, orderId }, task }, at) {
    const { FAILED_KEY_RETENTION_MILLIS, FAILED_RETENTION_MILLIS } = yield* Limits
    yield* (yield* Instances).subscriptions.fail(id, at + FAILED_RETENTION_MILLIS)
    yield* (yield* IdempotencyKeys).expireAt(id, at + FAILED_KEY_RETENTION_MILLIS)
    const orders = yield* Orders
    if (!(yield* orders.markRefunded(orderId))) return
    const { charge } = (yield* orders.find(orderId))!
    if (yield* refundOrder({ orderId, at })) yield* reviveAll(accountId, at)
    yield* (yield* Coupons).release(orderId, at)
    // The rejection of an order that waited has a mail of its own.
    if (task.status !== "queued") yield* mailDeploymentFailed(id, charge, at)
  }),
  compensation: { ...Terminate.task({}), after: "failure" }
})
