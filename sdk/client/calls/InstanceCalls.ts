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
import * as Effect from "effect/Effect"
import { about, DecodeError } from "../Errors.ts"
import type { CallOptions, CreateAndWaitOptions, CreateOptions, WaitOptions } from "../Options.ts"
import type { Answer } from "../Request.ts"
import { isDeployed, isLost, lost, problemWithWait, type WaitFailure, waitUntilDeployed } from "../Wait.ts"
import { type Call, type Caller, one } from "./Caller.ts"

/** A call that also waits. */
export type Wait<T> = Effect.Effect<Answer<T>, WaitFailure>

export const instanceCalls = (call: Caller) => {
  const purchase = purchaseCalls(call)
  return {
    list: (options?: CallOptions) => call<ReadonlyArray<Instance>>("instances.list", {}, options),
    ...purchase,
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

const purchaseCalls = (call: Caller) => {
  const get = (id: number, options?: CallOptions) => call<Instance>("instances.get", one(id), options)
  const create = (body: CreateInstance, options?: CreateOptions) =>
    Effect.flatMap(
      call<Instance>("instances.create", { body }, options),
      (answer) => Number.isSafeInteger(answer.data.id) ? Effect.succeed(answer) : Effect.fail(notAnInstance(answer))
    )
  return {
    get,
    create,
    dryRun: (body: CreateInstance, options?: CreateOptions) =>
      Effect.flatMap(
        call<DryRun>("instances.dry_run", { query: { dry_run: true }, body }, options),
        (answer) => answer.data.dry_run === true ? Effect.succeed(answer) : Effect.fail(notADryRun(answer))
      ),
    createAndWait: (body: CreateInstance, options: CreateAndWaitOptions = {}): Wait<Instance> => {
      const problem = problemWithWait(options)
      if (problem !== undefined) return Effect.fail(problem)
      return Effect.flatMap(create(body, options), (created) => afterCreate(created, get, options))
    },
    waitUntilDeployed: (id: number, options: WaitOptions = {}): Wait<Instance> =>
      waitUntilDeployed({ id }, (id) => get(id, withoutSignal(options)), options)
  }
}

/** The answer keeps the response of the create: its status, and whether it was a replay. */
const afterCreate = (
  created: Answer<Instance>,
  get: (id: number, options?: CallOptions) => Call<Instance>,
  options: WaitOptions
): Wait<Instance> => {
  const { data: instance, response: { idempotencyKey } } = created
  if (isLost(instance)) return Effect.fail(about(lost(instance), instance.id, instance, idempotencyKey))
  if (isDeployed(instance)) return Effect.succeed(created)
  const waited = { id: instance.id, instance, idempotencyKey }
  return Effect.map(
    waitUntilDeployed(waited, (id) => get(id, withoutSignal(options)), options),
    ({ data }) => ({ data, response: created.response })
  )
}

/** The wait itself listens to the signal, and knows more to put into its error than a single poll. */
const withoutSignal = (options: CallOptions): CallOptions => ({
  timeout: options.timeout,
  maxRetries: options.maxRetries,
  headers: options.headers
})

const decodeError = (answer: Answer<unknown>, problem: string): DecodeError =>
  new DecodeError(answer.response.status, problem, { method: "POST", path: "/instances", ...answer.response })

const notAnInstance = (answer: Answer<unknown>): DecodeError =>
  decodeError(answer, "the host accepted the create and answered no instance id")

const notADryRun = (answer: Answer<unknown>): DecodeError =>
  decodeError(answer, "the host did not answer a dry run; look whether it has bought an instance")
