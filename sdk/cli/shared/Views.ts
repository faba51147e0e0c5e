/** The printed forms of the records of the API. */
import { PLAN_SPEC_ENTRIES } from "@pulumi-vps/contract/PlanSpecs"
import type {
  AvailablePlan,
  Backup,
  Instance,
  Iso,
  LiveStatus,
  PublicPlan,
  Snapshot,
  Task
} from "../../client/Records.ts"
import type { View as Shown } from "../../client/host/View.ts"
import * as Effect from "effect/Effect"
import { CommandError, EXIT } from "../errors/CommandError.ts"
import { bytes, dateTime, duration, EMPTY, money, percent, rate, yesNo } from "../output/Format.ts"
import { fields, List, type ListColumn, present } from "../output/List.ts"
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

/** Any host shows the IDs of instances and plans, and the statuses of instances; of other records it may not. */
interface Identified {
  readonly id?: number | undefined
}
interface Stated {
  readonly status?: string | undefined
}

const idOf = ({ id }: Identified): number | undefined => id
const id = {
  title: "ID",
  value: ({ id }: Identified) => id === undefined ? EMPTY : String(id),
  by: ({ id }: Identified) => id ?? 0,
  right: true,
  whole: true
} as const
const status = {
  title: "STATUS",
  value: ({ status = EMPTY }: Stated) => status,
  style: ({ status }: Stated) => status === undefined ? undefined : styleOf(status),
  whole: true
} as const

/** The rows of a list, which another host may return in a shape that is not known. */
export const rowsOf = <Row, E, R>(
  what: string,
  request: Effect.Effect<ReadonlyArray<Row> | undefined, E, R>
): Effect.Effect<ReadonlyArray<Row>, E | CommandError, R> =>
  Effect.flatMap(request, (rows) =>
    rows === undefined
      ? Effect.fail(
        new CommandError({
          message: `This host returns no list of ${what} that the command can read.`,
          hint: "See what it shows: vps whoami -v",
          exit: EXIT.failed
        })
      )
      : Effect.succeed(rows))

