/** Builds the machine that was ordered. Fails for good: the money goes back, and what was built is taken down. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { nextNight } from "../../domain/Night.ts"
import { refund } from "../../ledger/Ledger.ts"
import { Backups } from "../../persistence/Backups.ts"
import { Catalogue, isVirtual } from "../../persistence/Catalogue.ts"
import { Coupons } from "../../persistence/Coupons.ts"
import { Instances, type StoredInstance } from "../../persistence/Instances.ts"
import { Orders } from "../../persistence/Orders.ts"
import { type Machine, type NewMachine, Rejected } from "../../provisioning/Driver.ts"
import { PAID_BUDGET, type Saga, type TaskContext } from "../../operations/Saga.ts"
import { hostnameOf, providerDataOf, rootPassword } from "./System.ts"

/** What the order left for this task, as JSON text. */
const Params = Schema.fromJsonString(Schema.Struct({ ssh_pubkey: Schema.NullOr(Schema.String) }))

const newMachine = Effect.fnUntraced(function*({ instance, task }: TaskContext) {
  const catalogue = yield* Catalogue
  const plan = yield* catalogue.plan(instance.planId)
  const dataCentre = plan === undefined ? undefined : yield* catalogue.dataCentre(plan.dataCentreId)
  if (plan === undefined || dataCentre === undefined) return yield* new Rejected({ reason: "the plan is gone" })
  const params = yield* Schema.decodeEffect(Params)(task.params)
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

const deployed = (instance: StoredInstance, machine: Machine | null) =>
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
const scheduled = ({ category, id }: StoredInstance, at: number) =>
  Effect.flatMap(Backups, ({ schedule }) => schedule(id, isVirtual(category) ? nextNight(at, id) : null))

const refunded = Effect.fnUntraced(function*({ id, orderId }: StoredInstance, at: number) {
  yield* (yield* Instances).setLifecycle(id, "failed")
  if (!(yield* (yield* Orders).markRefunded(orderId))) return
  yield* refund({ orderId, at })
  yield* (yield* Coupons).release(orderId, at)
})

export const provision = (job: TaskContext): Saga => ({
  retry: PAID_BUDGET,
  steps: Effect.map(newMachine(job), (machine) => [machine]),
  complete: ({ machine }, at) => Effect.andThen(deployed(job.instance, machine), scheduled(job.instance, at)),
  fail: (at) => refunded(job.instance, at),
  compensation: { type: "terminate", params: "{}", after: "failure" }
})
