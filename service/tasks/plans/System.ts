/** What is installed on a machine: passwords that wait encrypted, and what customers see of it. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Instances, type StoredInstance } from "../../persistence/Instances.ts"
import type { Task } from "../../persistence/tasks/Task.ts"
import { type Machine, Rejected } from "../../provisioning/Driver.ts"
import { Secret } from "../../Secret.ts"

/** What an order left encrypted, as JSON text. */
const Sealed = Schema.fromJsonString(Schema.Struct({ root_password: Schema.String }))

/** The name of a machine that the customer gave none. */
export const hostnameOf = ({ hostname, id }: StoredInstance): string => hostname ?? `vps-${id}`

/** JSON text of what the customer sees of a deployed machine. */
export const providerDataOf = (os: string, machine: Machine): string =>
  JSON.stringify({ hostname: machine.hostname, os, node: machine.node, ipv6: machine.ipv6 })

/** The password that waits encrypted for its task; null when the driver is to make one up. */
export const rootPassword = Effect.fnUntraced(function*({ sealed }: Task) {
  if (sealed === null) return null
  const secret = yield* Secret
  const opened = yield* Effect.try({
    try: () => secret.open(sealed),
    catch: () => new Rejected({ reason: "the root password cannot be decrypted" })
  })
  return Redacted.make((yield* Schema.decodeEffect(Sealed)(opened)).root_password)
})

/** Records what a machine runs from now on. */
export const installed = Effect.fnUntraced(function*({ id }: StoredInstance, os: string, machine: Machine | null) {
  if (machine === null) return yield* Effect.die(new Error(`instance ${id} has a new system but no machine`))
  const instances = yield* Instances
  yield* instances.setSystem(id, { os, hostname: machine.hostname, providerData: providerDataOf(os, machine) })
  yield* instances.setPower(id, machine.power)
})
