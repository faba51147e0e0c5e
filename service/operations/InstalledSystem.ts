/** The system installed on a machine: its root password, stored encrypted until it is installed, and its record. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { type Machine, Rejected } from "../provisioning/Driver.ts"
import { Secret } from "../config/Secret.ts"

/** JSON text, encrypted in the task. */
const Sealed = Schema.fromJsonString(Schema.Struct({ root_password: Schema.String }))

/** The host name of a machine without one from the customer. */
export const hostnameOf = ({ hostname, id }: Pick<StoredInstance, "hostname" | "id">): string => hostname ?? `vps-${id}`

/** The facts about a deployed machine that customers see, as JSON text. */
export const providerDataOf = (os: string, machine: Machine): string =>
  JSON.stringify({ hostname: machine.hostname, os, node: machine.node, ipv6: machine.ipv6 })

/** The encrypted form that a task stores; null without a password. */
export const sealPassword = Effect.fnUntraced(function*(password: string | null | undefined) {
  if (typeof password !== "string") return null
  return (yield* Secret).seal(JSON.stringify({ root_password: password } satisfies typeof Sealed.Type))
})

/** The password that a task stores; null if the driver is to generate one. */
export const rootPassword = Effect.fnUntraced(function*({ sealed }: Task) {
  if (sealed === null) return null
  const secret = yield* Secret
  return yield* Effect.try(() => secret.open(sealed)).pipe(
    Effect.flatMap(Schema.decodeEffect(Sealed)),
    Effect.mapBoth({
      onFailure: () => new Rejected({ reason: "the root password cannot be decrypted" }),
      onSuccess: ({ root_password: password }) => Redacted.make(password)
    })
  )
})

/** Records the system that a machine runs from now on. */
export const recordSystem = Effect.fnUntraced(function*({ id }: StoredInstance, os: string, machine: Machine | null) {
  if (machine === null) return yield* Effect.die(new Error(`instance ${id} has a new system but no machine`))
  const instances = yield* Instances
  yield* instances.setSystem(id, { os, hostname: machine.hostname, providerData: providerDataOf(os, machine) })
})
