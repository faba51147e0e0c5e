/**
 * The client as Effects, with every failure in the type. The Promise client and the Effect layer stand on this;
 * nothing above it has logic of its own.
 */
import type { ServiceInfo, Whoami } from "#contract/Account"
import type { ActionResult, CreateInstance, DryRun, HostnameResult, Instance, RdnsResult } from "#contract/Instance"
import type { TaskPage } from "#contract/Monitoring"
import type { OsOptions, PublicPlan } from "#contract/Services"
import * as Effect from "effect/Effect"
import { assembleChain } from "./Chain.ts"
import type { CallFailure } from "./Handler.ts"
import { settingsOf } from "./Config.ts"
import { about, DecodeError } from "./Errors.ts"
import { Gate } from "./Gate.ts"
import type { OperationName } from "./Operations.ts"
import type {
  CallOptions,
  ClientOptions,
  CreateAndWaitOptions,
  CreateOptions,
  TasksQuery,
  WaitOptions
} from "./Options.ts"
import { type Answer, build, type CallInput } from "./Request.ts"
import { makeTransport, type Transport } from "./Transport.ts"
import { isDeployed, isLost, lost, problemWithWait, type WaitFailure, waitUntilDeployed } from "./Wait.ts"

/** A call that answers a `T`. */
export type Call<T> = Effect.Effect<Answer<T>, CallFailure>

/** A call that also waits. */
export type Wait<T> = Effect.Effect<Answer<T>, WaitFailure>

export type Core = ReturnType<typeof makeCore>

/** Makes the client; nothing is read, opened or sent before the first call. */
export const makeCore = (options: ClientOptions, transport: Transport = makeTransport(options.dispatcher)) => {
  const settings = settingsOf(options)
  const gate = new Gate()
  const handle = assembleChain(settings, transport, gate)
  const call = <T>(name: OperationName, input: CallInput, own: CreateOptions = {}): Call<T> =>
    // The host's JSON is taken at its word: fields and statuses that the contract does not know come through.
    Effect.flatMap(build(settings, name, input, own), (request) => handle(request)) as Call<T>

  return {
    account: accountCalls(call),
    services: serviceCalls(call),
    instances: instanceCalls(call),
    monitoring: monitoringCalls(call),
    power: powerCalls(call),
    /** Lets the calls under way finish, then closes the connections; later calls are refused. */
    close: Effect.andThen(gate.close, transport.close)
  }
}

type Caller = <T>(name: OperationName, input: CallInput, own?: CreateOptions) => Call<T>

const one = (instance_id: number) => ({ params: { instance_id } })

const accountCalls = (call: Caller) => ({
  root: (options?: CallOptions) => call<ServiceInfo>("account.root", {}, options),
  whoami: (options?: CallOptions) => call<Whoami>("account.whoami", {}, options)
})

const serviceCalls = (call: Caller) => ({
  list: (options?: CallOptions) => call<ReadonlyArray<PublicPlan>>("services.list", {}, options),
  osOptions: (service_id: number, options?: CallOptions) =>
    call<OsOptions>("services.os_options", { params: { service_id } }, options)
})

const instanceCalls = (call: Caller) => {
  const get = (id: number, options?: CallOptions) => call<Instance>("instances.get", one(id), options)
  const create = (body: CreateInstance, options?: CreateOptions) =>
    Effect.flatMap(
      call<Instance>("instances.create", { body }, options),
      (answer) => Number.isSafeInteger(answer.data.id) ? Effect.succeed(answer) : Effect.fail(notAnInstance(answer))
    )
  return {
    list: (options?: CallOptions) => call<ReadonlyArray<Instance>>("instances.list", {}, options),
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
      waitUntilDeployed({ id }, (id) => get(id, withoutSignal(options)), options),
    hostname: (id: number, body: { readonly hostname: string }, options?: CallOptions) =>
      call<HostnameResult>("instances.hostname", { ...one(id), body }, options),
    rdns: (id: number, body: { readonly ip: string; readonly ptr: string }, options?: CallOptions) =>
      call<RdnsResult>("instances.rdns", { ...one(id), body }, options)
  }
}

const monitoringCalls = (call: Caller) => ({
  tasks: (id: number, query: TasksQuery = {}, options?: CallOptions) =>
    call<TaskPage>(
      "monitoring.tasks",
      { ...one(id), query: { limit: query.limit, offset: query.offset } },
      options
    )
})

const powerCalls = (call: Caller) => ({
  start: (id: number, options?: CallOptions) => call<ActionResult>("power.start", one(id), options),
  stop: (id: number, options?: CallOptions) => call<ActionResult>("power.stop", one(id), options),
  restart: (id: number, options?: CallOptions) => call<ActionResult>("power.restart", one(id), options)
})

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
