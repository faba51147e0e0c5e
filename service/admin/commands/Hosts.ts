/** The commands for hosts, and for their settings, which an operator may try out first. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Timestamp.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import { Addresses } from "../../persistence/Addresses.ts"
import { type Host, Hosts } from "../../persistence/Hosts.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { idInTag } from "../../persistence/MachineTag.ts"
import { HostAdmin } from "../../provisioning/HostAdmin.ts"
import { type CommandRejected, reject } from "../Input.ts"
import type { HostState } from "../../contract/Words.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

/** The disk that can still be sold on a host: neither more than its pool's size, nor more than its real space. */
const diskLeft = ({ capacity, diskLeftGib, used }: Host): number =>
  Math.max(0, Math.min(capacity.diskGib - used.diskGib, diskLeftGib ?? Number.MAX_SAFE_INTEGER))

const toRecord = (host: Host) => ({
  name: host.name,
  state: host.state,
  unreachable_since: host.unreachableSince === null ? null : toTimestamp(host.unreachableSince),
  uri: host.uri,
  cpus: { used: host.used.cpus, total: host.capacity.cpus },
  memory_mib: { used: host.used.memoryMib, total: host.capacity.memoryMib },
  disk_gib: { used: host.used.diskGib, total: host.capacity.diskGib },
  disk_left_gib: diskLeft(host),
  accelerator: host.accelerator,
  pool: host.pool,
  bridge: host.bridge,
  shared_storage: host.sharedStorage,
  backup_pool: host.backupPool,
  shared_backups: host.sharedBackups
})

/** The id of a data center by its label. */
export const dataCenterNamed = Effect.fnUntraced(function*(label: string) {
  const { dataCenters } = yield* (yield* Catalogue).read
  const found = dataCenters.find((each) => each.label === label)
  if (found !== undefined) return found.id
  const available = dataCenters.map((each) => each.label).join(", ")
  return yield* reject(
    `Unknown data center "${label}". Available: ${available || "none; run \"catalogue import\" first"}.`
  )
})

/** The host of a name. */
export const hostNamed = Effect.fnUntraced(function*(name: string) {
  const hosts = yield* Hosts
  const host = yield* hosts.named(name)
  if (host !== undefined) return host
  const available = (yield* hosts.list).map((each) => each.name).join(", ")
  return yield* reject(`Host ${name} does not exist. Available: ${available || "none; run \"hosts add\""}.`)
})

const isBeside = (one: Host, other: Pick<Host, "sharedStorage">): boolean =>
  one.sharedStorage !== null && one.sharedStorage === other.sharedStorage

const addHost = Effect.fnUntraced(function*(input: InputOf<"hosts.add">) {
  const dataCenterId = yield* dataCenterNamed(input.data_center)
  const hosts = yield* Hosts
  const exists = Effect.flatMap(
    hosts.named(input.name),
    (host) => host === undefined ? Effect.void : reject(`Host ${input.name} already exists. Choose another name.`)
  )
  yield* exists
  const { accelerator, bridge, certificates = null, name, overcommit, pool, reserved_mib: reserved, uri } = input
  const place = { name, uri, certificates, pool, bridge, accelerator, sharedStorage: input.shared_storage ?? null }
  const backups = yield* backupsOf({ ...place, backupPool: null, sharedBackups: null }, input)
  const { freeGib, size: capacity } = yield* (yield* HostAdmin).capacity({ ...place, ...backups }, overcommit, reserved)
    .pipe(
      Effect.mapError(({ message }) => reject(message))
    )
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* exists
    const id = yield* hosts.add({ ...place, ...backups, dataCenterId, capacity, state: "active", at })
    // One that joins a storage has the space of the others there, until the next audit.
    const beside = (yield* hosts.list).filter((each) => each.id !== id && isBeside(each, place))
    const limits = beside.flatMap(({ diskLeftGib }) => diskLeftGib ?? [])
    const promised = beside.reduce((sum, { used }) => sum + used.diskGib, 0)
    yield* hosts.setDiskLimit(id, promised + Math.min(freeGib, ...limits))
    return toRecord((yield* hosts.find(id))!)
  }))
})

const listHosts = Effect.map(
  Effect.flatMap(Hosts, ({ list }) => list),
  (hosts) => hosts.map(toRecord)
)

const setting = (state: HostState) =>
  Effect.fnUntraced(function*({ name }: InputOf<"hosts.drain">) {
    const hosts = yield* Hosts
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      const { id } = yield* hostNamed(name)
      yield* hosts.setState(id, state)
      return toRecord((yield* hosts.find(id))!)
    }))
  })

const drainHost = setting("draining")

/** A host that was fenced may still have what runs elsewhere now. */
const assertNoneElsewhere = Effect.fnUntraced(function*(host: Host) {
  const hosts = yield* Hosts
  const { byHand, machines } = yield* HostAdmin
  const tags = yield* Effect.mapError(
    machines(host),
    ({ message }) => reject(`Host ${host.name} does not respond: ${message}`)
  )
  for (const tag of tags) {
    const owner = yield* hosts.reservation(idInTag(tag) ?? 0)
    if (owner?.tag === tag && owner.hostId === host.id) continue
    return yield* reject(
      `Host ${host.name} has ${tag}, which it may not run any more. Remove it there first: ${byHand.powerOff(tag)}; `
        + `${byHand.remove(tag)}.`
    )
  }
})

