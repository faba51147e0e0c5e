/** The printed forms of the records of the API. */
import type { Backup } from "#contract/Backups"
import type { Instance } from "#contract/Instance"
import type { Iso } from "#contract/Isos"
import type { LiveStatus, Task } from "#contract/Monitoring"
import type { AvailablePlan, PublicPlan } from "#contract/Services"
import type { Snapshot } from "#contract/Snapshots"
import type { View } from "../output/Output.ts"
import { type Column, fields, table } from "../output/Table.ts"
import { bytes, dateTime, duration, EMPTY, money, percent, rate, yesNo } from "../output/Format.ts"
import type { Style } from "../terminal/TerminalCapabilities.ts"
import { parseProviderData } from "./ProviderData.ts"

const HEALTHY = new Set(["running", "succeeded", "available"])
const UNHEALTHY = new Set(["failed", "suspended", "expired", "deleted"])
const INACTIVE = new Set(["stopped", "cancelled"])

/** Green for healthy, red for failed, yellow for in progress. */
export const styleOf = (status: string): Style => {
  if (HEALTHY.has(status)) return "green"
  if (UNHEALTHY.has(status)) return "red"
  return INACTIVE.has(status) ? "dim" : "yellow"
}

const id = { title: "ID", value: ({ id }: { readonly id: number }) => String(id), right: true } as const
const status = {
  title: "STATUS",
  value: ({ status }: { readonly status: string }) => status,
  style: ({ status }: { readonly status: string }) => styleOf(status)
}
const created = { title: "CREATED", value: (row: { readonly created_at: string }) => dateTime(row.created_at) }
const size = {
  title: "SIZE",
  value: (row: { readonly size_bytes: number | null }) => bytes(row.size_bytes),
  right: true
} as const

/** A table for people, IDs for scripts. */
const tableView = <Row extends { readonly id: number }>(
  columns: ReadonlyArray<Column<Row>>
): View<ReadonlyArray<Row>> => ({
  text: (rows, capabilities) => table(columns, rows, capabilities),
  ids: (rows) => rows.map((row) => row.id)
})

const spec = (name: "vcpu" | "ram" | "storage" | "traffic") => ({ specs }: PublicPlan) => String(specs?.[name] ?? EMPTY)

const planColumns = (price: Column<PublicPlan>): ReadonlyArray<Column<PublicPlan>> => [
  id,
  { title: "SLUG", value: ({ slug }) => slug, style: () => "cyan" },
  { title: "NAME", value: ({ name }) => name },
  { title: "VCPU", value: spec("vcpu"), right: true },
  { title: "RAM", value: spec("ram"), right: true },
  { title: "DISK", value: spec("storage") },
  { title: "TRAFFIC", value: spec("traffic") },
  price,
  { title: "CYCLE", value: ({ billing_cycle }) => billing_cycle }
]

// The catalogue does not include the currency; a dry run and the plans of an instance do.
const price: Column<PublicPlan> = { title: "PRICE", value: (plan) => money(plan.price), right: true }

export const plans: View<ReadonlyArray<PublicPlan>> = tableView(planColumns(price))

export const availablePlans: View<ReadonlyArray<AvailablePlan>> = tableView<AvailablePlan>([
  id,
  { title: "SLUG", value: ({ slug }) => slug, style: () => "cyan" },
  { title: "NAME", value: ({ name }) => name },
  { title: "DIRECTION", value: ({ direction }) => direction },
  { title: "PRICE", value: (plan) => money(plan.price, plan.currency), right: true },
  { title: "CYCLE", value: ({ billing_cycle }) => billing_cycle },
  { title: "CHARGE NOW", value: (plan) => money(plan.charge_amount, plan.currency), right: true }
])

export const instances: View<ReadonlyArray<Instance>> = tableView<Instance>([
  id,
  { title: "HOSTNAME", value: (instance) => parseProviderData(instance).hostname ?? EMPTY },
  status,
  { title: "PLAN", value: ({ order }) => order.service.slug },
  { title: "IPV4", value: ({ ipv4 }) => ipv4 ?? EMPTY },
  { title: "EXPIRES", value: ({ expires_at }) => dateTime(expires_at) }
])

