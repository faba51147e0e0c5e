/** The goals of waits that look at an instance's record. */
import * as Effect from "effect/Effect"
import type { Instance } from "../Records.ts"
import type { Call } from "../chain/Handler.ts"
import { CallbackError, ProvisioningFailedError } from "../errors/Errors.ts"
import type { CallOptions, WaitProgress } from "../options/Options.ts"
import type { Goal } from "./Wait.ts"

/** Deployed means reachable. */
export const isDeployed = (instance: Instance): boolean => Boolean(instance.provider_id) && Boolean(instance.ipv4)

/** True if the instance can no longer be deployed. */
export const isUnrecoverable = (instance: Instance): boolean =>
  instance.status === "failed" || instance.status === "deleted"

export const provisioningFailed = (instance: Instance): ProvisioningFailedError =>
  new ProvisioningFailedError(instance.id, instance.status, {})

type Get = (id: number, options?: CallOptions) => Call<Instance>

/** The instance that a wait is for. */
export interface Subject {
  readonly id: number
  readonly instance?: Instance | undefined
  readonly idempotencyKey?: string | undefined
}

const instanceGoal = (subject: Subject, get: Get) => ({
  ...subject,
  poll: (options: CallOptions) => get(subject.id, options),
  fromList: (instance: Instance) => instance,
  isSufficient: () => true,
  progress: (instance: Instance) => ({ instance }),
  instanceOf: (instance: Instance) => instance
})

export const deployed = (subject: Subject, get: Get): Goal<Instance, WaitProgress> => ({
  ...instanceGoal(subject, get),
  target: "deployed",
  resume: "waitUntilDeployed",
  isReached: (instance) =>
    isUnrecoverable(instance) ? Effect.fail(provisioningFailed(instance)) : Effect.succeed(isDeployed(instance))
})

export const condition = (
  id: number,
  until: (instance: Instance) => boolean,
  get: Get
): Goal<Instance, WaitProgress> => ({
  ...instanceGoal({ id }, get),
  target: "in the expected state",
  resume: "waitUntil",
  isReached: (instance) =>
    Effect.try({
      try: () => until(instance),
      catch: (cause) => new CallbackError("The condition threw, which ended the wait", { cause })
    })
})
