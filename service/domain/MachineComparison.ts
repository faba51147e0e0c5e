/** Compares the instances of the records with the machines that exist on hosts, and with the volumes in their pools. */
import type { AuditedInstance, ByHand, Finding, HostContents, ListedMachine, PoolContents } from "./Finding.ts"
import { toTimestamp } from "./Timestamp.ts"
import type { Lifecycle, Repair } from "../contract/Words.ts"

const DEPLOYED: ReadonlySet<Lifecycle> = new Set<Lifecycle>(["active", "suspended", "expired"])

const shouldExist = ({ isDeployed, lifecycle }: AuditedInstance): boolean => isDeployed && DEPLOYED.has(lifecycle)

type PowerFinding = Pick<Finding, "kind" | "repair" | "detail">

const crashed = (log: string, repair: Repair | null): PowerFinding => ({
  kind: "crash",
  repair,
  detail: "It crashed too often, so it is not started again, and the instance is stopped. Find the cause in "
    + `${log} on its host; then its owner can start it.`
})

const paused = (isResumable: boolean, resume: string): PowerFinding => ({
  kind: "paused",
  repair: isResumable ? "resume" : null,
  detail: isResumable
    ? `It is paused, because its disk could not be written. Its pool has space again, so it is continued: ${resume}.`
    : "It is paused, because its disk could not be written: its host's pool is probably full. Free space in the pool; "
      + `then it is continued, or at once with: ${resume}.`
})

const saved = (tag: string, { continueSaved, discardSaved }: ByHand): PowerFinding => ({
  kind: "saved",
  repair: null,
  detail:
    `It is off, and its host has saved its memory. Continue it: ${continueSaved(tag)}. If that fails, or it is to `
    + `boot instead: ${discardSaved(tag)}. An operation that changes its disk or its drives does that, too.`
})

const FROZEN: PowerFinding = {
  kind: "frozen",
  repair: "thaw",
  detail: "Its file systems were frozen for a copy, and the service was interrupted; they are thawed. If this is found "
    + "again, its guest agent does not reply: restart the instance."
}

const UNPROTECTED: PowerFinding = {
  kind: "unprotected",
  repair: "protect",
  detail: "The filter of its network card is missing on its host, so it could use the addresses of others; it is set "
    + "again. If this is found again, look for the program on the host that removes it, such as a firewall."
}

const powerFinding = (
  { isGivenUp, isRestartable, lifecycle, power: recorded, tag }: AuditedInstance,
  { isCrashed, isFrozen, isLeftOff, isPaused, isResumable, isSaved, isUnprotected, power }: ListedMachine,
  byHand: ByHand
): PowerFinding | undefined => {
  const differs = (repair: Repair, detail: string): PowerFinding => ({ kind: "power", repair, detail })
  const isToStart = lifecycle === "active" && recorded === "on" && isLeftOff
  if (isSaved && !isToStart) return saved(tag, byHand)
  // Of any instance: it protects its neighbors.
  if (isUnprotected) return UNPROTECTED
  if (lifecycle !== "active") {
    return power === "off"
      ? undefined
      : differs("stop", `It runs although the instance is ${lifecycle}; it is stopped.`)
  }
  if (isPaused) return paused(isResumable, byHand.resume(tag))
  if (isFrozen && power === "on") return FROZEN
  if (power === recorded) return power === "off" && isGivenUp ? crashed(byHand.logOf(tag), null) : undefined
  if (power === "on") return differs("record_on", "It runs although it was stopped; the record is corrected.")
  if (isLeftOff) return differs("start_again", "It is off since its host was restarted; it is started.")
  if (!isCrashed) {
    return differs(
      "record_off",
      "It was shut down, from inside or by hand. The record is corrected once its host has stayed up."
    )
  }
  if (!isRestartable) return crashed(byHand.logOf(tag), "give_up")
  return differs("start", "It is off because it crashed; it is started.")
}

type Located = ListedMachine & { readonly host: string }

const judgeOne = (instance: AuditedInstance, machine: Located, byHand: ByHand): Finding | undefined => {
  const { id, tag } = instance
  const found = { tag, instanceId: id, hosts: [machine.host] }
  if (machine.otherName !== undefined) {
    const detail =
      `It is called ${machine.otherName} on its host, so its operations fail. Give it its name again, while `
      + `it is off: ${byHand.rename(machine.otherName, tag)}.`
    return { ...found, kind: "renamed", detail, repair: null }
  }
  if (instance.host !== null && instance.host !== machine.host) {
    const detail =
      `It is on ${machine.host}, and its record says ${instance.host}. Move it back, or restore the record.`
    return { ...found, kind: "misplaced", detail, repair: null }
  }
  const power = powerFinding(instance, machine, byHand)
  return power && { ...found, ...power }
}

