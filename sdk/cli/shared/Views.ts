/** The printed forms of the records of the API. */
import type { Backup } from "@pulumi-vps/contract/Backups"
import type { Instance } from "@pulumi-vps/contract/Instance"
import type { Iso } from "@pulumi-vps/contract/Isos"
import type { LiveStatus, Task } from "@pulumi-vps/contract/Monitoring"
import { PLAN_SPEC_ENTRIES } from "@pulumi-vps/contract/PlanSpecs"
import type { AvailablePlan, PublicPlan } from "@pulumi-vps/contract/Services"
import type { Snapshot } from "@pulumi-vps/contract/Snapshots"
import { bytes, dateTime, duration, EMPTY, money, percent, rate, yesNo } from "../output/Format.ts"
import { fields, List, type ListColumn } from "../output/List.ts"
import type { View } from "../output/Output.ts"
import type { Style } from "../terminal/Terminal.ts"

// Facts about an instance that it has as JSON text, which a service may omit or fill differently.

export interface ProviderData {
  readonly hostname?: string
  readonly os?: string
  readonly node?: string
  readonly ipv6?: string
}

const NAMES = ["hostname", "os", "node", "ipv6"] as const

const parse = (text: string | null | undefined): ProviderData => {
  if (text === null || text === undefined) return {}
  try {
    const data: unknown = JSON.parse(text)
    if (typeof data !== "object" || data === null) return {}
    const fields = data as Readonly<Record<string, unknown>>
    const found = NAMES.flatMap((name) => typeof fields[name] === "string" ? [[name, fields[name]]] : [])
    return Object.fromEntries(found) as ProviderData
  } catch {
    return {}
  }
}

/** The facts that the service reports, and until it does, those that were ordered. */
export const parseProviderData = ({ order, provider_data }: Instance): ProviderData => ({
  ...parse(order?.config),
  ...parse(provider_data)
})

/** The IPv4 address, or the IPv6 address without one. */
export const addressOf = (instance: Instance): string | undefined =>
  instance.ipv4 || parseProviderData(instance).ipv6 || undefined

const HEALTHY = new Set(["running", "succeeded", "available"])
const UNHEALTHY = new Set(["failed", "suspended", "expired", "deleted"])
const INACTIVE = new Set(["stopped", "cancelled"])

/** Green for healthy, red for failed, yellow for in progress. */
export const styleOf = (status: string): Style => {
  if (HEALTHY.has(status)) return "green"
  if (UNHEALTHY.has(status)) return "red"
  return INACTIVE.has(status) ? "dim" : "yellow"
}

interface Identified {
  readonly id: number
}

const idOf = ({ id }: Identified): number => id
const id = { title: "ID", value: (row: Identified) => String(row.id), by: idOf, right: true, whole: true } as const
const status = {
  title: "STATUS",
  value: ({ status }: { readonly status: string }) => status,
  style: ({ status }: { readonly status: string }) => styleOf(status),
  whole: true
} as const

/** A column of a date, in the order of time. */
const time = <Row>(title: string, of: (row: Row) => string | null | undefined): ListColumn<Row> => ({
  title,
  value: (row) => dateTime(of(row)),
  by: (row) => of(row) ?? ""
})
const created = time("CREATED", (row: { readonly created_at: string }) => row.created_at)
const size = {
  title: "SIZE",
  value: (row: { readonly size_bytes: number | null }) => bytes(row.size_bytes),
  by: (row: { readonly size_bytes: number | null }) => row.size_bytes ?? 0,
  right: true
} as const

/** A column for each spec, in the order of its quantity. */
const specColumns = PLAN_SPEC_ENTRIES.map(([name, { column, read }]): ListColumn<PublicPlan> => ({
  ...column,
  value: ({ specs }) => String(specs?.[name] ?? EMPTY),
  by: ({ specs }) => read(specs?.[name]) ?? 0
}))
const slug = {
  title: "SLUG",
  value: ({ slug }: PublicPlan) => slug,
  style: () => "cyan" as const,
  whole: true
} as const

export const plansIn = (currency: string | undefined): List<PublicPlan> =>
  new List<PublicPlan>([
    id,
    slug,
    { title: "NAME", value: ({ name }) => name },
    {
      title: "PRICE",
      value: ({ price }) => money(price, currency),
      by: ({ price }) => price,
      right: true,
      whole: true
    },
    { title: "CYCLE", value: ({ billing_cycle }) => billing_cycle },
    ...specColumns,
    { title: "CATEGORY", value: ({ category }) => category, extra: true }
  ], idOf)