/** A column of a date, in the order of time. */
const time = <Row>(title: string, of: (row: Row) => string | null | undefined): ListColumn<Row> => ({
  title,
  value: (row) => dateTime(of(row)),
  by: (row) => of(row) ?? ""
})
const created = time("CREATED", (row: { readonly created_at?: string | undefined }) => row.created_at)
interface Sized {
  readonly size_bytes?: number | null | undefined
}
const size = {
  title: "SIZE",
  value: ({ size_bytes }: Sized) => bytes(size_bytes),
  by: ({ size_bytes }: Sized) => size_bytes ?? 0,
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
  value: ({ slug = EMPTY }: { readonly slug?: string | undefined }) => slug,
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

export const availablePlans = new List<Shown<AvailablePlan>>([
  id,
  slug,
  { title: "NAME", value: ({ name = EMPTY }) => name },
  { title: "DIRECTION", value: ({ direction = EMPTY }) => direction },
  {
    title: "PRICE",
    value: (plan) => money(plan.price, plan.currency),
    by: ({ price = 0 }) => price,
    right: true,
    whole: true
  },
  { title: "CYCLE", value: ({ billing_cycle = EMPTY }) => billing_cycle },
  {
    title: "CHARGE NOW",
    value: (plan) => money(plan.charge_amount, plan.currency),
    by: ({ charge_amount = 0 }) => charge_amount,
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

const both = (one: string | undefined, other: string | undefined, join: (a: string, b: string) => string) =>
  one === undefined || other === undefined ? undefined : join(one, other)

const usageFields = ({ sample }: Shown<LiveStatus>) => {
  if (sample === null || sample === undefined) return []
  const shown = (value: number | undefined, format: (value: number) => string) =>
    value === undefined ? undefined : format(value)
  const { disk_read_bytes_per_second: read, disk_write_bytes_per_second: write } = sample
  const { network_rx_bytes_per_second: received, network_tx_bytes_per_second: sent } = sample
  return [
    ["CPU", shown(sample.cpu_percent, percent)],
    [
      "Memory",
      both(shown(sample.memory_bytes, bytes), shown(sample.memory_total_bytes, bytes), (a, b) => `${a} of ${b}`)
    ],
    ["Disk", both(shown(read, rate), shown(write, rate), (a, b) => `${a} read, ${b} write`)],
    ["Network", both(shown(received, rate), shown(sent, rate), (a, b) => `${a} in, ${b} out`)]
  ] as const
}

const PAUSES: Readonly<Record<string, string>> = { storage_full: "its host has no space left" }

/** A service may report a reason that is newer than this command, and an older service none. */
const powerText = ({ paused, power }: Shown<LiveStatus>): string | undefined =>
  paused === null || paused === undefined || power === undefined
    ? power
    : `${power}, paused: ${PAUSES[paused] ?? paused}`

const bootText = ({ boot_mode: set, booted }: Shown<LiveStatus>): string | undefined =>
  set === undefined || booted === undefined || set === booted ? booted ?? set : `${set}, booted from ${booted}`

/** A dash for null, which says that there is none; nothing where the host does not show it. */
const orDash = <A>(value: A | null | undefined, text: (value: A) => string): string | undefined =>
  value === undefined ? undefined : value === null ? EMPTY : text(value)

export const liveStatus: View<Shown<LiveStatus>> = {
  text: (live, capabilities) =>
    fields(
      present([
        ["Instance", live.instance_id?.toString()],
        ["Status", live.status, live.status === undefined ? undefined : styleOf(live.status)],
        ["Power", powerText(live)],
        ["Boot mode", bootText(live)],
        ["Mounted ISO", orDash(live.iso_id, String)],
        [
          "Task",
          orDash(live.task, ({ id, progress, type = "unknown" }) =>
            `${type}${progress === undefined ? "" : `, ${progress} %`}${id === undefined ? "" : ` (task ${id})`}`)
        ],
        [
          "Snapshots",
          orDash(live.snapshots, ({ quota = EMPTY, used = EMPTY }) =>
            `${used} of ${quota}`)
        ],
        ["Uptime", live.uptime_seconds === undefined ? undefined : duration(live.uptime_seconds)],
        ...usageFields(live)
      ]),
      capabilities
    ),
  ids: ({ instance_id }) => instance_id === undefined ? [] : [instance_id]
}

/** The columns of the task list. */
export const taskColumns: ReadonlyArray<ListColumn<Shown<Task>>> = [
  id,
  { title: "TYPE", value: ({ type = EMPTY }) => type, keep: true },
  status,
  {
    title: "PROGRESS",
    value: ({ progress }) => progress === undefined ? EMPTY : `${progress} %`,
    by: ({ progress = 0 }) => progress,
    right: true
  },
  created,
  time("FINISHED", ({ finished_at }) => finished_at),
  { title: "BY", value: ({ actor = EMPTY }) => actor },
  { title: "ERROR", value: ({ error }) => error ?? EMPTY, keep: true }
]

export const snapshots = new List<Shown<Snapshot>>([
  id,
  { title: "NAME", value: ({ name = EMPTY }) => name, keep: true },
  status,
  size,
  created
], idOf)

export const backups = new List<Shown<Backup>>([
  id,
  { title: "KIND", value: ({ kind = EMPTY }) => kind },
  status,
  size,
  created,
  time("EXPIRES", ({ expires_at }) => expires_at)
], idOf)

export const isos = new List<Shown<Iso>>([
  id,
  { title: "NAME", value: ({ name = EMPTY }) => name },
  { title: "FILE", value: ({ file_name = EMPTY }) => file_name, keep: true },
  size,
  {
    title: "MOUNTED",
    value: ({ mounted }) => yesNo(mounted),
    style: ({ mounted }) => mounted === true ? "green" : undefined
  }
], idOf)
