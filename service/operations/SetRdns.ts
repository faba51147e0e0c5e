/**
 * Reverse DNS. The caller waits; the worker repeats a task only after a crash. Only the upstream stores PTR records.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RdnsResult } from "@pulumi-vps/contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InvalidField } from "../domain/Errors.ts"
import { HOST_NAME_PROBLEM, isPtrTarget } from "../domain/HostName.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { define } from "./Operation.ts"
import { runNow } from "./Enqueue.ts"
import { normalize } from "../domain/IpAddress.ts"

export const SetRdns = define({
  type: "set_rdns",
  params: Schema.Struct({ ip: Schema.String, ptr: Schema.String }),
  retry: "single",
  execute: ({ params: { ip, ptr } }) => Effect.succeed([{ type: "set_rdns", ip, ptr }]),
  settle: { left: "the address may have another PTR record than requested", supersededBy: ["set_rdns"] }
})

const validate = Effect.fnUntraced(function*(instance: StoredInstance, ip: string, ptr: string) {
  const address = normalize(ip)
  if (address === undefined) {
    return yield* new InvalidField({ field: "ip", problem: "should be an IPv4 or IPv6 address" })
  }
  const own = [instance.ipv4, instance.ipv6].some((each) => each !== null && normalize(each) === address)
  if (!own) return yield* new InvalidField({ field: "ip", problem: "should be an address of this instance" })
  if (!isPtrTarget(ptr)) return yield* new InvalidField({ field: "ptr", problem: HOST_NAME_PROBLEM })
})

/** Sets the PTR record of one of the instance's addresses, and waits. Fails like `runNow`, or with `InvalidField`. */
export const setRdns = Effect.fnUntraced(function*(caller: Caller, instanceId: number, given: string, ptr: string) {
  const ip = normalize(given) ?? given
  const { status, taskId } = yield* runNow({
    caller,
    instanceId,
    task: SetRdns.task({ ip, ptr }),
    validate: (instance) => validate(instance, ip, ptr)
  })
  return { ok: true, action: "set_rdns", status, task_id: taskId, ip, ptr } satisfies RdnsResult
})
