/** The machines and volumes on each host, as libvirt lists them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { basename, dirname } from "node:path"
import type {
  ForeignMachine,
  HostContents,
  ListedMachine,
  PoolContents,
  PoolSpace,
  Scope
} from "../../../domain/Finding.ts"
import type { Host } from "../../../persistence/Hosts.ts"
import { type FreezeLimit, isLeftFrozen } from "./Freeze.ts"
import { DISK, type Space, tagOfVolume, unescape } from "./MachineRecord.ts"
import { domainsOn, findMachine, isOff, isPausedByStorage, isSaved, type TaggedDomain } from "./Machines.ts"
import { CODES, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Domain, Volume } from "./rpc/Types.ts"
import type { HostConnection } from "./HostConnection.ts"
import { isUnprotected } from "./Protection.ts"
import { openSpaces, storageOf } from "./Space.ts"
import { findPool, listedVolumes, orElse } from "./Volumes.ts"

/** The reason for being off is not known: the daemon has found the machine off at its start. */
const LEFT_OFF = 0
/** Reasons for being off: the system shut down, an operator or this service powered it off, or it was moved away. */
const ON_PURPOSE: ReadonlySet<number> = new Set([LEFT_OFF, 1, 2, 4, 5])

/** Calls at once, of the five that the daemon executes for a connection. */
const CONCURRENCY = 3

/** The names that machines of the service have. */
const NAME = /^instance-\d/

const BYTES_PER_MIB = 2 ** 20

interface ListingLimits extends FreezeLimit {
  readonly LIBVIRT_POOL_RESERVE_MIB: number
  readonly HOST_REPLY_MILLIS: number
  readonly LIBVIRT_CERTIFICATE_MILLIS: number
}

/** One machine whose record cannot be read keeps no other one from being compared. */
const recordOf = (connection: HostConnection, tag: string) =>
  findMachine(connection, tag).pipe(
    Effect.catch((error) => error instanceof LibvirtError ? Effect.succeed(undefined) : Effect.fail(error))
  )

/** A machine, and the space that its copies in progress have reserved. */
interface Listed {
  readonly machine: ListedMachine
  readonly spaces: ReadonlyArray<Space>
}

/** Undefined for a machine that was deleted since it was listed. */
const toListed = (connection: HostConnection, scope: Scope, limits: ListingLimits) => ({ domain, tag }: TaggedDomain) =>
  Effect.gen(function*() {
    const [state, reason] = yield* connection.call(CALLS.state, [domain, 0])
    const off = isOff(state)
    const saved = off && (yield* isSaved(connection, domain))
    const found = scope === "machines" ? undefined : yield* recordOf(connection, tag)
    const machine: ListedMachine = {
      tag,
      ...(domain.name === tag ? {} : { otherName: domain.name }),
      ...(found === undefined ? {} : { ipv4: found.record.ipv4 }),
      power: off ? "off" : "on",
      isCrashed: off && !ON_PURPOSE.has(reason),
      isLeftOff: off && reason === LEFT_OFF,
      isSaved: saved,
      isPaused: isPausedByStorage(state, reason),
      isResumable: false,
      isUnprotected: !off && found !== undefined && (yield* isUnprotected(connection, found)),
      isFrozen: !off && found !== undefined && isLeftFrozen(found.record, limits, yield* Clock.currentTimeMillis)
    }
    return { machine, spaces: found === undefined ? [] : openSpaces(found.record) } satisfies Listed
  }).pipe((listed) => orElse(listed, [CODES.NO_DOMAIN], Effect.succeed(undefined)))

/** While the daemon copies a volume, it refuses to read the pool again: what it knows is listed. */
const volumesIn = Effect.fnUntraced(function*(connection: HostConnection, name: string) {
  const pool = yield* findPool(connection, name)
  yield* orElse(connection.slow(CALLS.poolRefresh, [pool, 0]), [CODES.INTERNAL], Effect.void)
  return yield* listedVolumes(connection, pool)
})

/** The volumes that were made for machines. */
const disksAmong = (volumes: ReadonlyArray<Volume>) =>
  volumes.flatMap(({ name }) => {
    const tag = tagOfVolume(name)
    return tag === undefined ? [] : [{ tag, name }]
  })

const BASE = /<backingStore>\s*<path>([^<]*)<\/path>/
const ALLOCATION = /<allocation unit='bytes'>(\d+)</

/** The disk of a machine. */
interface DiskVolume extends Volume {
  readonly tag: string
  /** Its size in the pool. */
  readonly bytes: number
  /** The path of the image below it. */
  readonly base: string | undefined
}

