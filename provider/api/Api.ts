/** The API as the provider uses it, implemented on the SDK; tests implement it on a double. */
import type { MaxCharge } from "@pulumi-vps/sdk/client/options/Options"
import type { CreateInstance, Instance, MetricsRange, Reinstall } from "@pulumi-vps/sdk/client/Records"
import { promisesOfAnyHost } from "@pulumi-vps/sdk/client/AnyHost"
import { Vps } from "@pulumi-vps/sdk/client/Vps"
import type { Settings } from "../Config.ts"
import type { Words } from "../HostWords.ts"
import { statusOf, UserError } from "./Errors.ts"
import type { Host } from "../engine/Host.ts"

export const noKey = ({ environment, setKey }: Words): string =>
  `no API key is set. Set ${environment.apiKey}, or ${setKey}.`

/**
 * Mutations are retried by the provider and not by the SDK: it shows the user what it waits for, sends nothing once the
 * engine is gone, and looks for the effect of a call that must not be made twice.
 */
const NO_RETRIES = { maxRetries: 0 }

/** The activity feed shows the id of the request, so that a retry finds the task. */
const mutation = (requestId: string | undefined) =>
  requestId === undefined ? NO_RETRIES : { ...NO_RETRIES, headers: { "x-request-id": requestId } }

/** The response to a create: a new instance, or the original one of an earlier call with the same key. */
export interface CreateResult {
  readonly instance: Instance
  /** The key had already bought this instance; nothing was charged now. */
  readonly replayed: boolean
  /** The fields in which this body differs from the original one, as the service names them. */
  readonly mismatch: ReadonlyArray<string>
}

/** The client's calls: what the specification does not show is a view, in which any field may be absent. */
type Calls = ReturnType<typeof promisesOfAnyHost<Vps>>

const purchase = async (
  vps: Calls,
  body: CreateInstance,
  key: string,
  maxCharge: MaxCharge | undefined
): Promise<CreateResult> => {
  const { data, response } = await vps.instances.create(body, {
    idempotencyKey: key,
    maxCharge,
    // A purchase of an earlier run continues with the fields in which the program has changed since.
    onMismatch: "accept"
  }).withResponse()
  const mismatch = response.headers["idempotent-mismatch"] ?? ""
  return {
    instance: data,
    replayed: response.headers["idempotent-replayed"] === "true",
    mismatch: mismatch.split(",").map((field) => field.trim()).filter((field) => field !== "")
  }
}

type Call = <A>(work: () => PromiseLike<A>) => Promise<A>

/** The SDK's own errors say how to pass a key to its constructor, which no program of the provider's users calls. */
const callWith = ({ apiKey, apiKeySource, words }: Settings): Call => async (work) => {
  if (apiKey === undefined) throw new UserError(noKey(words))
  try {
    return await work()
  } catch (error) {
    throw statusOf(error) === 401 ? Object.assign(error as Error, { hint: words.rejectedKey(apiKeySource) }) : error
  }
}

/** The images of an instance's disk, and those in its drive. */
const imagesOf = (vps: Calls, call: Call) => ({
  isos: (id: number) => call(() => vps.isos.list(id)),
  isoMount: (id: number, iso_id: number) => call(() => vps.isos.mount(id, { iso_id }, NO_RETRIES)),
  isoUnmount: (id: number) => call(() => vps.isos.unmount(id, NO_RETRIES)),
  snapshots: (id: number) => call(() => vps.snapshots.list(id)),
  snapshotCreate: (id: number, name: string, requestId?: string) =>
    call(() => vps.snapshots.create(id, { name }, mutation(requestId))),
  snapshotRestore: (id: number, snap_id: number, requestId: string) =>
    call(() => vps.snapshots.restore(id, snap_id, mutation(requestId))),
  snapshotDelete: (id: number, snap_id: number) => call(() => vps.snapshots.delete(id, snap_id, NO_RETRIES)),
  backups: (id: number) => call(() => vps.backups.list(id)),
  backupRestore: (id: number, backup_id: number, requestId: string) =>
    call(() => vps.backups.restore(id, backup_id, mutation(requestId)))
})

/** A client for these settings; it sends nothing, and needs no key, before it is used. */
export const connect = (settings: Settings) => {
  const vps = promisesOfAnyHost(
    new Vps({
      ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
      ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
      ...(settings.requestTimeout === undefined ? {} : { timeout: settings.requestTimeout })
    })
  )
  const call = callWith(settings)
  return {
    root: () => call(() => vps.account.root()),
    whoami: () => call(() => vps.account.whoami()),
    services: () => call(() => vps.services.list()),
    osOptions: (service_id: number) => call(() => vps.services.osOptions(service_id)),
    list: () => call(() => vps.instances.list()),
    get: (id: number) => call(() => vps.instances.get(id)),
    create: (body: CreateInstance, key: string, maxCharge: MaxCharge | undefined) =>
      call(() => purchase(vps, body, key, maxCharge)),
    dryRun: (body: CreateInstance, key?: string) =>
      call(() => vps.instances.dryRun(body, key === undefined ? {} : { idempotencyKey: key })),
    hostname: (id: number, hostname: string) => call(() => vps.instances.hostname(id, { hostname }, NO_RETRIES)),
    rdns: (id: number, ip: string, ptr: string) => call(() => vps.instances.rdns(id, { ip, ptr }, NO_RETRIES)),
    start: (id: number) => call(() => vps.power.start(id, NO_RETRIES)),
    stop: (id: number, requestId?: string) => call(() => vps.power.stop(id, mutation(requestId))),
    restart: (id: number) => call(() => vps.power.restart(id, NO_RETRIES)),
    resize: (id: number, service_id: number, requestId: string, maxCharge: MaxCharge | undefined) =>
      call(() => vps.instances.resize(id, { service_id }, { ...mutation(requestId), maxCharge })),
    reinstall: (id: number, body: Reinstall, requestId: string) =>
      call(() => vps.instances.reinstall(id, body, mutation(requestId))),
    resetPassword: (id: number, requestId: string) => call(() => vps.instances.resetPassword(id, mutation(requestId))),
    rescueEnter: (id: number, requestId: string) => call(() => vps.rescue.enter(id, mutation(requestId))),
    rescueExit: (id: number, requestId: string) => call(() => vps.rescue.exit(id, mutation(requestId))),
    ...imagesOf(vps, call),
    status: (id: number) => call(() => vps.monitoring.status(id)),
    metrics: (id: number, range?: MetricsRange) =>
      call(() => vps.monitoring.metrics(id, range === undefined ? {} : { range })),
    tasks: (id: number, query?: { readonly limit?: number; readonly offset?: number }) =>
      call(() => vps.monitoring.tasks(id, query)),
    availablePlans: (id: number) => call(() => vps.monitoring.availablePlans(id))
  }
}

/** Errors are the SDK's: they have `status`, `detail`, `retryAfter`. */
export type Api = ReturnType<typeof connect>

/** The API, and the process that calls it: everything that waiting and retrying need. */
export interface ApiContext {
  readonly api: Api
  readonly host: Host
}

/** The panel's address; undefined where it is unknown, because the advice is part of another message. */
export const panelOf = (api: Api): Promise<string | undefined> =>
  api.root().then(({ panel_url }): string | undefined => panel_url, () => undefined)
