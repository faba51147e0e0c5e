/** How the records of the service look to people. */
import type { Backup } from "#contract/Backups"
import type { Instance } from "#contract/Instance"
import type { Iso } from "#contract/Isos"
import type { LiveStatus, Task } from "#contract/Monitoring"
import type { AvailablePlan, PublicPlan } from "#contract/Services"
import type { Snapshot } from "#contract/Snapshots"
import type { View } from "../output/Show.ts"
import { type Column, fields, table } from "../output/Table.ts"
import { bytes, moment, money, NOTHING, percent, rate, span, yesNo } from "../output/Words.ts"
import type { Style } from "../terminal/Surface.ts"
import { detailsOf } from "./Details.ts"

const GOOD = new Set(["running", "succeeded", "available"])
const BAD = new Set(["failed", "suspended", "expired", "deleted"])
const QUIET = new Set(["stopped", "cancelled"])

/** Green is well, red is not, yellow is under way. */
export const styleOf = (status: string): Style => {
  if (GOOD.has(status)) return "green"
  if (BAD.has(status)) return "red"
  return QUIET.has(status) ? "dim" : "yellow"
}

const id = { title: "ID", value: ({ id }: { readonly id: number }) => String(id), right: true } as const
const status = {
  title: "STATUS",
  value: ({ status }: { readonly status: string }) => status,
  style: ({ status }: { readonly status: string }) => styleOf(status)
}
const created = { title: "CREATED", value: (row: { readonly created_at: string }) => moment(row.created_at) }
const size = {
  title: "SIZE",
  value: (row: { readonly size_bytes: number | null }) => bytes(row.size_bytes),
  right: true
} as const

/** Rows in a table; their ids for scripts. */
const listOf = <Row extends { readonly id: number }>(
  columns: ReadonlyArray<Column<Row>>
): View<ReadonlyArray<Row>> => ({
  text: (rows, surface) => table(columns, rows, surface),
  ids: (rows) => rows.map((row) => row.id)
})

const spec = (name: "vcpu" | "ram" | "storage" | "traffic") => ({ specs }: PublicPlan) =>
  String(specs?.[name] ?? NOTHING)

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

// The catalogue tells no currency; a dry run and the plans of an instance do.
const price: Column<PublicPlan> = { title: "PRICE", value: (plan) => money(plan.price), right: true }

export const plans: View<ReadonlyArray<PublicPlan>> = listOf(planColumns(price))

export const availablePlans: View<ReadonlyArray<AvailablePlan>> = listOf<AvailablePlan>([
  id,
  { title: "SLUG", value: ({ slug }) => slug, style: () => "cyan" },
  { title: "NAME", value: ({ name }) => name },
  { title: "DIRECTION", value: ({ direction }) => direction },
  { title: "PRICE", value: (plan) => money(plan.price, plan.currency), right: true },
  { title: "CYCLE", value: ({ billing_cycle }) => billing_cycle },
  { title: "CHARGED NOW", value: (plan) => money(plan.charge_amount, plan.currency), right: true }
])

export const instances: View<ReadonlyArray<Instance>> = listOf<Instance>([
  id,
  { title: "HOSTNAME", value: (instance) => detailsOf(instance).hostname ?? NOTHING },
  status,
  { title: "PLAN", value: ({ order }) => order.service.slug },
  { title: "IPV4", value: ({ ipv4 }) => ipv4 ?? NOTHING },
  { title: "EXPIRES", value: ({ expires_at }) => moment(expires_at) }
])

export const instance: View<Instance> = {
  text: (instance, surface) => {
    const { hostname, ipv6, node, os } = detailsOf(instance)
    const { service } = instance.order
    const reason = instance.suspended_reason ?? ""
    return fields([
      ["Instance", String(instance.id)],
      ["Hostname", hostname ?? NOTHING],
      ["Status", instance.status, styleOf(instance.status)],
      ...(reason === "" ? [] : [["Suspended for", reason] as const]),
      ["Plan", `${service.name} (${service.slug}, id ${service.id})`],
      ["Image", os ?? NOTHING],
      ["IPv4", instance.ipv4 ?? NOTHING],
      ["IPv6", ipv6 ?? NOTHING],
      ["Node", node ?? NOTHING],
      ["Price", `${money(service.pricing?.charge_amount ?? service.price)} ${service.billing_cycle}`],
      ["Renews itself", yesNo(instance.auto_renew ?? true)],
      ["Expires", moment(instance.expires_at)],
      ["Created", moment(instance.created_at)]
    ], surface)
  },
  ids: (instance) => [instance.id]
}

const sampled = ({ sample }: LiveStatus): ReadonlyArray<readonly [string, string]> =>
  sample === null ? [] : [
    ["CPU", percent(sample.cpu_percent)],
    ["Memory", `${bytes(sample.memory_bytes)} of ${bytes(sample.memory_total_bytes)}`],
    ["Disk", `${rate(sample.disk_read_bytes_per_second)} read, ${rate(sample.disk_write_bytes_per_second)} written`],
    ["Network", `${rate(sample.network_rx_bytes_per_second)} in, ${rate(sample.network_tx_bytes_per_second)} out`]
  ]

export const liveStatus: View<LiveStatus> = {
  text: (live, surface) =>
    fields([
      ["Instance", String(live.instance_id)],
      ["Status", live.status, styleOf(live.status)],
      ["Power", live.power],
      ["Boots from", live.boot_mode],
      ["Mounted ISO", live.iso_id === null ? NOTHING : String(live.iso_id)],
      ["Task", live.task === null ? NOTHING : `${live.task.type}, ${live.task.progress} % (task ${live.task.id})`],
      ["Snapshots", `${live.snapshots.used} of ${live.snapshots.quota}`],
      ["Up for", span(live.uptime_seconds)],
      ...sampled(live)
    ], surface),
  ids: (live) => [live.instance_id]
}

/** The same in a table and, one by one, while following. */
export const taskColumns: ReadonlyArray<Column<Task>> = [
  id,
  { title: "TYPE", value: ({ type }) => type },
  status,
  { title: "PROGRESS", value: ({ progress }) => `${progress} %`, right: true },
  { title: "BY", value: ({ actor }) => actor },
  created,
  { title: "FINISHED", value: ({ finished_at }) => moment(finished_at) },
  { title: "ERROR", value: ({ error }) => error ?? NOTHING }
]

export const snapshots: View<ReadonlyArray<Snapshot>> = listOf<Snapshot>([
  id,
  { title: "NAME", value: ({ name }) => name },
  status,
  size,
  created
])

export const backups: View<ReadonlyArray<Backup>> = listOf<Backup>([
  id,
  { title: "KIND", value: ({ kind }) => kind },
  status,
  size,
  created,
  { title: "KEPT UNTIL", value: ({ expires_at }) => moment(expires_at) }
])

export const isos: View<ReadonlyArray<Iso>> = listOf<Iso>([
  id,
  { title: "NAME", value: ({ name }) => name },
  { title: "FILE", value: ({ file_name }) => file_name },
  size,
  { title: "MOUNTED", value: ({ mounted }) => yesNo(mounted), style: ({ mounted }) => mounted ? "green" : undefined }
])
