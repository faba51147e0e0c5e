/** One call of every operation, and its retry class, stated independently of the client. */
import type { CallFailure } from "#sdk/client/errors/ApiErrors"
import type { Client } from "#sdk/client/Client"
import type { OperationName } from "#sdk/client/calls/Endpoints"
import type { ApiResponse } from "#sdk/client/chain/ApiResponse"
import type * as Effect from "effect/Effect"

/** The names of the SDK's specification, not those of the client. */
export type Class = "read" | "create" | "other" | "idempotent" | "once"

export interface Sample {
  readonly class: Class
  readonly call: (client: Client) => Effect.Effect<ApiResponse<unknown>, CallFailure>
}

const sample = (kind: Class, call: Sample["call"]): Sample => ({ class: kind, call })
const read = (call: Sample["call"]) => sample("read", call)
const other = (call: Sample["call"]) => sample("other", call)
const idempotent = (call: Sample["call"]) => sample("idempotent", call)
const once = (call: Sample["call"]) => sample("once", call)

/** The type requires every operation of the client. */
export const SAMPLES: Readonly<Record<OperationName, Sample>> = {
  "account.root": read((client) => client.account.root()),
  "account.whoami": read((client) => client.account.whoami()),
  "services.list": read((client) => client.services.list()),
  "services.os_options": read((client) => client.services.osOptions(1)),
  "instances.list": read((client) => client.instances.list()),
  "instances.create": sample("create", (client) => client.instances.create({ service_id: 1 })),
  "instances.dry_run": read((client) => client.instances.dryRun({ service_id: 1 })),
  "instances.get": read((client) => client.instances.get(7)),
  "instances.reinstall": once((client) => client.instances.reinstall(7, { os: "debian-12" })),
  "instances.reset_password": once((client) => client.instances.resetPassword(7)),
  "instances.hostname": idempotent((client) => client.instances.hostname(7, { hostname: "a" })),
  "instances.rdns": idempotent((client) => client.instances.rdns(7, { ip: "10.0.0.1", ptr: "a" })),
  "instances.resize": other((client) => client.instances.resize(7, { service_id: 2 })),
  "monitoring.status": read((client) => client.monitoring.status(7)),
  "monitoring.metrics": read((client) => client.monitoring.metrics(7)),
  "monitoring.tasks": read((client) => client.monitoring.tasks(7)),
  "monitoring.available_plans": read((client) => client.monitoring.availablePlans(7)),
  "power.start": idempotent((client) => client.power.start(7)),
  "power.stop": idempotent((client) => client.power.stop(7)),
  "power.restart": other((client) => client.power.restart(7)),
  "snapshots.list": read((client) => client.snapshots.list(7)),
  "snapshots.create": once((client) => client.snapshots.create(7, { name: "a" })),
  "snapshots.restore": once((client) => client.snapshots.restore(7, 3)),
  "snapshots.delete": idempotent((client) => client.snapshots.delete(7, 3)),
  "backups.list": read((client) => client.backups.list(7)),
  "backups.restore": once((client) => client.backups.restore(7, 3)),
  "isos.list": read((client) => client.isos.list(7)),
  "isos.mount": idempotent((client) => client.isos.mount(7, { iso_id: 1 })),
  "isos.unmount": idempotent((client) => client.isos.unmount(7)),
  "rescue.enter": idempotent((client) => client.rescue.enter(7)),
  "rescue.exit": idempotent((client) => client.rescue.exit(7))
}

export const NAMES = Object.keys(SAMPLES) as ReadonlyArray<OperationName>