/** The finding about one machine; undefined if it is as it should be. */
const judge = (
  tag: string,
  instance: AuditedInstance | undefined,
  machines: ReadonlyArray<Located>,
  failed: ReadonlyArray<HostContents>,
  byHand: ByHand
): Finding | undefined => {
  if (instance?.isBusy === true) return undefined
  const hosts = machines.map(({ host }) => host)
  const instanceId = instance?.id ?? null
  const [machine, another] = machines
  if (another !== undefined) {
    const detail = "Two machines of one instance: shut down the one that is out of date, and look at both disks before "
      + "you undefine it."
    return { kind: "duplicate", tag, instanceId, hosts, detail, repair: null }
  }
  if (instance === undefined || !shouldExist(instance)) {
    if (machine === undefined) return undefined
    const name = machine.otherName ?? tag
    const detail = instance === undefined
      ? "No instance has it. After a restore or a failover it may be the only copy of a customer's data: find out "
        + `whose it is and keep its disk. Without an owner, power it off and remove its definition: ${
          byHand.powerOff(name)
        }; `
        + `${byHand.remove(name)}.`
      : `Its instance is ${instance.lifecycle} and needs it no more. Power it off and remove its definition: `
        + `${byHand.powerOff(name)}; ${byHand.remove(name)}.`
    return { kind: "unknown", tag, instanceId, hosts, detail, repair: null }
  }
  if (machine !== undefined) return judgeOne(instance, machine, byHand)
  const { host } = instance
  const unlisted = failed.find((each) => host === null || each.host === host)
  if (unlisted?.isOff === true) {
    const detail =
      `Its host was declared off, and only that has its disk. Run "hosts fence ${unlisted.host} --confirmed-off", `
      + "which says if a backup can bring it up elsewhere; else repair the host, or refund the customer."
    return { kind: "missing", tag, instanceId, hosts: [unlisted.host], detail, repair: null }
  }
  if (unlisted !== undefined) return undefined
  const detail = "The instance has no machine. Restore its definition on the host, or refund the customer."
  return { kind: "missing", tag, instanceId, hosts: host === null ? [] : [host], detail, repair: null }
}

/** The machines on a host that was declared off and responds, whose records are elsewhere. */
const staleMachines = (
  { host, machines }: HostContents,
  instances: ReadonlyMap<string, AuditedInstance>,
  byHand: ByHand
): ReadonlyArray<Finding> =>
  machines.flatMap(({ otherName, power, tag }) => {
    const instance = instances.get(tag)
    const name = otherName ?? tag
    if (instance?.host === host || instance?.target === host) return []
    const record = instance === undefined ? "no instance needs it" : `its record says ${instance.host}`
    const detail = power === "on"
      ? `It runs on ${host}, which was declared off, and ${record}. Power ${host} off, or run there: ${
        byHand.powerOff(name)
      }.`
      : `It is defined on ${host}, which was declared off, and ${record}. Remove it there before you activate the `
        + `host: ${byHand.remove(name)}.`
    return [{ kind: "stale", tag, instanceId: instance?.id ?? null, hosts: [host], detail, repair: null }]
  })

/** The pools of a host. One of a host that does not respond does not, either. */
const poolsOf = ({ backups, disks, failure, storage }: HostContents): ReadonlyArray<PoolContents> => [
  { storage, disks, failure },
  ...(backups === null ? [] : [{ ...backups, failure: failure ?? backups.failure }])
]

/** Disks of machines that no host with the same storage has. They are never deleted: the data may be needed. */
const strayDisks = function*(
  contents: ReadonlyArray<HostContents>,
  instances: ReadonlyMap<string, AuditedInstance>,
  { deleteDisk }: ByHand
): Generator<Finding> {
  const pools = contents.flatMap((each) => poolsOf(each).map((pool) => ({ ...each, ...pool })))
  const incomplete = new Set(pools.filter(({ failure }) => failure !== null).map(({ storage }) => storage))
  const seen = new Set<string>()
  for (const { disks, host, storage } of pools) {
    if (incomplete.has(storage)) continue
    const beside = pools.filter((each) => each.storage === storage)
    const known = new Set(beside.flatMap(({ machines }) => machines.map(({ tag }) => tag)))
    const used = new Set(beside.flatMap(({ foreign }) => foreign.flatMap((machine) => machine.disks)))
    for (const { name, tag } of disks) {
      if (known.has(tag) || used.has(name) || instances.get(tag)?.isBusy === true || seen.has(`${storage}/${name}`)) {
        continue
      }
      seen.add(`${storage}/${name}`)
      const detail =
        `The volume ${name} belongs to no machine. It may be the only copy of a customer's data: look at it `
        + `and keep a copy, then delete it by hand: ${deleteDisk}.`
      yield { kind: "disk", tag, instanceId: instances.get(tag)?.id ?? null, hosts: [host], detail, repair: null }
    }
  }
}

