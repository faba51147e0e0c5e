/** A new system on the machine's disk. What was on it is lost; its name and addresses stay. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Instances } from "../../persistence/Instances.ts"
import type { Operation } from "../../provisioning/Driver.ts"
import { DEFAULT_BUDGET, nothingToRecord, type Saga, type TaskContext } from "../../operations/Saga.ts"
import { hostnameOf, installed, rootPassword } from "./System.ts"

const Params = Schema.fromJsonString(Schema.Struct({ os: Schema.String, ssh_pubkey: Schema.NullOr(Schema.String) }))

export const reinstall = ({ instance, task }: TaskContext): Saga => {
  const params = Schema.decodeEffect(Params)(task.params)
  return {
    retry: DEFAULT_BUDGET,
    steps: Effect.gen(function*() {
      const { os, ssh_pubkey: sshPublicKey } = yield* params
      const hostname = hostnameOf(instance)
      const password = yield* rootPassword(task)
      return [{ type: "reinstall", hostname, os, sshPublicKey, rootPassword: password } satisfies Operation]
    }),
    complete: Effect.fnUntraced(function*({ machine }) {
      const { os } = yield* Effect.orDie(params)
      yield* installed(instance, os, machine)
      yield* (yield* Instances).setBootMode(instance.id, "disk")
    }),
    fail: nothingToRecord,
    compensation: null
  }
}
