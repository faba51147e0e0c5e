/** Host name and reverse DNS: the caller waits for the upstream, which is asked once. */
import * as Effect from "effect/Effect"
import type { HostnameResult, RdnsResult } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InvalidField } from "../domain/Errors.ts"
import { isHostName, isPtrTarget } from "../domain/HostName.ts"
import { normalise } from "../domain/IpAddress.ts"
import { Limits } from "../config/Limits.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { admit, findOwn, openTask, publicStatus } from "./Admission.ts"
import { TaskRunner } from "./TaskRunner.ts"

type Action = "set_hostname" | "set_rdns"

interface Command {
  readonly caller: Caller
  readonly instanceId: number
  readonly type: Action
  /** JSON text. */
  readonly params: string
  /** What is wrong with the fields; asked once it is known whose instance it is. */
  readonly problem: (instance: StoredInstance) => InvalidField | undefined
}

/** Runs in one transaction: the task is the lock, and is in work from the start. */
const opened = Effect.fnUntraced(function*({ caller, instanceId, params, problem, type }: Command) {
  const instance = yield* findOwn(caller, instanceId)
  const wrong = problem(instance)
  if (wrong !== undefined) return yield* wrong
  yield* admit(instance, type)
  const taskId = yield* openTask(caller, instance, { type, params }, (yield* Limits).LEASE_MILLIS)
  return { taskId, status: publicStatus(instance) }
})

/** The upstream is asked once, and the caller waits. */
const perform = (command: Command) => Effect.flatMap(TaskRunner, (runner) => runner.runNow(opened(command)))

const NOT_A_HOST_NAME =
  "should be a host name: letters, digits and hyphens in labels of up to 63 characters, joined by dots"

/**
 * Sets the host name and waits until the upstream has done so. Fails with `InstanceNotFound`, `InvalidField`,
 * `InstanceBusy`, `InvalidState`, `UpstreamFailed` (then nothing has changed here) or `StorageUnavailable`.
 */
export const setHostname = Effect.fnUntraced(function*(caller: Caller, instanceId: number, hostname: string) {
  const { status, taskId } = yield* perform({
    caller,
    instanceId,
    type: "set_hostname",
    params: JSON.stringify({ hostname }),
    problem: () => isHostName(hostname) ? undefined : new InvalidField({ field: "hostname", problem: NOT_A_HOST_NAME })
  })
  return { ok: true, action: "set_hostname", status, task_id: taskId, hostname } satisfies HostnameResult
})

const rdnsProblem = (ip: string, ptr: string) => (instance: StoredInstance): InvalidField | undefined => {
  const address = normalise(ip)
  if (address === undefined) return new InvalidField({ field: "ip", problem: "should be an IPv4 or IPv6 address" })
  const own = [instance.ipv4, instance.ipv6].some((each) => each !== null && normalise(each) === address)
  if (!own) return new InvalidField({ field: "ip", problem: "should be an address of this instance" })
  return isPtrTarget(ptr) ? undefined : new InvalidField({ field: "ptr", problem: NOT_A_HOST_NAME })
}

/** Sets the PTR record of one of the instance's addresses, and waits. Fails like `setHostname`. */
export const setRdns = Effect.fnUntraced(function*(caller: Caller, instanceId: number, ip: string, ptr: string) {
  const address = normalise(ip) ?? ip
  const { status, taskId } = yield* perform({
    caller,
    instanceId,
    type: "set_rdns",
    params: JSON.stringify({ ip: address, ptr }),
    problem: rdnsProblem(ip, ptr)
  })
  return { ok: true, action: "set_rdns", status, task_id: taskId, ip: address, ptr } satisfies RdnsResult
})
