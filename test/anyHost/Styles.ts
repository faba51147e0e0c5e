/**
 * Two hosts that the specification allows. Each fills what it does not show in a way of its own, and neither sends a
 * header beyond the type of the content.
 */
import { ISOS, type Machine, type Machines, type Plan, PLANS, type Snapshot } from "./Machines.ts"

/** All that the specification leaves open. */
export interface Style {
  /** The word of an instance's status. */
  readonly status: (machine: Machine) => string
  readonly orderStatus: string
  /** The header `Date`. */
  readonly showsDate: boolean
  /** The optional fields of an instance's record. */
  readonly optional: (machine: Machine) => object
  readonly orderOptional: (machine: Machine) => object
  readonly planOptional: (plan: Plan) => object
  readonly pricing: (plan: Plan) => object
  readonly root: unknown
  readonly whoami: (email: string) => unknown
  readonly live: (machine: Machine) => unknown
  readonly metrics: unknown
  readonly tasks: (machine: Machine, all: Machines) => unknown
  readonly availablePlans: (machine: Machine) => unknown
  readonly snapshots: (machine: Machine) => unknown
  readonly backups: unknown
  readonly isos: (machine: Machine) => unknown
  /** The result of a change. */
  readonly done: (action: string, machine: Machine) => unknown
  readonly resized: (machine: Machine, cents: number) => unknown
  readonly snapshotTaken: (snapshot: Snapshot) => unknown
  /** The `action` of leaving rescue mode. */
  readonly rescueExit: string
}

const euros = (cents: number): number => cents / 100

const others = ({ plan }: Machine): ReadonlyArray<Plan> =>
  PLANS.filter(({ dataCenter, id }) => dataCenter === plan.dataCenter && id !== plan.id)

/** Words of its own, lists in objects, and changes that say no more than `ok` and `action`. */
const a: Style = {
  status: ({ deployed, on, rescue, work }) => {
    if (!deployed) return "deploying"
    if (work !== undefined) return "working"
    return on ? rescue ? "recovery" : "active" : "halted"
  },
  orderStatus: "complete",
  showsDate: true,
  optional: ({ deployed, id }) =>
    deployed ? { provider_id: `node7/${id}`, ipv4: `198.51.100.${id % 250 + 1}`, auto_renew: true } : {},
  orderOptional: () => ({}),
  planOptional: () => ({}),
  pricing: () => ({}),
  root: { hello: "host a" },
  whoami: (email) => ({ user: { mail: email }, permissions: ["vps:create"] }),
  live: ({ on }) => ({ state: on ? "up" : "down", load: [0.1, 0.2] }),
  metrics: { points: [] },
  tasks: ({ id }, { deeds }) =>
    deeds.filter(({ instance }) => instance === id).map(({ operation }, at) => ({ uuid: `t-${at}`, what: operation })),
  availablePlans: (machine) => ({
    plans: others(machine).map(({ cents, id, name }) => ({ service_id: id, title: name, monthly: euros(cents) }))
  }),
  snapshots: ({ snapshots }) => ({ snapshots: snapshots.map(({ id, name }) => ({ snap_id: id, name, size: "2 GB" })) }),
  backups: { backups: [] },
  isos: ({ iso }) => ({ isos: ISOS.map(({ id, title }) => ({ iso_id: id, name: title })), current: iso ?? "none" }),
  done: (action) => ({ ok: true, action }),
  resized: () => ({ ok: true, action: "resize" }),
  snapshotTaken: () => ({ ok: true, action: "snapshot" }),
  rescueExit: "rescue_leave"
}

/** One status for everything, other types in fields of the same names, wrappers, and results without a record. */
const b: Style = {
  status: ({ deployed }) => deployed ? "OK" : "NEW",
  orderStatus: "1",
  showsDate: false,
  optional: ({ deployed, id }) => ({
    suspended_reason: null,
    provider_id: deployed ? `vm-${id}` : "",
    ipv4: deployed ? `203.0.113.${id % 250 + 1}` : "",
    provider_data: "rack 4"
  }),
  orderOptional: () => ({ config: "as ordered" }),
  planOptional: (plan) => ({ description: null, specs: { vcpu: 2, ram: "4 GB", storage: null, disks: plan.id } }),
  pricing: ({ cents }) => ({
    pricing: {
      gross: euros(cents),
      net: euros(cents),
      vat_rate: 0,
      vat_amount: 0,
      treatment: "none",
      charge_amount: euros(cents),
      display_amount: euros(cents)
    }
  }),
  root: [],
  whoami: () => ({ data: { key: "abcd", account_id: "seventy" }, key: "abcd" }),
  live: ({ id }) => ({ instance_id: String(id), status: 3, task: "none", snapshots: "0 of 3", sample: [] }),
  metrics: [],
  tasks: () => ({ items: { 1: "deploy" }, total: "1" }),
  availablePlans: (machine) => ({ data: { plan_ids: others(machine).map(({ id }) => id) } }),
  snapshots: ({ snapshots }) => ({
    data: snapshots.map(({ id, name, takenAt }) => ({ id: String(id), label: name, created_at: takenAt, status: 2 }))
  }),
  backups: null,
  isos: () => ({ data: ISOS.map(({ id, title }) => ({ id, name: title, mounted: "?" })) }),
  done: () => ({ result: "accepted" }),
  resized: (_, cents) => ({ result: "accepted", charge_amount: String(euros(cents)) }),
  snapshotTaken: () => [],
  rescueExit: "exit"
}

export const STYLES = { a, b }
export type StyleName = keyof typeof STYLES
