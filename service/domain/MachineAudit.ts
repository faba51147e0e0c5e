/** Compares the instances of the records with the machines that exist on hosts. */
import type { Lifecycle, Power } from "./InstanceStatus.ts"

/** A machine in its host's own list. */
export interface ListedMachine {
  readonly tag: string
  readonly power: Power
  /** It is off because it crashed, or its host did. */
  readonly isCrashed: boolean
  /** It is paused because its disk could not be written. */
  readonly isPaused: boolean
}

/** The volumes in a pool. */
export interface PoolContents {
  /** Hosts with the same storage see the same volumes. */
  readonly storage: string
  /** Volumes that are named after a machine, also after one that the host does not have. */
  readonly disks: ReadonlyArray<{ readonly tag: string; readonly name: string }>
  /** The reason for which it could not be listed; null if it was. */
  readonly failure: string | null
}

/** The machines and disks on one host. The failure is the whole host's. */
export interface HostContents extends PoolContents {
  readonly host: string
  readonly machines: ReadonlyArray<ListedMachine>
  /** The contents of its pool for backups; null if it has none. */
  readonly backups: PoolContents | null
  /** An operator has declared that it is off. */
  readonly isOff: boolean
}

/** The part of an instance's record that is compared. */
export interface AuditedInstance {
  readonly tag: string
  readonly lifecycle: Lifecycle
  readonly power: Power
  /** An operation is open, which changes the machine. */
  readonly isBusy: boolean
  readonly isDeployed: boolean
  /** False if the service has started it after crashes too often. */
  readonly isRestartable: boolean
  /** It crashed too often, and was not started by its owner since. */
  readonly isGivenUp: boolean
  /** The host that it is promised; null for drivers that choose it themselves. */
  readonly host: string | null
}

/** `record_on`, `record_off`, `give_up`: the record is corrected, and the machine stays as it is. */
export type Repair = "start" | "stop" | "record_on" | "record_off" | "give_up"

export const FINDING_KINDS = [
  "unreachable",
  "missing",
  "unknown",
  "duplicate",
  "misplaced",
  "power",
  "crash",
  "paused",
  "disk",
  "backups"
] as const
export type FindingKind = typeof FINDING_KINDS[number]

export interface Finding {
  readonly kind: FindingKind
  /** Of the machine; null for a host. */
  readonly tag: string | null
  readonly hosts: ReadonlyArray<string>
  /** The difference, then what to do. */
  readonly detail: string
  /** The repair that is safe without an operator; null if none is. */
  readonly repair: Repair | null
}

const DEPLOYED: ReadonlySet<Lifecycle> = new Set<Lifecycle>(["active", "suspended", "expired"])

const shouldExist = ({ isDeployed, lifecycle }: AuditedInstance): boolean => isDeployed && DEPLOYED.has(lifecycle)

type PowerFinding = Pick<Finding, "kind" | "repair" | "detail">

const crashed = (tag: string, repair: Repair | null): PowerFinding => ({
  kind: "crash",
  repair,
  detail: "It crashed too often, so it is not started again, and the instance is stopped. Find the cause in "
    + `/var/log/libvirt/qemu/${tag}.log on its host; then its owner can start it.`
})

const paused = (tag: string): PowerFinding => ({
  kind: "paused",
  repair: null,
  detail: "It is paused, because its disk could not be written: its host's pool is probably full. Free space in the "
    + `pool, then continue it: virsh resume ${tag}.`
})

const powerFinding = (
  { isGivenUp, isRestartable, lifecycle, power: recorded, tag }: AuditedInstance,
  { isCrashed, isPaused, power }: ListedMachine
): PowerFinding | undefined => {
  const differs = (repair: Repair, detail: string): PowerFinding => ({ kind: "power", repair, detail })
  if (lifecycle !== "active") {
    return power === "off"
      ? undefined
      : differs("stop", `It runs although the instance is ${lifecycle}; it is stopped.`)
  }
  if (isPaused) return paused(tag)
  if (power === recorded) return power === "off" && isGivenUp ? crashed(tag, null) : undefined
  if (power === "on") return differs("record_on", "It runs although it was stopped; the record is corrected.")
  if (!isCrashed) return differs("record_off", "It was shut down from inside or by hand; the record is corrected.")
  if (!isRestartable) return crashed(tag, "give_up")
  return differs("start", "It is off because it or its host crashed; it is started.")
}

type Located = ListedMachine & { readonly host: string }

const judgeOne = (instance: AuditedInstance, machine: Located): Finding | undefined => {
  const { tag } = instance
  const found = { tag, hosts: [machine.host] }
  if (instance.host !== null && instance.host !== machine.host) {
    const detail =
      `It is on ${machine.host}, and its record says ${instance.host}. Move it back, or restore the record.`
    return { ...found, kind: "misplaced", detail, repair: null }
  }
  const power = powerFinding(instance, machine)
  return power && { ...found, ...power }
}

