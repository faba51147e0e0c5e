/** The API port on the SDK. */
import type { CreateInstance } from "#contract/Instance"
import { Vps } from "#sdk/client/Vps"
import type { Settings } from "./Config.ts"
import type { Api, Purchase } from "./Ports.ts"
import { Problem } from "./Problem.ts"

const NO_KEY = "no API key is set. Set VPS_API_KEY, or run `pulumi config set --secret vps:apiKey` and give it the key."

/** Found again in the activity feed by its id. */
const marked = (requestId: string) => ({ headers: { "x-request-id": requestId } })

/** The SDK must not repeat it unseen. */
const once = (requestId: string) => ({ maxRetries: 0, ...marked(requestId) })

const purchase = async (vps: Vps, body: CreateInstance, key: string): Promise<Purchase> => {
  const { data, response } = await vps.instances.create(body, { idempotencyKey: key }).withResponse()
  const mismatch = response.headers["idempotent-mismatch"] ?? ""
  return {
    instance: data,
    replayed: response.headers["idempotent-replayed"] === "true",
    mismatch: mismatch.split(",").map((field) => field.trim()).filter((field) => field !== "")
  }
}

/** A client for these settings; it asks for nothing, and needs no key, before it is used. */
export const connect = (settings: Settings): Api => {
  const vps = new Vps({
    ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
    ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
    ...(settings.requestTimeout === undefined ? {} : { timeout: settings.requestTimeout })
  })
  // The SDK would say how to pass a key to its constructor, which helps nobody who writes a Pulumi program.
  const call = async <A>(work: () => PromiseLike<A>): Promise<A> => {
    if (settings.apiKey === undefined) throw new Problem(NO_KEY)
    return await work()
  }
  return {
    whoami: () => call(() => vps.account.whoami()),
    services: () => call(() => vps.services.list()),
    osOptions: (service_id) => call(() => vps.services.osOptions(service_id)),
    list: () => call(() => vps.instances.list()),
    get: (id) => call(() => vps.instances.get(id)),
    create: (body, key) => call(() => purchase(vps, body, key)),
    dryRun: (body, key) => call(() => vps.instances.dryRun(body, key === undefined ? {} : { idempotencyKey: key })),
    hostname: (id, hostname) => call(() => vps.instances.hostname(id, { hostname })),
    rdns: (id, ip, ptr) => call(() => vps.instances.rdns(id, { ip, ptr })),
    start: (id) => call(() => vps.power.start(id)),
    stop: (id, requestId) => call(() => vps.power.stop(id, requestId === undefined ? {} : marked(requestId))),
    restart: (id) => call(() => vps.power.restart(id)),
    resize: (id, service_id, requestId) => call(() => vps.instances.resize(id, { service_id }, once(requestId))),
    reinstall: (id, body, requestId) => call(() => vps.instances.reinstall(id, body, once(requestId))),
    resetPassword: (id, requestId) => call(() => vps.instances.resetPassword(id, once(requestId))),
    rescueEnter: (id, requestId) => call(() => vps.rescue.enter(id, marked(requestId))),
    rescueExit: (id, requestId) => call(() => vps.rescue.exit(id, marked(requestId))),
    isos: (id) => call(() => vps.isos.list(id)),
    isoMount: (id, iso_id) => call(() => vps.isos.mount(id, { iso_id })),
    isoUnmount: (id) => call(() => vps.isos.unmount(id)),
    snapshots: (id) => call(() => vps.snapshots.list(id)),
    snapshotCreate: (id, name) => call(() => vps.snapshots.create(id, { name })),
    snapshotRestore: (id, snap_id, requestId) => call(() => vps.snapshots.restore(id, snap_id, once(requestId))),
    snapshotDelete: (id, snap_id) => call(() => vps.snapshots.delete(id, snap_id)),
    backups: (id) => call(() => vps.backups.list(id)),
    backupRestore: (id, backup_id, requestId) => call(() => vps.backups.restore(id, backup_id, once(requestId))),
    status: (id) => call(() => vps.monitoring.status(id)),
    metrics: (id, range) => call(() => vps.monitoring.metrics(id, range === undefined ? {} : { range })),
    tasks: (id, query) => call(() => vps.monitoring.tasks(id, query)),
    availablePlans: (id) => call(() => vps.monitoring.availablePlans(id))
  }
}
