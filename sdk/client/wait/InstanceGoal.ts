/** Waiting for an instance's record to be as wanted. */
import type { Instance } from "#contract/Instance"
import * as Effect from "effect/Effect"
import type { Call } from "../calls/Caller.ts"
import { CallbackError, ProvisioningFailedError } from "../errors/Errors.ts"
import type { CallOptions, WaitProgress } from "../options/Options.ts"
import type { Goal } from "./Wait.ts"

/** Deployed means that it can be reached. */
export const isDeployed = (instance: Instance): boolean => Boolean(instance.provider_id) && Boolean(instance.ipv4)

/** No look will ever find these deployed. */
export const isUnrecoverable = (instance: Instance): boolean =>
  instance.status === "failed" || instance.status === "deleted"

export const provisioningFailed = (instance: Instance): ProvisioningFailedError =>
  new ProvisioningFailedError(instance.id, instance.status, {})

type Get = (id: number, options?: CallOptions) => Call<Instance>

/** A record of which something is expected. */
export interface Expected {
  readonly id: number
  readonly instance?: Instance | undefined
  readonly idempotencyKey?: string | undefined
}

const record = (expected: Expected, get: Get) => ({
  ...expected,
  look: (options: CallOptions) => get(expected.id, options),
  listed: (instance: Instance) => instance,
  enough: () => true,
  show: (instance: Instance) => ({ instance }),
  instanceIn: (instance: Instance) => instance
})

export const deployed = (expected: Expected, get: Get): Goal<Instance, WaitProgress> => ({
  ...record(expected, get),
  wanted: "deployed",
  resume: "waitUntilDeployed",
  reached: (instance) =>
    isUnrecoverable(instance) ? Effect.fail(provisioningFailed(instance)) : Effect.succeed(isDeployed(instance))
})

export const condition = (
  id: number,
  until: (instance: Instance) => boolean,
  get: Get
): Goal<Instance, WaitProgress> => ({
  ...record({ id }, get),
  wanted: "as wanted",
  resume: "waitUntil",
  reached: (instance) =>
    Effect.try({
      try: () => until(instance),
      catch: (cause) => new CallbackError("The condition threw, which ended the wait", { cause })
    })
})