export const availablePlans = new List<AvailablePlan>([
  id,
  slug,
  { title: "NAME", value: ({ name }) => name },
  { title: "DIRECTION", value: ({ direction }) => direction },
  {
    title: "PRICE",
    value: (plan) => money(plan.price, plan.currency),
    by: ({ price }) => price,
    right: true,
    whole: true
  },
  { title: "CYCLE", value: ({ billing_cycle }) => billing_cycle },
  {
    title: "CHARGE NOW",
    value: (plan) => money(plan.charge_amount, plan.currency),
    by: (plan) => plan.charge_amount,
    right: true,
    whole: true
  }
], idOf)

export const instances = new List<Instance>([
  id,
  { title: "HOSTNAME", value: (instance) => parseProviderData(instance).hostname ?? EMPTY, keep: true },
  status,
  { title: "IPV4", value: ({ ipv4 }) => ipv4 ?? EMPTY, whole: true },
  { title: "IPV6", value: (instance) => parseProviderData(instance).ipv6 ?? EMPTY, whole: true, extra: true },
  { title: "PLAN", value: ({ order }) => order.service.slug },
  time("EXPIRES", ({ expires_at }) => expires_at),
  { title: "IMAGE", value: (instance) => parseProviderData(instance).os ?? EMPTY, extra: true },
  { title: "AUTO-RENEW", value: (instance) => yesNo(instance.auto_renew ?? true), extra: true },
  { ...created, extra: true }
], idOf)

export const instanceIn = (currency: string | undefined): View<Instance> => ({
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
      ["Price", `${money(service.pricing?.charge_amount ?? service.price, currency)} ${service.billing_cycle}`],
      ["Auto-renew", yesNo(instance.auto_renew ?? true)],
      ["Expires", dateTime(instance.expires_at)],
      ...(until === null ? [] : [["Top up before", dateTime(until)] as const]),
      ["Created", dateTime(instance.created_at)]
    ], capabilities)
  },
  ids: (instance) => [instance.id]
})

const usageFields = ({ sample }: LiveStatus): ReadonlyArray<readonly [string, string]> =>
  sample === null ? [] : [
    ["CPU", percent(sample.cpu_percent)],
    ["Memory", `${bytes(sample.memory_bytes)} of ${bytes(sample.memory_total_bytes)}`],
    ["Disk", `${rate(sample.disk_read_bytes_per_second)} read, ${rate(sample.disk_write_bytes_per_second)} write`],
    ["Network", `${rate(sample.network_rx_bytes_per_second)} in, ${rate(sample.network_tx_bytes_per_second)} out`]
  ]

const PAUSES: Readonly<Record<string, string>> = { storage_full: "its host has no space left" }

/** A service may report a reason that is newer than this command, and an older service none. */
const powerText = ({ paused, power }: LiveStatus): string =>
  paused === null || paused === undefined ? power : `${power}, paused: ${PAUSES[paused] ?? paused}`

export const liveStatus: View<LiveStatus> = {
  text: (live, capabilities) =>
    fields([
      ["Instance", String(live.instance_id)],
      ["Status", live.status, styleOf(live.status)],
      ["Power", powerText(live)],
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
export const taskColumns: ReadonlyArray<ListColumn<Task>> = [
  id,
  { title: "TYPE", value: ({ type }) => type, keep: true },
  status,
  { title: "PROGRESS", value: ({ progress }) => `${progress} %`, by: ({ progress }) => progress, right: true },
  created,
  time("FINISHED", ({ finished_at }) => finished_at),
  { title: "BY", value: ({ actor }) => actor },
  { title: "ERROR", value: ({ error }) => error ?? EMPTY, keep: true }
]

export const snapshots = new List<Snapshot>([
  id,
  { title: "NAME", value: ({ name }) => name, keep: true },
  status,
  size,
  created
], idOf)

export const backups = new List<Backup>([
  id,
  { title: "KIND", value: ({ kind }) => kind },
  status,
  size,
  created,
  time("EXPIRES", ({ expires_at }) => expires_at)
], idOf)

export const isos = new List<Iso>([
  id,
  { title: "NAME", value: ({ name }) => name },
  { title: "FILE", value: ({ file_name }) => file_name, keep: true },
  size,
  { title: "MOUNTED", value: ({ mounted }) => yesNo(mounted), style: ({ mounted }) => mounted ? "green" : undefined }
], idOf)
