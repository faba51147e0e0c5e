/** The machines and volumes on each host, as libvirt lists them. */
import * as Effect from "effect/Effect"
import type { HostContents, ListedMachine, PoolContents } from "../../../domain/MachineAudit.ts"
import type { Host } from "../../../persistence/Hosts.ts"
import { uuidOf } from "./MachineRecord.ts"
import { isOff } from "./Machines.ts"
import { CODES } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Domain } from "./rpc/Types.ts"
import type { Session } from "./Session.ts"
import { findPool, listedVolumes, orElse } from "./Volumes.ts"

const ALL = 1
/** Reasons for being off: the system shut down, an operator or this service powered it off, or it was moved away. */
const ON_PURPOSE: ReadonlySet<number> = new Set([1, 2, 4, 5])

const PAUSED = 3
const IO_ERROR = 5

/** Calls at once, of the five that the daemon executes for a connection. */
const CONCURRENCY = 3

const VOLUME = /^(instance-\d+)\./

/** Undefined for a machine that was deleted since it was listed. */
const toListed = (session: Session) => (domain: Domain) =>
  session.call(CALLS.state, [domain, 0]).pipe(
    Effect.map(([state, reason]): ListedMachine => {
      const off = isOff(state)
      const isPaused = state === PAUSED && reason === IO_ERROR
      return { tag: domain.name, power: off ? "off" : "on", isCrashed: off && !ON_PURPOSE.has(reason), isPaused }
    }),
    (listed) => orElse(listed, [CODES.NO_DOMAIN], Effect.succeed(undefined))
  )

/** While the daemon copies a volume, it refuses to read the pool again: what it knows is listed. */
const disksIn = Effect.fnUntraced(function*(session: Session, name: string) {
  const pool = yield* findPool(session, name)
  yield* orElse(session.slow(CALLS.poolRefresh, [pool, 0]), [CODES.INTERNAL], Effect.void)
  return (yield* listedVolumes(session, pool)).flatMap(({ name }) => {
    const tag = VOLUME.exec(name)?.[1]
    return tag === undefined ? [] : [{ tag, name }]
  })
})

const storageOfBackups = ({ name, sharedBackups }: Host): string =>
  sharedBackups === null ? `backups of host ${name}` : `backups ${sharedBackups}`

/** The backups that a host sees. A pool that cannot be read keeps nothing else from being compared. */
const backupsOf = (session: Session, host: Host) => {
  const { backupPool } = host
  if (backupPool === null) return Effect.succeed(null)
  const none: PoolContents = { storage: storageOfBackups(host), disks: [], failure: null }
  return Effect.match(disksIn(session, backupPool), {
    onSuccess: (disks) => ({ ...none, disks }),
    onFailure: ({ message }) => ({ ...none, failure: message })
  })
}

const contentsOf = Effect.fnUntraced(function*(session: Session, host: Host) {
  const [domains] = yield* session.call(CALLS.list, [ALL, 0])
  const own = domains.filter(({ name, uuid }) => uuid === uuidOf(name))
  const machines = yield* Effect.forEach(own, toListed(session), { concurrency: CONCURRENCY })
  return {
    machines: machines.filter((machine) => machine !== undefined),
    disks: yield* disksIn(session, host.pool),
    backups: yield* backupsOf(session, host)
  }
})

/** The contents of a host; of one that does not respond, the reason. */
export const listHost = (session: Session, host: Host): Effect.Effect<HostContents> => {
  const place = { host: host.name, storage: host.sharedStorage ?? `host ${host.name}` }
  const isOff = host.state === "offline"
  const backups = host.backupPool === null ? null : { storage: storageOfBackups(host), disks: [], failure: null }
  const failed = (failure: string): HostContents => ({ ...place, machines: [], disks: [], backups, failure, isOff })
  if (host.unreachableSince !== null || isOff) {
    return Effect.succeed(failed(isOff ? "It was declared off." : "It does not respond."))
  }
  return Effect.match(contentsOf(session, host), {
    onSuccess: (contents) => ({ ...place, ...contents, failure: null, isOff }),
    onFailure: ({ message }) => failed(message)
  })
}
