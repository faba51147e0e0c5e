/** The calls of the groups that only call: one line an endpoint. */
import type { ServiceInfo, Whoami } from "#contract/Account"
import type { Backup } from "#contract/Backups"
import type { ActionResult } from "#contract/Instance"
import type { Iso, MountIso } from "#contract/Isos"
import type { LiveStatus, Metrics, TaskPage } from "#contract/Monitoring"
import type { AvailablePlan, OsOptions, PublicPlan } from "#contract/Services"
import type { CreateSnapshot, Snapshot, SnapshotResult } from "#contract/Snapshots"
import type { CallOptions, MetricsQuery, TasksQuery } from "../options/Options.ts"
import { type Caller, one } from "./Caller.ts"

export const accountCalls = (call: Caller) => ({
  root: (options?: CallOptions) => call<ServiceInfo>("account.root", {}, options),
  whoami: (options?: CallOptions) => call<Whoami>("account.whoami", {}, options)
})

export const serviceCalls = (call: Caller) => ({
  list: (options?: CallOptions) => call<ReadonlyArray<PublicPlan>>("services.list", {}, options),
  osOptions: (service_id: number, options?: CallOptions) =>
    call<OsOptions>("services.os_options", { params: { service_id } }, options)
})

export const monitoringCalls = (call: Caller) => ({
  status: (id: number, options?: CallOptions) => call<LiveStatus>("monitoring.status", one(id), options),
  metrics: (id: number, query: MetricsQuery = {}, options?: CallOptions) =>
    call<Metrics>("monitoring.metrics", { ...one(id), query: { range: query.range } }, options),
  tasks: (id: number, query: TasksQuery = {}, options?: CallOptions) =>
    call<TaskPage>("monitoring.tasks", { ...one(id), query: { limit: query.limit, offset: query.offset } }, options),
  availablePlans: (id: number, options?: CallOptions) =>
    call<ReadonlyArray<AvailablePlan>>("monitoring.available_plans", one(id), options)
})

export const powerCalls = (call: Caller) => ({
  start: (id: number, options?: CallOptions) => call<ActionResult>("power.start", one(id), options),
  stop: (id: number, options?: CallOptions) => call<ActionResult>("power.stop", one(id), options),
  restart: (id: number, options?: CallOptions) => call<ActionResult>("power.restart", one(id), options)
})

export const snapshotCalls = (call: Caller) => {
  const snapshot = (instance_id: number, snap_id: number) => ({ params: { instance_id, snap_id } })
  return {
    list: (id: number, options?: CallOptions) => call<ReadonlyArray<Snapshot>>("snapshots.list", one(id), options),
    create: (id: number, body: CreateSnapshot, options?: CallOptions) =>
      call<SnapshotResult>("snapshots.create", { ...one(id), body }, options),
    restore: (id: number, snap_id: number, options?: CallOptions) =>
      call<ActionResult>("snapshots.restore", snapshot(id, snap_id), options),
    delete: (id: number, snap_id: number, options?: CallOptions) =>
      call<ActionResult>("snapshots.delete", snapshot(id, snap_id), options)
  }
}

export const backupCalls = (call: Caller) => ({
  list: (id: number, options?: CallOptions) => call<ReadonlyArray<Backup>>("backups.list", one(id), options),
  restore: (instance_id: number, backup_id: number, options?: CallOptions) =>
    call<ActionResult>("backups.restore", { params: { instance_id, backup_id } }, options)
})

export const isoCalls = (call: Caller) => ({
  list: (id: number, options?: CallOptions) => call<ReadonlyArray<Iso>>("isos.list", one(id), options),
  mount: (id: number, body: MountIso, options?: CallOptions) =>
    call<ActionResult>("isos.mount", { ...one(id), body }, options),
  unmount: (id: number, options?: CallOptions) => call<ActionResult>("isos.unmount", one(id), options)
})