export const instance: View<Instance> = {
  text: (instance, capabilities) => {
    const { hostname, ipv6, node, os } = parseProviderData(instance)
    const { service } = instance.order
    const reason = instance.suspended_reason ?? ""
    const until = instance.renewable_until ?? null
    return fields([
      ["Instance", String(instance.id)],
      ["Hostname", hostname ?? EMPTY],
      ["Status", instance.status, styleOf(instance.status)],
      ...(reason === "" ? [] : [["Suspended for", reason] as const]),
      ["Plan", `${service.name} (${service.slug}, ID ${service.id})`],
      ["Image", os ?? EMPTY],
      ["IPv4", instance.ipv4 ?? EMPTY],
      ["IPv6", ipv6 ?? EMPTY],
      ["Node", node ?? EMPTY],
      ["Price", `${money(service.pricing?.charge_amount ?? service.price)} ${service.billing_cycle}`],
      ["Auto-renew", yesNo(instance.auto_renew ?? true)],
      ["Expires", dateTime(instance.expires_at)],
      ...(until === null ? [] : [["Top up before", dateTime(until)] as const]),
      ["Created", dateTime(instance.created_at)]
    ], capabilities)
  },
  ids: (instance) => [instance.id]
}

const usageFields = ({ sample }: LiveStatus): ReadonlyArray<readonly [string, string]> =>
  sample === null ? [] : [
    ["CPU", percent(sample.cpu_percent)],
    ["Memory", `${bytes(sample.memory_bytes)} of ${bytes(sample.memory_total_bytes)}`],
    ["Disk", `${rate(sample.disk_read_bytes_per_second)} read, ${rate(sample.disk_write_bytes_per_second)} write`],
    ["Network", `${rate(sample.network_rx_bytes_per_second)} in, ${rate(sample.network_tx_bytes_per_second)} out`]
  ]

export const liveStatus: View<LiveStatus> = {
  text: (live, capabilities) =>
    fields([
      ["Instance", String(live.instance_id)],
      ["Status", live.status, styleOf(live.status)],
      ["Power", live.power],
      ["Boot mode", live.boot_mode === live.booted ? live.booted : `${live.boot_mode}, booted from ${live.booted}`],
      ["Mounted ISO", live.iso_id === null ? EMPTY : String(live.iso_id)],
      ["Task", live.task === null ? EMPTY : `${live.task.type}, ${live.task.progress} % (task ${live.task.id})`],
      ["Snapshots", live.snapshots === null ? EMPTY : `${live.snapshots.used} of ${live.snapshots.quota}`],
      ["Uptime", duration(live.uptime_seconds)],
      ...usageFields(live)
    ], capabilities),
  ids: (live) => [live.instance_id]
}

/** The columns of the task list. */
export const taskColumns: ReadonlyArray<Column<Task>> = [
  id,
  { title: "TYPE", value: ({ type }) => type },
  status,
  { title: "PROGRESS", value: ({ progress }) => `${progress} %`, right: true },
  { title: "BY", value: ({ actor }) => actor },
  created,
  { title: "FINISHED", value: ({ finished_at }) => dateTime(finished_at) },
  { title: "ERROR", value: ({ error }) => error ?? EMPTY }
]

export const snapshots: View<ReadonlyArray<Snapshot>> = tableView<Snapshot>([
  id,
  { title: "NAME", value: ({ name }) => name },
  status,
  size,
  created
])

export const backups: View<ReadonlyArray<Backup>> = tableView<Backup>([
  id,
  { title: "KIND", value: ({ kind }) => kind },
  status,
  size,
  created,
  { title: "EXPIRES", value: ({ expires_at }) => dateTime(expires_at) }
])

export const isos: View<ReadonlyArray<Iso>> = tableView<Iso>([
  id,
  { title: "NAME", value: ({ name }) => name },
  { title: "FILE", value: ({ file_name }) => file_name },
  size,
  { title: "MOUNTED", value: ({ mounted }) => yesNo(mounted), style: ({ mounted }) => mounted ? "green" : undefined }
])
