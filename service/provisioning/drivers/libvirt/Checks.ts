/** The checks of a host before machines are placed on it. Each failure names the remedy. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { MachineSize } from "../../../domain/MachineSize.ts"
import type { Host, HostImage } from "../../../persistence/Hosts.ts"
import { attempted } from "../../CheckResult.ts"
import { trialXml } from "./DomainXml.ts"
import { ensureFilters } from "./Filters.ts"
import { LIBVIRT_FILTER } from "./FilterXml.ts"
import { CODES, ConnectionLost, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import { toTimestamp } from "../../../domain/Timestamp.ts"
import type { CallFault, CertificateEnd, HostConnection } from "./HostConnection.ts"
import { findPool, findVolume, refresh } from "./Volumes.ts"

/** A check that failed; `message` says what to do. */
export class CheckFailed extends Error {
  readonly _tag = "CheckFailed"
}

type Place = Pick<Host, "name" | "pool" | "bridge" | "accelerator">

const advise = (code: number, advice: string) => (error: CallFault): CheckFailed =>
  new CheckFailed(
    error instanceof LibvirtError && error.code === code ? advice : error.message
  )

const ACTIVE = 2
const BYTES_PER_GIB = 2 ** 30
const BYTES_PER_MIB = 2 ** 20
const KIB_PER_MIB = 2 ** 10

export const toGib = (bytes: number): number => Math.floor(bytes / BYTES_PER_GIB)

/** The size and the free space of a host's pool, in bytes. Fails unless it is active. */
export const poolSpace = Effect.fnUntraced(function*(
  connection: HostConnection,
  { name, pool }: Pick<Host, "name" | "pool">,
  folder = "/var/lib/libvirt/images"
) {
  const found = yield* connection.call(CALLS.poolLookup, [pool]).pipe(Effect.mapError(advise(
    CODES.NO_POOL,
    `Host ${name} has no storage pool "${pool}". Create it with "virsh pool-define-as ${pool} dir --target `
      + `${folder}", "virsh pool-start ${pool}" and "virsh pool-autostart ${pool}".`
  )))
  const [state, capacity, , available] = yield* connection.call(CALLS.poolInfo, [found]).pipe(
    Effect.mapError(advise(-1, ""))
  )
  if (state === ACTIVE) return { capacity, available }
  return yield* Effect.fail(
    new CheckFailed(`The storage pool "${pool}" of host ${name} is not running. Run "virsh pool-start ${pool}".`)
  )
})

const checkFilter = (connection: HostConnection, { name }: Place) =>
  connection.call(CALLS.filterLookup, [LIBVIRT_FILTER]).pipe(
    Effect.mapError(advise(
      CODES.NO_FILTER,
      `Host ${name} has no network filter "${LIBVIRT_FILTER}". Install the package libvirt-daemon-config-nwfilter, and `
        + "restart the daemon."
    )),
    Effect.asVoid
  )

/** The capacity of a host for machines, from what libvirt reports. Fails with what is missing. */
export const capacityOf = Effect.fnUntraced(
  function*(connection: HostConnection, place: Place, overcommit: number, reservedMib: number, keptMib: number) {
    const [, memoryKib, cpus] = yield* connection.call(CALLS.nodeInfo, []).pipe(Effect.mapError(advise(-1, "")))
    yield* checkFilter(connection, place)
    const { available, capacity: bytes } = yield* poolSpace(connection, place)
    const memoryMib = Math.floor(memoryKib / KIB_PER_MIB) - reservedMib
    if (memoryMib <= 0) {
      return yield* Effect.fail(new CheckFailed(`Host ${place.name} has no memory left. Reserve less.`))
    }
    const size: MachineSize = {
      cpus: Math.floor(cpus * overcommit),
      memoryMib,
      diskGib: Math.max(1, toGib(bytes))
    }
    return { size, freeGib: Math.max(0, toGib(available - keptMib * BYTES_PER_MIB)) }
  }
)