/** Backup pools that could not be listed, of hosts that were. */
const unreadablePools = (contents: ReadonlyArray<HostContents>): ReadonlyArray<Finding> =>
  contents.flatMap(({ backups, failure, host }) =>
    failure !== null || backups === null || backups.failure === null ? [] : [{
      kind: "backups",
      tag: null,
      instanceId: null,
      hosts: [host],
      detail: `The backup pool cannot be read: ${backups.failure} Backups, restores and terminations of its instances `
        + `wait. Run "hosts check ${host}".`,
      repair: null
    }]
  )

/** Machines of others. They are never changed or adopted. */
const foreignMachines = (contents: ReadonlyArray<HostContents>): ReadonlyArray<Finding> =>
  contents.flatMap(({ foreign, host }) =>
    foreign.map(({ disks, name }): Finding => ({
      kind: "foreign",
      tag: name,
      instanceId: null,
      hosts: [host],
      detail: disks.length === 0
        ? "It is called like a machine of the service, but the service did not make it: it has no record. It is left "
          + "alone. Rename it."
        : `The service did not make it, and it uses ${disks.join(", ")}. Give the disk back to the instance's machine.`,
      repair: null
    }))
  )

/** Images that are gone from pools, once for hosts with the same storage. */
const lostImages = (contents: ReadonlyArray<HostContents>): ReadonlyArray<Finding> =>
  [...new Map(contents.map((each) => [each.storage, each])).values()].flatMap(({ host, lostImages }) =>
    lostImages.map(({ disks, name }) => ({
      kind: "image",
      tag: null,
      instanceId: null,
      hosts: [host],
      detail: `The image ${name} is missing in the pool, and these disks cannot be opened without it: ${
        disks.join(", ")
      }. Their machines run until they are stopped. Import the same file again with "images import".`,
      repair: null
    }))
  )

/** Certificates that end, after which the service cannot connect any more. */
const endingCertificates = (contents: ReadonlyArray<HostContents>): ReadonlyArray<Finding> =>
  contents.flatMap(({ certificates, host }) =>
    certificates.map(({ endsAt, name }) => ({
      kind: "certificate",
      tag: null,
      instanceId: null,
      hosts: [host],
      detail:
        `The certificate ${name} ends on ${toTimestamp(endsAt)}. After that, the next connection to the host fails: `
        + "its tasks wait, and no instance is placed on it. Renew it before.",
      repair: null
    }))
  )

/** All differences. An instance with an open operation, and what a host that is not listed may have, is left out. */
export const differences = (
  contents: ReadonlyArray<HostContents>,
  instances: ReadonlyArray<AuditedInstance>,
  byHand: ByHand
): ReadonlyArray<Finding> => {
  const failed = contents.filter(({ failure }) => failure !== null)
  const byTag = new Map(instances.map((instance) => [instance.tag, instance]))
  const machines = new Map<string, Array<Located>>(instances.map(({ tag }) => [tag, []]))
  for (const { failure, host, machines: listed } of contents) {
    if (failure !== null) continue
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
      instanceId: null,
      hosts: [host],
      detail: failure!,
      repair: null
    })),
    ...contents.filter(({ isOff }) => isOff).flatMap((each) => staleMachines(each, byTag, byHand)),
    ...[...machines].flatMap(([tag, found]) => judge(tag, byTag.get(tag), found, failed, byHand) ?? []),
    ...foreignMachines(contents),
    ...unreadablePools(contents),
    ...lostImages(contents),
    ...endingCertificates(contents),
    ...strayDisks(contents, byTag, byHand)
  ]
}

/**
 * Identifies a finding, so that the one of an earlier audit is recognized. A host that does not respond is one finding,
 * whether its connection was lost or refused, and so is a backup pool.
 */
export const keyOf = ({ detail, hosts, kind, tag }: Finding): string =>
  [kind, tag, hosts, ...(kind === "unreachable" || kind === "backups" ? [] : [detail])].join(" ")