/** The disks of machines among volumes. */
const readDisks = (connection: HostConnection, volumes: ReadonlyArray<Volume>) =>
  Effect.forEach(
    volumes.flatMap((volume) => {
      const tag = DISK.test(volume.name) ? tagOfVolume(volume.name) : undefined
      return tag === undefined ? [] : [{ ...volume, tag }]
    }),
    (volume) =>
      connection.call(CALLS.volumeXml, [volume, 0]).pipe(
        (read) => orElse(read, [CODES.NO_VOLUME], Effect.succeed("")),
        Effect.map((xml): DiskVolume => {
          const base = BASE.exec(xml)?.[1]
          return {
            ...volume,
            bytes: Number(ALLOCATION.exec(xml)?.[1] ?? 0),
            base: base === undefined ? undefined : unescape(base)
          }
        })
      ),
    { concurrency: CONCURRENCY }
  )

/** The images that are gone from their pool, with the disks on top of them. */
const lostImagesAmong = (volumes: ReadonlyArray<Volume>, disks: ReadonlyArray<DiskVolume>) => {
  const paths = new Set(volumes.map(({ key }) => key))
  const lost = disks.filter(({ base, key }) => base !== undefined && !paths.has(base) && dirname(base) === dirname(key))
  return [...Map.groupBy(lost, ({ base }) => base!)].map(([path, found]) => ({
    name: basename(path),
    disks: found.map(({ name }) => name)
  }))
}

const storageOfBackups = ({ name, sharedBackups }: Host): string =>
  sharedBackups === null ? `backups of host ${name}` : `backups ${sharedBackups}`

/** The backups that a host sees. A pool that cannot be read keeps nothing else from being compared. */
const backupsOf = (connection: HostConnection, host: Host) => {
  const { backupPool } = host
  if (backupPool === null) return Effect.succeed(null)
  const none: PoolContents = { storage: storageOfBackups(host), disks: [], failure: null }
  return Effect.match(volumesIn(connection, backupPool), {
    onSuccess: (volumes) => ({ ...none, disks: disksAmong(volumes) }),
    onFailure: ({ message }) => ({ ...none, failure: message })
  })
}

const machinesOn = Effect.fnUntraced(
  function*(connection: HostConnection, own: ReadonlyArray<TaggedDomain>, scope: Scope, limits: ListingLimits) {
    const listed = yield* Effect.forEach(own, toListed(connection, scope, limits), { concurrency: CONCURRENCY })
    return listed.filter((each) => each !== undefined)
  }
)

/** The machines of others that matter: they are called like one of the service, or use one's volumes. */
const foreignOn = Effect.fnUntraced(
  function*(connection: HostConnection, domains: ReadonlyArray<Domain>, volumes: ReadonlyArray<string>) {
    const foreign: Array<ForeignMachine> = []
    for (const domain of domains) {
      const description = connection.call(CALLS.description, [domain, 0])
      const xml = yield* orElse(description, [CODES.NO_DOMAIN], Effect.succeed(""))
      const disks = volumes.filter((name) => xml.includes(`/${name}'`) || xml.includes(`volume='${name}'`))
      if (disks.length > 0 || NAME.test(domain.name)) foreign.push({ name: domain.name, disks })
    }
    return foreign
  }
)

const spaceOf = Effect.fnUntraced(function*(connection: HostConnection, pool: string) {
  const [, bytes, , free] = yield* connection.call(CALLS.poolInfo, [yield* findPool(connection, pool)])
  return { pool, bytes, free } satisfies PoolSpace
})

/** The space in the pools of a host that could be read, beginning with that of the disks. */
const spacesOf = Effect.fnUntraced(
  function*(connection: HostConnection, { backupPool, pool }: Host, backups: PoolContents | null) {
    const disks = yield* spaceOf(connection, pool)
    if (backupPool === null || backups === null || backups.failure !== null) return [disks]
    return [disks, yield* spaceOf(connection, backupPool)]
  }
)

/** The bytes that copies will still write: what they have written to the pool of the disks is used there already. */
const copiesOf = Effect.fnUntraced(
  function*(connection: HostConnection, host: Host, volumes: ReadonlyArray<Volume>, spaces: ReadonlyArray<Space>) {
    const own = storageOf({ host, pool: host.pool })
    return yield* Effect.forEach(spaces, ({ bytes, storage, volume }) =>
      Effect.map(
        Effect.forEach(
          storage === own ? volumes.filter(({ name }) => name.startsWith(volume)) : [],
          (each) => {
            const info = connection.call(CALLS.volumeInfo, [each])
            return Effect.map(orElse(info, [CODES.NO_VOLUME], Effect.succeed([0, 0, 0] as const)), ([, , size]) => size)
          }
        ),
        (sizes) => ({ storage, bytes: Math.max(0, bytes - sizes.reduce((sum, size) => sum + size, 0)) })
      ))
  }
)

