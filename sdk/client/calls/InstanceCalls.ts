/** The calls of `instances`, and the waits that begin with one of them. */
import type {
  ActionResult,
  CreateInstance,
  DryRun,
  HostnameResult,
  Instance,
  RdnsResult,
  Reinstall,
  ResetPasswordResult,
  Resize,
  ResizeResult
} from "#contract/Instance"
import type { LiveStatus } from "#contract/Monitoring"
import * as Effect from "effect/Effect"
import { DecodeError, withInstance } from "../errors/Errors.ts"
import type { CallOptions, CreateAndWaitOptions, CreateOptions, IdleProgress, WaitOptions } from "../options/Options.ts"
import type { ApiResponse } from "../chain/Request.ts"
import { idle, waitForIdle } from "../wait/IdleGoal.ts"
import { condition, deployed, isDeployed, isUnrecoverable, provisioningFailed } from "../wait/InstanceGoal.ts"
import type { PollScheduler } from "../wait/PollScheduler.ts"
import { problemWithWait, waitFor } from "../wait/Wait.ts"
import { monitoringCalls } from "./Calls.ts"
import { type Call, type Caller, one, type Wait } from "./Caller.ts"

export const instanceCalls = (call: Caller, turns: PollScheduler) => {
  const { status } = monitoringCalls(call)
  const get = (id: number, options?: CallOptions) => call<Instance>("instances.get", one(id), options)
  return {
    list: (options?: CallOptions) => call<ReadonlyArray<Instance>>("instances.list", {}, options),
    get,
    ...purchaseCalls(call, get, turns),
    waitUntilDeployed: (id: number, options: WaitOptions = {}): Wait<Instance> =>
      waitFor(deployed({ id }, get), turns, options),
    waitUntil: (id: number, until: (instance: Instance) => boolean, options: WaitOptions = {}): Wait<Instance> =>
      waitFor(condition(id, until, get), turns, options),
    waitUntilIdle: (id: number, options: WaitOptions<IdleProgress> = {}): Wait<LiveStatus> =>
      waitForIdle(idle(id, status), turns, options),
    reinstall: (id: number, body: Reinstall, options?: CallOptions) =>
      call<ActionResult>("instances.reinstall", { ...one(id), body }, options),
    resetPassword: (id: number, options?: CallOptions) =>
      call<ResetPasswordResult>("instances.reset_password", one(id), options),
    hostname: (id: number, body: { readonly hostname: string }, options?: CallOptions) =>
      call<HostnameResult>("instances.hostname", { ...one(id), body }, options),
    rdns: (id: number, body: { readonly ip: string; readonly ptr: string }, options?: CallOptions) =>
      call<RdnsResult>("instances.rdns", { ...one(id), body }, options),
    resize: (id: number, body: Resize, options?: CallOptions) =>
      call<ResizeResult>("instances.resize", { ...one(id), body }, options)
  }
}

type Get = (id: number, options?: CallOptions) => Call<Instance>

const purchaseCalls = (call: Caller, get: Get, turns: PollScheduler) => {
  const create = (body: CreateInstance, options?: CreateOptions) =>
    Effect.flatMap(
      call<Instance>("instances.create", { body }, options),
      (answer) => Number.isSafeInteger(answer.data.id) ? Effect.succeed(answer) : Effect.fail(notAnInstance(answer))
    )
  return {
    create,
    dryRun: (body: CreateInstance, options?: CreateOptions) =>
      Effect.flatMap(
        call<DryRun>("instances.dry_run", { query: { dry_run: true }, body }, options),
        (answer) => answer.data.dry_run === true ? Effect.succeed(answer) : Effect.fail(notADryRun(answer))
      ),
    createAndWait: (body: CreateInstance, options: CreateAndWaitOptions = {}): Wait<Instance> => {
      const problem = problemWithWait(options)
      if (problem !== undefined) return Effect.fail(problem)
      return Effect.flatMap(create(body, options), (created) => afterCreate(created, get, turns, options))
    }
  }
}

/** The answer keeps the response of the create: its status, and whether it was a replay. */
const afterCreate = (
  created: ApiResponse<Instance>,
  get: Get,
  turns: PollScheduler,
  options: WaitOptions
): Wait<Instance> => {
  const { data: instance, response: { idempotencyKey } } = created
  if (isUnrecoverable(instance)) {
    return Effect.fail(withInstance(provisioningFailed(instance), instance.id, instance, idempotencyKey))
  }
  if (isDeployed(instance)) return Effect.succeed(created)
  const expected = { id: instance.id, instance, idempotencyKey }
  return Effect.map(
    waitFor(deployed(expected, get), turns, options),
    ({ data }) => ({ data, response: created.response })
  )
}

const decodeError = (answer: ApiResponse<unknown>, problem: string): DecodeError =>
  new DecodeError(answer.response.status, problem, { method: "POST", path: "/instances", ...answer.response })

const notAnInstance = (answer: ApiResponse<unknown>): DecodeError =>
  decodeError(answer, "the host accepted the create and answered no instance id")

const notADryRun = (answer: ApiResponse<unknown>): DecodeError =>
  decodeError(answer, "the host did not answer a dry run; look whether it has bought an instance")
