/** Builds the machine that was ordered. A final failure refunds the order and terminates what was built. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { nextNight } from "../domain/Night.ts"
import { refund } from "../ledger/Ledger.ts"
import { Backups } from "../persistence/Backups.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { isVirtual } from "../persistence/catalogue/Plan.ts"
import { Coupons } from "../persistence/Coupons.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { Orders } from "../persistence/Orders.ts"
import { type Machine, type NewMachine, Rejected } from "../provisioning/Driver.ts"
import { hostnameOf, providerDataOf, rootPassword } from "./InstalledSystem.ts"
import { define, type OperationContext } from "./Operation.ts"
import { Terminate } from "./Terminate.ts"

const Params = Schema.Struct({ ssh_pubkey: Schema.NullOr(Schema.String) })

const newMachine = Effect.fnUntraced(function*({ instance, params, task }: OperationContext<typeof Params.Type>) {
  const catalogue = yield* Catalogue
  const plan = yield* catalogue.plan(instance.planId)
  const dataCentre = plan === undefined ? undefined : yield* catalogue.dataCentre(plan.dataCentreId)
  if (plan === undefined || dataCentre === undefined) return yield* new Rejected({ reason: "the plan does not exist" })
  return {
    type: "provision",
    hostname: hostnameOf(instance),
    os: instance.os,
    plan: plan.slug,
    specs: plan.specs,
    dataCentre: dataCentre.label,
    sshPublicKey: params.ssh_pubkey,
    rootPassword: yield* rootPassword(task)
  } satisfies NewMachine
})

const recordDeployed = (instance: StoredInstance, machine: Machine | null) =>
  machine === null
    ? Effect.die(new Error(`instance ${instance.id} was provisioned without a machine`))
    : Effect.flatMap(Instances, (instances) =>
      instances.setDeployed(instance.id, {
        providerId: machine.providerId,
        ipv4: machine.ipv4,
        ipv6: machine.ipv6,
        providerData: providerDataOf(instance.os, machine)
      }))

/** Virtual machines have a backup every night from the next one on. */
const scheduleBackup = ({ category, id }: StoredInstance, at: number) =>
  Effect.flatMap(Backups, ({ schedule }) => schedule(id, isVirtual(category) ? nextNight(at, id) : null))

export const Provision = define({
  type: "provision",
  params: Params,
  retry: "persistent",
  execute: (context) => Effect.map(newMachine(context), (machine) => [machine]),
  complete: ({ instance }, { machine }, at) =>
    Effect.andThen(recordDeployed(instance, machine), scheduleBackup(instance, at)),
  refund: Effect.fnUntraced(function*({ instance: { id, orderId } }, at) {
    yield* (yield* Instances).setLifecycle(id, "failed")
    if (!(yield* (yield* Orders).markRefunded(orderId))) return
    yield* refund({ orderId, at })
    yield* (yield* Coupons).release(orderId, at)
  }),
  compensation: { ...Terminate.task({}), after: "failure" }
})