const endingOf = Effect.fnUntraced(function*(connection: HostConnection, limits: ListingLimits) {
  const until = (yield* Clock.currentTimeMillis) + limits.LIBVIRT_CERTIFICATE_MILLIS
  return (yield* connection.certificates).filter(({ endsAt }) => endsAt <= until)
})

const contentsOf = Effect.fnUntraced(
  function*(connection: HostConnection, host: Host, scope: Scope, limits: ListingLimits) {
    const { foreign, own } = yield* domainsOn(connection, 0)
    const machines = yield* machinesOn(connection, own, scope, limits)
    if (scope === "machines") return { machines: machines.map(({ machine }) => machine) }
    const volumes = yield* volumesIn(connection, host.pool)
    const volumesOfDisks = yield* readDisks(connection, volumes)
    const spaces = machines.flatMap(({ spaces }) => spaces)
    const copies = yield* copiesOf(connection, host, volumes, spaces)
    const backups = yield* backupsOf(connection, host)
    const pools = yield* spacesOf(connection, host, backups)
    const free = pools[0]!.free - limits.LIBVIRT_POOL_RESERVE_MIB * BYTES_PER_MIB
    const disks = disksAmong(volumes)
    return {
      machines: machines.map(({ machine }) => ({
        ...machine,
        isResumable: machine.isPaused && free >= 0
      })),
      disks,
      lostImages: lostImagesAmong(volumes, volumesOfDisks),
      backups,
      pools,
      space: {
        storage: storageOf({ host, pool: host.pool }),
        free,
        disks: volumesOfDisks.map(({ bytes, tag }) => ({ tag, bytes }))
      },
      copies,
      certificates: yield* endingOf(connection, limits),
      foreign: yield* foreignOn(connection, foreign, disks.map(({ name }) => name))
    }
  }
)

const OFF_AND_RESPONDS = "It was declared off, but it responds. See \"When a host dies\" in docs/real-instances.md."

const ownMachines = (connection: HostConnection, limits: ListingLimits) =>
  Effect.flatMap(
    domainsOn(connection, 0),
    ({ own }) =>
      Effect.map(machinesOn(connection, own, "machines", limits), (listed) => listed.map(({ machine }) => machine))
  )

/** A host that was declared off should not respond. */
const declaredOff = (connection: HostConnection, limits: ListingLimits, none: HostContents) =>
  Effect.match(Effect.timeout(ownMachines(connection, limits), limits.HOST_REPLY_MILLIS), {
    onSuccess: (machines) => ({ ...none, machines, failure: OFF_AND_RESPONDS }),
    onFailure: () => none
  })

/** The reason may be one that only an operator can remove, such as a certificate that has ended. */
const reasonOf = (connection: HostConnection): string => {
  const failure = connection.failure()
  return failure === null ? "" : ` ${failure}`
}

/** The contents of a host; of one that does not respond, the reason. */
export const listHost = (
  connection: HostConnection,
  host: Host,
  scope: Scope,
  limits: ListingLimits
): Effect.Effect<HostContents> => {
  const place = { host: host.name, storage: host.sharedStorage ?? `host ${host.name}` }
  const isOff = host.state === "offline"
  const backups = host.backupPool === null ? null : { storage: storageOfBackups(host), disks: [], failure: null }
  const none = { foreign: [], disks: [], lostImages: [], pools: [], space: null, copies: [], certificates: [] }
  const failed = (failure: string): HostContents => (
    { ...place, ...none, machines: [], backups, failure, isOff, connection: 0 }
  )
  if (isOff) {
    const none = failed("It was declared off.")
    return scope === "machines" ? Effect.succeed(none) : declaredOff(connection, limits, none)
  }
  if (host.unreachableSince !== null) return Effect.succeed(failed(`It does not respond.${reasonOf(connection)}`))
  return Effect.match(contentsOf(connection, host, scope, limits), {
    onSuccess: (contents) => (
      { ...place, ...none, backups: null, ...contents, failure: null, isOff, connection: connection.count() }
    ),
    onFailure: ({ message }) => failed(message)
  })
}