/** Boots a machine without a disk on the host's bridge, and removes it. */
const tryMachine = Effect.fnUntraced(function*(connection: HostConnection, place: Place) {
  yield* ensureFilters(connection)
  const xml = trialXml(randomUUID(), place)
  const domain = yield* connection.slow(CALLS.define, [xml, 0])
  yield* connection.slow(CALLS.create, [domain, 0]).pipe(
    Effect.ensuring(Effect.ignore(connection.slow(CALLS.destroy, [domain, 0]))),
    Effect.ensuring(Effect.ignore(connection.slow(CALLS.undefine, [domain, 0])))
  )
})

const trialAdvice = ({ accelerator, bridge }: Place) => (error: CallFault) => {
  if (error instanceof ConnectionLost) return error
  return new CheckFailed(
    `${error.message}. Check that the bridge "${bridge}" exists ("ip link show ${bridge}")`
      + (accelerator === "kvm" ? " and that the host has /dev/kvm." : ".")
  )
}

/** A resolver that waits for a name server does so for seconds. */
const NAME_MILLIS = 1_000

/** libvirt looks its own name up at each start of a machine, and waits for the answer. */
export const checkName = Effect.fnUntraced(function*(connection: HostConnection, { name }: Place) {
  const [duration, hostname] = yield* Effect.timed(connection.slow(CALLS.hostname, []))
  const millis = Math.round(Duration.toMillis(duration))
  if (millis <= NAME_MILLIS) return hostname
  return yield* Effect.fail(
    new CheckFailed(
      `Host ${name} took ${millis} ms to look its own name ${hostname} up, and does so at each start of a guest. Add `
        + "the name with the host's address to its /etc/hosts, or correct the name server in its /etc/resolv.conf."
    )
  )
})

/** One that has ended has failed the connection already. */
const certificatesText = (certificates: ReadonlyArray<CertificateEnd>): string =>
  certificates.length === 0
    ? "none: the connection is a socket of this computer"
    : certificates.map(({ endsAt, name }) => `${name} ends on ${toTimestamp(endsAt)}`).join("; ")

/** Fails unless the pool has the volumes of all images. */
const assertImages = Effect.fnUntraced(
  function*(connection: HostConnection, { name, pool: poolName }: Place, images: ReadonlyArray<HostImage>) {
    const pool = yield* findPool(connection, poolName)
    yield* refresh(connection, pool)
    for (const { slug, volume } of images) {
      if ((yield* findVolume(connection, pool, volume)) !== undefined) continue
      return yield* Effect.fail(
        new CheckFailed(
          `The pool "${poolName}" of host ${name} lacks ${volume}, the image ${slug}: new instances cannot be built, `
            + "and disks on top of it cannot be opened. Import the same file again with \"images import\"."
        )
      )
    }
  }
)

/** All checks of a host; a host without a connection fails the first one only. */
export const checkHost = Effect.fnUntraced(
  function*<R>(
    connection: HostConnection,
    place: Place,
    images: ReadonlyArray<HostImage>,
    backups: Effect.Effect<string, { readonly message: string }, R>
  ) {
    const connected = yield* attempted(
      "connection",
      connection.call(CALLS.version, []),
      (version) => `libvirt ${version}`
    )
    if (!connected.ok) return [connected]
    const noImage = new CheckFailed(`Host ${place.name} has no image. Run "images import".`)
    return [
      connected,
      yield* attempted("host name", checkName(connection, place), (hostname) => hostname),
      yield* attempted("certificates", connection.certificates, certificatesText),
      yield* attempted("pool", poolSpace(connection, place), ({ capacity }) => `${toGib(capacity)} GiB`),
      yield* attempted("backups", backups, (detail) => detail),
      yield* attempted("filter", checkFilter(connection, place), () => LIBVIRT_FILTER),
      yield* attempted(
        "images",
        images.length === 0 ? Effect.fail(noImage) : assertImages(connection, place, images),
        () => images.map(({ slug }) => slug).join(", ")
      ),
      yield* attempted(
        "trial machine",
        Effect.mapError(tryMachine(connection, place), trialAdvice(place)),
        () => "booted and removed"
      )
    ]
  }
)
