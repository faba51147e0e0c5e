/** The host name. The caller waits; the worker repeats the task only after a crash. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HostnameResult } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InvalidField } from "../domain/Errors.ts"
import { HOST_NAME_PROBLEM, isHostName } from "../domain/HostName.ts"
import { admit, findOwn, publicStatus } from "../instances/Admission.ts"
import { TaskRunner } from "../instances/TaskRunner.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { openLeased } from "./Enqueue.ts"
import { define } from "./Operation.ts"

/** The other facts about a deployed machine stay as they are. */
const renamed = ({ os, providerData }: StoredInstance, hostname: string): string => {
  const facts: unknown = providerData === null ? { os } : JSON.parse(providerData)
  return JSON.stringify({ ...facts as Readonly<Record<string, unknown>>, hostname })
}

export const SetHostname = define({
  type: "set_hostname",
  params: Schema.Struct({ hostname: Schema.String }),
  retry: "single",
  execute: ({ params: { hostname } }) => Effect.succeed([{ type: "set_hostname", hostname }]),
  complete: ({ instance, params: { hostname } }) =>
    Effect.flatMap(Instances, (instances) => instances.setHostname(instance.id, hostname, renamed(instance, hostname)))
})

/** Runs in one transaction: the task is the lock, and starts out running. */
const open = Effect.fnUntraced(function*(caller: Caller, instanceId: number, hostname: string) {
  const instance = yield* findOwn(caller, instanceId)
  if (!isHostName(hostname)) return yield* new InvalidField({ field: "hostname", problem: HOST_NAME_PROBLEM })
  yield* admit(instance, "set_hostname")
  const taskId = yield* openLeased(caller, instance, SetHostname.task({ hostname }))
  return { taskId, status: publicStatus(instance) }
})

/**
 * Sets the host name and waits until the upstream has done so. Fails with `InstanceNotFound`, `InvalidField`,
 * `InstanceBusy`, `InvalidState`, `UpstreamFailed` (then nothing has changed here) or `StorageUnavailable`.
 */
export const setHostname = Effect.fnUntraced(function*(caller: Caller, instanceId: number, hostname: string) {
  const { status, taskId } = yield* (yield* TaskRunner).runNow(open(caller, instanceId, hostname))
  return { ok: true, action: "set_hostname", status, task_id: taskId, hostname } satisfies HostnameResult
})
