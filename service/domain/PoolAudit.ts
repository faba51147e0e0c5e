/** Compares the volumes in the pools of hosts with the machines to which they belong. */
import type { AuditedInstance, ByHand, Finding, HostContents, PoolContents } from "./Finding.ts"

/** The pools of a host. One of a host that does not respond does not, either. */
const poolsOf = ({ backups, disks, failure, storage }: HostContents): ReadonlyArray<PoolContents> => [
  { storage, disks, failure },
  ...(backups === null ? [] : [{ ...backups, failure: failure ?? backups.failure }])
]

/** Disks of machines that no host with the same storage has. They are never deleted: the data may be needed. */
export const strayDisks = function*(
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
    for (const { name, tag } of disks) {
      if (known.has(tag) || instances.get(tag)?.isBusy === true || seen.has(`${storage}/${name}`)) continue
      seen.add(`${storage}/${name}`)
      const detail = `The volume ${name} belongs to no machine. Look at it, then delete it by hand: ${deleteDisk}.`
      yield { kind: "disk", tag, hosts: [host], detail, repair: null }
    }
  }
}

/** Backup pools that could not be listed, of hosts that were. */
export const unreadablePools = (contents: ReadonlyArray<HostContents>): ReadonlyArray<Finding> =>
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
