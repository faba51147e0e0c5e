/** The requests whose caller waits: checked, then executed in one attempt by a task that is the lock meanwhile. */
import * as Effect from "effect/Effect"
import type { Caller } from "../domain/Caller.ts"
import type { InstanceOperation } from "../domain/InstanceMachine.ts"
import { admit, findOwn, publicStatus } from "../instances/Admission.ts"
import { type RunOptions, TaskRunner } from "../instances/TaskRunner.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { openLeased } from "./Enqueue.ts"
import type { EncodedTask } from "./Saga.ts"

interface Request<E, R> extends RunOptions {
  readonly caller: Caller
  readonly instanceId: number
  readonly task: EncodedTask & { readonly type: InstanceOperation }
  /** Checks what the fields mean for the instance, before its state is checked. */
  readonly validate?: (instance: StoredInstance) => Effect.Effect<void, E, R>
}

/** Runs in one transaction. Opens no task if the requested state holds already. */
const open = Effect.fnUntraced(function*<E, R>({ caller, instanceId, task, validate }: Request<E, R>) {
  const instance = yield* findOwn(caller, instanceId)
  if (validate !== undefined) yield* validate(instance)
  const taskId = (yield* admit(instance, task.type)) ? yield* openLeased(caller, instance, task) : null
  return { instance, status: publicStatus(instance), taskId }
})

/**
 * Executes a task and waits for it. Fails with `InstanceNotFound`, what `validate` fails with, `InstanceBusy`,
 * `InvalidState`, `UpstreamFailed` or `StorageUnavailable`.
 */
export const runNow = <E = never, R = never>(request: Request<E, R>) =>
  Effect.flatMap(TaskRunner, (runner) => runner.runNow(open(request), request))
