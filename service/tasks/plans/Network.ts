/** Host name and reverse DNS. The caller waits for them; the worker repeats one only when a crash cut it off. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Instances, type StoredInstance } from "../../persistence/Instances.ts"
import { nothingToRecord, type Saga, SINGLE_ATTEMPT, type TaskContext } from "../../operations/Saga.ts"

/** Parameters of the tasks, as JSON text. */
const HostnameParams = Schema.fromJsonString(Schema.Struct({ hostname: Schema.String }))
const RdnsParams = Schema.fromJsonString(Schema.Struct({ ip: Schema.String, ptr: Schema.String }))

/** The other facts of a deployed machine stay as they are. */
const renamed = ({ os, providerData }: StoredInstance, hostname: string): string => {
  const known: unknown = providerData === null ? { os } : JSON.parse(providerData)
  return JSON.stringify({ ...known as Readonly<Record<string, unknown>>, hostname })
}

export const setHostname = ({ instance, task }: TaskContext): Saga => {
  const params = Schema.decodeEffect(HostnameParams)(task.params)
  return {
    retry: SINGLE_ATTEMPT,
    steps: Effect.map(params, ({ hostname }) => [{ type: "set_hostname", hostname }]),
    complete: Effect.fnUntraced(function*() {
      const { hostname } = yield* Effect.orDie(params)
      yield* (yield* Instances).setHostname(instance.id, hostname, renamed(instance, hostname))
    }),
    fail: nothingToRecord,
    compensation: null
  }
}

/** The upstream alone keeps PTR records. */
export const setRdns = ({ task }: TaskContext): Saga => ({
  retry: SINGLE_ATTEMPT,
  steps: Effect.map(Schema.decodeEffect(RdnsParams)(task.params), (params) => [{ type: "set_rdns", ...params }]),
  complete: () => Effect.void,
  fail: nothingToRecord,
  compensation: null
})
