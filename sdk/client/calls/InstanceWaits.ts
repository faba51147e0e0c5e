import * as Effect from "effect/Effect"
import type { CreateInstance, Instance, LiveStatus } from "../Records.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import type { WaitCall } from "../chain/Handler.ts"
import { withInstance } from "../errors/Errors.ts"
import type { CreateAndWaitOptions, IdleProgress, WaitOptions } from "../options/Options.ts"
import { idle, waitForIdle } from "../wait/IdleGoal.ts"
import { condition, deployed, isDeployed, isUnrecoverable, provisioningFailed } from "../wait/InstanceGoal.ts"
import type { PollScheduler } from "../wait/PollScheduler.ts"
import { problemWithWait, waitFor } from "../wait/Wait.ts"
import type { Calls } from "./Endpoint.ts"
import type { instances } from "./Instances.ts"
import type { monitoring } from "./Monitoring.ts"

/** The calls of `instances` that poll until an instance has reached a state. */
export const instanceWaits = (
  { create, get }: Calls<typeof instances>,
  { status }: Calls<typeof monitoring>,
  scheduler: PollScheduler
) => ({
  /**
   * Buys an instance and waits until it is deployed, that is, until it has `provider_id` and `ipv4`.
   * An error after the purchase carries `instanceId` and `idempotencyKey`; `waitUntilDeployed` continues the wait.
   * `withResponse()` returns the response of the create.
   *
   * @example
   * const instance = await vps.instances.createAndWait({ service_id: 1, os: "debian-12" }, {
   *   onProgress: ({ instance, elapsed }) => console.log(instance.status, elapsed)
   * })
   * console.log(instance.ipv4)
   */
  createAndWait: (body: CreateInstance, options: CreateAndWaitOptions = {}): WaitCall<Instance> => {
    const problem = problemWithWait(options)
    if (problem !== undefined) return Effect.fail(problem)
    return Effect.flatMap(create(body, options), (created) => waitForCreated(created, get, scheduler, options))
  },

  ...recordWaits(get, scheduler),

  /**
   * Waits until the instance has no open task and its status is no longer changing. An unknown status counts as
   * changing. Returns the live status, which may be `running`, `stopped` or `failed`: check which one it is.
   *
   * @example
   * await vps.power.stop(42)
   * await vps.instances.waitUntilIdle(42, { waitTimeout: 120_000 })
   */
  waitUntilIdle: (id: number, options: WaitOptions<IdleProgress> = {}): WaitCall<LiveStatus> =>
    waitForIdle(idle(id, status), scheduler, options)
})

type Get = Calls<typeof instances>["get"]

/** The waits that look at the record of an instance. */
const recordWaits = (get: Get, scheduler: PollScheduler) => ({
  /**
   * Waits until an instance is deployed. Polls immediately, again after 1 s, and then at intervals that grow to 10 s.
   * Fails with `ProvisioningFailedError` if the instance can no longer be deployed, and with `WaitTimeoutError` after
   * 10 minutes by default.
   *
   * @example
   * const { id } = await vps.instances.create({ service_id: 1 })
   * const { ipv4 } = await vps.instances.waitUntilDeployed(id, { waitTimeout: 300_000 })
   * console.log(ipv4)
   */
  waitUntilDeployed: (id: number, options: WaitOptions = {}): WaitCall<Instance> =>
    waitFor(deployed({ id }, get), scheduler, options),

  /**
   * Waits until `until` returns `true` for the instance. Polls like `waitUntilDeployed`. If `until` throws, the wait
   * fails with a `CallbackError`.
   *
   * @example
   * await vps.instances.waitUntil(42, ({ status }) => status === "stopped")
   */
  waitUntil: (id: number, until: (instance: Instance) => boolean, options: WaitOptions = {}): WaitCall<Instance> =>
    waitFor(condition(id, until, get), scheduler, options)
})

const waitForCreated = (
  { data: instance, response }: ApiResponse<Instance>,
  get: Get,
  scheduler: PollScheduler,
  options: WaitOptions
): WaitCall<Instance> => {
  const { idempotencyKey } = response
  if (isUnrecoverable(instance)) {
    return Effect.fail(withInstance(provisioningFailed(instance), instance.id, instance, idempotencyKey))
  }
  if (isDeployed(instance)) return Effect.succeed({ data: instance, response })
  const goal = deployed({ id: instance.id, instance, idempotencyKey }, get)
  return Effect.map(waitFor(goal, scheduler, options), ({ data }) => ({ data, response }))
}
