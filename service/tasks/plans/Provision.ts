/** Builds the machine that was ordered. Fails for good: the money goes back, and what was built is taken down. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { refund } from "../../ledger/Ledger.ts"
import { Coupons } from "../../persistence/Coupons.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import { Instances, type StoredInstance } from "../../persistence/Instances.ts"
import { Orders } from "../../persistence/Orders.ts"
import type { Task } from "../../persistence/Tasks.ts"
import { type Machine, type NewMachine, Rejected } from "../../provisioning/Driver.ts"
import { Secret } from "../../Secret.ts"
import { type Job, PAID, type Plan } from "../Plan.ts"

/** What the order left for this task, as JSON text. */
const Params = Schema.fromJsonString(Schema.Struct({ ssh_pubkey: Schema.NullOr(Schema.String) }))

/** What it left encrypted. */
const Sealed = Schema.fromJsonString(Schema.Struct({ root_password: Schema.String }))

/** The name of a machine that the customer gave none. */
const hostnameOf = ({ hostname, id }: StoredInstance): string => hostname ?? `vps-${id}`

/** JSON text of what the customer sees of a deployed machine. */
const providerDataOf = (instance: StoredInstance, machine: Machine): string =>
  JSON.stringify({ hostname: machine.hostname, os: instance.os, node: machine.node, ipv6: machine.ipv6 })

const rootPassword = Effect.fnUntraced(function*({ sealed }: Task) {
  if (sealed === null) return null
  const secret = yield* Secret
  const opened = yield* Effect.try({
    try: () => secret.open(sealed),
    catch: () => new Rejected({ reason: "the root password cannot be decrypted" })
  })
  return Redacted.make((yield* Schema.decodeEffect(Sealed)(opened)).root_password)
})

const newMachine = Effect.fnUntraced(function*({ instance, task }: Job) {
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
        providerData: providerDataOf(instance, machine)
      }))

const refunded = Effect.fnUntraced(function*({ id, orderId }: StoredInstance, at: number) {
  yield* (yield* Instances).setLifecycle(id, "failed")
  if (!(yield* (yield* Orders).markRefunded(orderId))) return
  yield* refund({ orderId, at })
  yield* (yield* Coupons).release(orderId, at)
})

export const provision = (job: Job): Plan => ({
  patience: PAID,
  steps: Effect.map(newMachine(job), (machine) => [machine]),
  complete: ({ machine }) => deployed(job.instance, machine),
  fail: (at) => refunded(job.instance, at),
  undo: { type: "terminate", params: "{}", after: "failure" }
})
