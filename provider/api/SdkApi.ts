/** Implements the API port on the SDK. */
import type { CreateInstance } from "#sdk/client/Records"
import { Vps } from "#sdk/client/Vps"
import { ENVIRONMENT, type Settings } from "../Config.ts"
import type { Api, CreateResult } from "./Api.ts"
import { statusOf, UserError } from "./Errors.ts"

export const NO_KEY = "no API key is set. Set VPS_API_KEY, or run `pulumi config set --secret vps:apiKey`."

const KEY_IN_STATE = "refresh and destroy use the key stored in the state, so after a rotation"

/** The way to pass a new key. A program's own provider has a key that the environment does not override. */
const keyHint = (source: string): string =>
  source === ENVIRONMENT.apiKey
    ? `Set ${source} (it overrides \`vps:apiKey\`); ${KEY_IN_STATE} either run \`pulumi up\` or set ${source}.`
    : `Set the ${source}, which ${ENVIRONMENT.apiKey} does not override; ${KEY_IN_STATE} run \`pulumi up\` first.`

/**
 * Mutations are retried by the provider and not by the SDK: it shows the user what it waits for, sends nothing once the
 * engine is gone, and looks for the effect of a call that must not be made twice.
 */
const NO_RETRIES = { maxRetries: 0 }

/** The activity feed shows the id of the request, so that a retry finds the task. */
const mutation = (requestId: string | undefined) =>
  requestId === undefined ? NO_RETRIES : { ...NO_RETRIES, headers: { "x-request-id": requestId } }

const purchase = async (vps: Vps, body: CreateInstance, key: string): Promise<CreateResult> => {
  const { data, response } = await vps.instances.create(body, { idempotencyKey: key }).withResponse()
  const mismatch = response.headers["idempotent-mismatch"] ?? ""
  return {
    instance: data,
    replayed: response.headers["idempotent-replayed"] === "true",
    mismatch: mismatch.split(",").map((field) => field.trim()).filter((field) => field !== "")
  }
}

/** A client for these settings; it sends nothing, and needs no key, before it is used. */
export const connect = (settings: Settings): Api => {
  const vps = new Vps({
    ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
    ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
    ...(settings.requestTimeout === undefined ? {} : { timeout: settings.requestTimeout })
  })
  // The SDK's own error says how to pass a key to its constructor, which a Pulumi program does not call.
  const call = async <A>(work: () => PromiseLike<A>): Promise<A> => {
    if (settings.apiKey === undefined) throw new UserError(NO_KEY)
    try {
      return await work()
    } catch (error) {
      throw statusOf(error) === 401 ? Object.assign(error as Error, { hint: keyHint(settings.apiKeySource) }) : error
    }
  }
  return {
    whoami: () => call(() => vps.account.whoami()),
    services: () => call(() => vps.services.list()),
    osOptions: (service_id) => call(() => vps.services.osOptions(service_id)),
    list: () => call(() => vps.instances.list()),
    get: (id) => call(() => vps.instances.get(id)),
    create: (body, key) => call(() => purchase(vps, body, key)),
    dryRun: (body, key) => call(() => vps.instances.dryRun(body, key === undefined ? {} : { idempotencyKey: key })),
    hostname: (id, hostname) => call(() => vps.instances.hostname(id, { hostname }, NO_RETRIES)),
    rdns: (id, ip, ptr) => call(() => vps.instances.rdns(id, { ip, ptr }, NO_RETRIES)),
    start: (id) => call(() => vps.power.start(id, NO_RETRIES)),
    stop: (id, requestId) => call(() => vps.power.stop(id, mutation(requestId))),
    restart: (id) => call(() => vps.power.restart(id, NO_RETRIES)),
    resize: (id, service_id, requestId) => call(() => vps.instances.resize(id, { service_id }, mutation(requestId))),
    reinstall: (id, body, requestId) => call(() => vps.instances.reinstall(id, body, mutation(requestId))),
    resetPassword: (id, requestId) => call(() => vps.instances.resetPassword(id, mutation(requestId))),
    rescueEnter: (id, requestId) => call(() => vps.rescue.enter(id, mutation(requestId))),
    rescueExit: (id, requestId) => call(() => vps.rescue.exit(id, mutation(requestId))),
    isos: (id) => call(() => vps.isos.list(id)),
    isoMount: (id, iso_id) => call(() => vps.isos.mount(id, { iso_id }, NO_RETRIES)),
    isoUnmount: (id) => call(() => vps.isos.unmount(id, NO_RETRIES)),
    snapshots: (id) => call(() => vps.snapshots.list(id)),
    snapshotCreate: (id, name, requestId) => call(() => vps.snapshots.create(id, { name }, mutation(requestId))),
    snapshotRestore: (id, snap_id, requestId) => call(() => vps.snapshots.restore(id, snap_id, mutation(requestId))),
    snapshotDelete: (id, snap_id) => call(() => vps.snapshots.delete(id, snap_id, NO_RETRIES)),
    backups: (id) => call(() => vps.backups.list(id)),
    backupRestore: (id, backup_id, requestId) => call(() => vps.backups.restore(id, backup_id, mutation(requestId))),
    status: (id) => call(() => vps.monitoring.status(id)),
    metrics: (id, range) => call(() => vps.monitoring.metrics(id, range === undefined ? {} : { range })),
    tasks: (id, query) => call(() => vps.monitoring.tasks(id, query)),
    availablePlans: (id) => call(() => vps.monitoring.availablePlans(id))
  }
}
