/** Reverse DNS. The caller waits; only the upstream stores PTR records. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RdnsResult } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InvalidField } from "../domain/Errors.ts"
import { HOST_NAME_PROBLEM, isPtrTarget } from "../domain/HostName.ts"
import { normalize } from "../domain/IpAddress.ts"
import { admit, findOwn, publicStatus } from "../instances/Admission.ts"
import { TaskRunner } from "../instances/TaskRunner.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { openLeased } from "./Enqueue.ts"
import { define } from "./Operation.ts"

export const SetRdns = define({
  type: "set_rdns",
  params: Schema.Struct({ ip: Schema.String, ptr: Schema.String }),
  retry: "single",
  execute: ({ params }) => Effect.succeed([{ type: "set_rdns", ...params }])
})

const problemOf = (instance: StoredInstance, ip: string, ptr: string): InvalidField | undefined => {
  const address = normalize(ip)
  if (address === undefined) return new InvalidField({ field: "ip", problem: "should be an IPv4 or IPv6 address" })
  const own = [instance.ipv4, instance.ipv6].some((each) => each !== null && normalize(each) === address)
  if (!own) return new InvalidField({ field: "ip", problem: "should be an address of this instance" })
  return isPtrTarget(ptr) ? undefined : new InvalidField({ field: "ptr", problem: HOST_NAME_PROBLEM })
}

/** Runs in one transaction: the task is the lock, and starts out running. */
const open = Effect.fnUntraced(function*(caller: Caller, instanceId: number, ip: string, ptr: string) {
  const instance = yield* findOwn(caller, instanceId)
  const problem = problemOf(instance, ip, ptr)
  if (problem !== undefined) return yield* problem
  yield* admit(instance, "set_rdns")
  const taskId = yield* openLeased(caller, instance, SetRdns.task({ ip, ptr }))
  return { taskId, status: publicStatus(instance) }
})

/** Sets the PTR record of one of the instance's addresses, and waits. Fails like `setHostname`. */
export const setRdns = Effect.fnUntraced(function*(caller: Caller, instanceId: number, ip: string, ptr: string) {
  const address = normalize(ip) ?? ip
  const { status, taskId } = yield* (yield* TaskRunner).runNow(open(caller, instanceId, address, ptr))
  return { ok: true, action: "set_rdns", status, task_id: taskId, ip: address, ptr } satisfies RdnsResult
})
