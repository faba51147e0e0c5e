/** One call of every operation, and how it may be repeated: said here once more, beside the client's own table. */
import type { CallFailure } from "#sdk/client/errors/Failures"
import type { Client } from "#sdk/client/Client"
import type { OperationName } from "#sdk/client/calls/Endpoints"
import type { ApiResponse } from "#sdk/client/chain/ApiResponse"
import type * as Effect from "effect/Effect"

/** As the specification of the SDK names them, not as the client does. */
export type Class = "read" | "create" | "other" | "never after a lost answer"

export interface Sample {
  readonly class: Class
  readonly call: (core: Client) => Effect.Effect<ApiResponse<unknown>, CallFailure>
}

const sample = (kind: Class, call: Sample["call"]): Sample => ({ class: kind, call })
const read = (call: Sample["call"]) => sample("read", call)
const other = (call: Sample["call"]) => sample("other", call)
const once = (call: Sample["call"]) => sample("never after a lost answer", call)

/** The type asks for every operation of the client. */
export const SAMPLES: Readonly<Record<OperationName, Sample>> = {
  "account.root": read((core) => core.account.root()),
  "account.whoami": read((core) => core.account.whoami()),
  "services.list": read((core) => core.services.list()),
  "services.os_options": read((core) => core.services.osOptions(1)),
  "instances.list": read((core) => core.instances.list()),
  "instances.create": sample("create", (core) => core.instances.create({ service_id: 1 })),
  "instances.dry_run": read((core) => core.instances.dryRun({ service_id: 1 })),
  "instances.get": read((core) => core.instances.get(7)),
  "instances.reinstall": once((core) => core.instances.reinstall(7, { os: "debian-12" })),
  "instances.reset_password": once((core) => core.instances.resetPassword(7)),
  "instances.hostname": other((core) => core.instances.hostname(7, { hostname: "a" })),
  "instances.rdns": other((core) => core.instances.rdns(7, { ip: "10.0.0.1", ptr: "a" })),
  "instances.resize": other((core) => core.instances.resize(7, { service_id: 2 })),
  "monitoring.status": read((core) => core.monitoring.status(7)),
  "monitoring.metrics": read((core) => core.monitoring.metrics(7)),
  "monitoring.tasks": read((core) => core.monitoring.tasks(7)),
  "monitoring.available_plans": read((core) => core.monitoring.availablePlans(7)),
  "power.start": other((core) => core.power.start(7)),
  "power.stop": other((core) => core.power.stop(7)),
  "power.restart": other((core) => core.power.restart(7)),
  "snapshots.list": read((core) => core.snapshots.list(7)),
  "snapshots.create": once((core) => core.snapshots.create(7, { name: "a" })),
  "snapshots.restore": once((core) => core.snapshots.restore(7, 3)),
  "snapshots.delete": other((core) => core.snapshots.delete(7, 3)),
  "backups.list": read((core) => core.backups.list(7)),
  "backups.restore": once((core) => core.backups.restore(7, 3)),
  "isos.list": read((core) => core.isos.list(7)),
  "isos.mount": other((core) => core.isos.mount(7, { iso_id: 1 })),
  "isos.unmount": other((core) => core.isos.unmount(7)),
  "rescue.enter": other((core) => core.rescue.enter(7)),
  "rescue.exit": other((core) => core.rescue.exit(7))
}

export const NAMES = Object.keys(SAMPLES) as ReadonlyArray<OperationName>