/** The finding about one machine; undefined if it is as it should be. */
const judge = (
  tag: string,
  instance: AuditedInstance | undefined,
  machines: ReadonlyArray<Located>,
  failed: ReadonlyArray<HostContents>
): Finding | undefined => {
  if (instance?.isBusy === true) return undefined
  const hosts = machines.map(({ host }) => host)
  const [machine, another] = machines
  if (another !== undefined) {
    const detail = "Two machines of one instance: shut down the one that is out of date, and look at both disks before "
      + "you undefine it."
    return { kind: "duplicate", tag, hosts, detail, repair: null }
  }
  if (instance === undefined || !shouldExist(instance)) {
    if (machine === undefined) return undefined
    const detail = "No instance needs it. If its data is not needed either, remove it: "
      + `virsh destroy ${tag}; virsh undefine ${tag}.`
    return { kind: "unknown", tag, hosts, detail, repair: null }
  }
  if (machine !== undefined) return judgeOne(instance, machine)
  const { host } = instance
  const unlisted = failed.find((each) => host === null || each.host === host)
  if (unlisted?.isOff === true) {
    const detail =
      `Its host was declared off, and only that has its disk. Run "hosts fence ${unlisted.host} --confirmed-off", `
      + "which says if a backup can bring it up elsewhere; else repair the host, or refund the customer."
    return { kind: "missing", tag, hosts: [unlisted.host], detail, repair: null }
  }
  if (unlisted !== undefined) return undefined
  const detail = "The instance has no machine. Restore its definition on the host, or refund the customer."
  return { kind: "missing", tag, hosts: host === null ? [] : [host], detail, repair: null }
}

/** The pools of a host. One of a host that does not respond does not, either. */
const poolsOf = ({ backups, disks, failure, storage }: HostContents): ReadonlyArray<PoolContents> => [
  { storage, disks, failure },
  ...(backups === null ? [] : [{ ...backups, failure: failure ?? backups.failure }])
]

/** Disks of machines that no host with the same storage has. They are never deleted: the data may be needed. */
const strayDisks = function*(
  contents: ReadonlyArray<HostContents>,
  instances: ReadonlyMap<string, AuditedInstance>
): Generator<Finding> {
  const pools = contents.flatMap((each) => poolsOf(each).map((pool) => ({ ...each, ...pool })))
  const incomplete = new Set(pools.filter(({ failure }) => failure !== null).map(({ storage }) => storage))
  const seen = new Set<string>()
  for (const { disks, host, storage } of pools) {
    if (incomplete.has(storage)) continue
    const beside = pools.filter((each) => each.storage === storage)
    const known = new Set(beside.flatMap(({ machines }) => machines.map(({ tag }) => tag)))
    for (const { name, tag } of disks) {
      if (known.has(tag) || instances.get(tag)?.isBusy === true || seen.has(`${storage}/${name}`)) continue
      seen.add(`${storage}/${name}`)
      const detail = `The volume ${name} belongs to no machine. Look at it, then delete it by hand: virsh vol-delete.`
      yield { kind: "disk", tag, hosts: [host], detail, repair: null }
    }
  }
}

/** Backup pools that could not be listed, of hosts that were. */
const unreadablePools = (contents: ReadonlyArray<HostContents>): ReadonlyArray<Finding> =>
  contents.flatMap(({ backups, failure, host }) =>
    failure !== null || backups === null || backups.failure === null ? [] : [{
      kind: "backups",
      tag: null,
      hosts: [host],
      detail: `The backup pool cannot be read: ${backups.failure} Backups, restores and terminations of its instances `
        + `wait. Run "hosts check ${host}".`,
      repair: null
    }]
  )

/** All differences. An instance with an open operation, and what a host that is not listed may have, is left out. */
export const audit = (
  contents: ReadonlyArray<HostContents>,
  instances: ReadonlyArray<AuditedInstance>
): ReadonlyArray<Finding> => {
  const failed = contents.filter(({ failure }) => failure !== null)
  const byTag = new Map(instances.map((instance) => [instance.tag, instance]))
  const machines = new Map<string, Array<Located>>(instances.map(({ tag }) => [tag, []]))
  for (const { host, machines: listed } of contents) {
    for (const machine of listed) {
      const located = machines.get(machine.tag) ?? []
      machines.set(machine.tag, located)
      located.push({ ...machine, host })
    }
  }
  return [
    ...failed.map(({ failure, host }): Finding => ({
      kind: "unreachable",
      tag: null,
      hosts: [host],
      detail: failure!,
      repair: null
    })),
    ...[...machines].flatMap(([tag, found]) => judge(tag, byTag.get(tag), found, failed) ?? []),
    ...unreadablePools(contents),
    ...strayDisks(contents, byTag)
  ]
}

/**
 * Identifies a finding, so that the one of an earlier audit is recognized. A host that does not respond is one finding,
 * whether its connection was lost or refused, and so is a backup pool.
 */
export const keyOf = ({ detail, hosts, kind, tag }: Finding): string =>
  [kind, tag, hosts, ...(kind === "unreachable" || kind === "backups" ? [] : [detail])].join(" ")
