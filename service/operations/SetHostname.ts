/** The hostname. The caller waits; the worker repeats a task only after a crash. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HostnameResult } from "@pulumi-vps/contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InvalidField } from "../domain/Errors.ts"
import { HOST_NAME_PROBLEM, isHostName } from "../domain/HostName.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { define } from "./Operation.ts"
import { runNow } from "./Enqueue.ts"

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
  complete: Effect.fnUntraced(function*({ instance, params: { hostname } }, { done: [renaming] }) {
    if (renaming === undefined) return
    yield* (yield* Instances).setHostname(instance.id, hostname, renamed(instance, hostname))
  }),
  settle: {
    left: "the machine may have another host name than our record",
    supersededBy: ["set_hostname", "reinstall"]
  }
})

const validateHostname = (hostname: string) =>
  isHostName(hostname) ? Effect.void : Effect.fail(new InvalidField({ field: "hostname", problem: HOST_NAME_PROBLEM }))

/** Sets the host name and waits until the upstream has done so. Fails like `runNow`, or with `InvalidField`. */
export const setHostname = Effect.fnUntraced(function*(caller: Caller, instanceId: number, hostname: string) {
  const task = SetHostname.task({ hostname })
  const { status, taskId } = yield* runNow({ caller, instanceId, task, validate: () => validateHostname(hostname) })
  return { ok: true, action: "set_hostname", status, task_id: taskId, hostname } satisfies HostnameResult
})