const activate = setting("active")

const activateHost = Effect.fnUntraced(function*(input: InputOf<"hosts.drain">) {
  const host = yield* hostNamed(input.name)
  if (host.state === "offline") yield* assertNoneElsewhere(host)
  return yield* activate(input)
})

type Settings = Pick<Host, "backupPool" | "sharedBackups">

/** The settings of a host after a change. Another pool is not shared unless that is said, too. */
const backupsOf = (
  host: Pick<Host, "pool"> & Settings,
  input: { readonly backup_pool?: string; readonly shared_backups?: string }
): Effect.Effect<Settings, CommandRejected> => {
  const backupPool = input.backup_pool ?? host.backupPool
  const kept = backupPool === host.backupPool ? host.sharedBackups : null
  const sharedBackups = input.shared_backups ?? kept
  if (backupPool === host.pool) {
    return Effect.fail(
      reject(`"${host.pool}" is the pool of the disks. Choose another one for backups, on another disk or computer.`)
    )
  }
  if (backupPool === null && sharedBackups !== null) {
    return Effect.fail(reject("--shared-backups is the name of a shared --backup-pool. Give both."))
  }
  return Effect.succeed({ backupPool, sharedBackups })
}

const wanted = (host: Host, input: InputOf<"hosts.set">) => {
  if (!input.no_backup_pool) return backupsOf(host, input)
  return input.backup_pool === undefined && input.shared_backups === undefined
    ? Effect.succeed({ backupPool: null, sharedBackups: null })
    : Effect.fail(reject("--no-backup-pool excludes --backup-pool and --shared-backups."))
}

const setHost = Effect.fnUntraced(function*(input: InputOf<"hosts.set">) {
  const { name, shared_storage: sharedStorage, ...rest } = input
  if (sharedStorage === undefined && Object.values(rest).every((value) => value === undefined || value === false)) {
    return yield* reject("Nothing to change. Give at least one flag; see hosts set --help.")
  }
  const host = yield* hostNamed(name)
  const { backupPool, sharedBackups } = yield* wanted(host, input)
  if (backupPool !== host.backupPool) {
    const { checkBackupPool } = yield* HostAdmin
    yield* Effect.mapError(checkBackupPool(host, backupPool), ({ message }) => reject(message))
  }
  const hosts = yield* Hosts
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* hosts.setStorage(host.id, sharedStorage ?? host.sharedStorage, backupPool, sharedBackups)
    return toRecord((yield* hosts.find(host.id))!)
  }))
})

/** The other hosts that an operator has declared to share a host's backups. */
export const sharersOf = Effect.fnUntraced(function*({ id, sharedBackups }: Host) {
  const all = yield* (yield* Hosts).list
  return all.filter((each) => each.id !== id && sharedBackups !== null && each.sharedBackups === sharedBackups)
})

export const responds = ({ state, unreachableSince }: Host): boolean => unreachableSince === null && state !== "offline"

/** Every instance needs an IPv4 address; one of IPv6 is in addition to it. */
const checkAddresses = Effect.fnUntraced(function*({ dataCenterId }: Host) {
  const free = yield* (yield* Addresses).isFree(dataCenterId, yield* Clock.currentTimeMillis)
  const detail = free
    ? "its data center has free IPv4 addresses"
    : "No IPv4 address is free in its data center, and every instance needs one, so all plans are out of stock there. "
      + "Add some with \"addresses add\"."
  return { check: "addresses", ok: free, detail }
})

const checkSpace = (host: Host) => {
  const left = diskLeft(host)
  const detail = left > 0
    ? `${left} GiB of disk can be sold`
    : `No disk can be sold: ${host.used.diskGib} GiB are promised to instances, and the pool "${host.pool}" has no `
      + "space beside them, its reserve and copies in progress. Free space in it, or enlarge it; the next audit finds "
      + "that."
  return { check: "space", ok: left > 0, detail }
}

/** Tries a host out: all that a machine needs, with a trial machine that is booted and removed. */
const tryHost = Effect.fnUntraced(function*({ name }: InputOf<"hosts.check">) {
  const host = yield* hostNamed(name)
  const images = yield* (yield* Hosts).images(host.id)
  const sharers = yield* sharersOf(host)
  const silent = sharers.filter((other) => !responds(other))
  const checks = yield* (yield* HostAdmin).check(host, images, sharers.filter(responds), silent)
  return [...checks, checkSpace(host), yield* checkAddresses(host)]
})

export const HOSTS_USE_CASES = {
  "hosts.add": addHost,
  "hosts.list": () => listHosts,
  "hosts.drain": drainHost,
  "hosts.activate": activateHost,
  "hosts.set": setHost,
  "hosts.check": tryHost
} satisfies UseCases
