/** The administration of hosts. Each act has connections of its own, because the host may not be stored yet. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ByHand } from "../../../domain/Finding.ts"
import { Limits } from "../../../config/Limits.ts"
import type { Host } from "../../../persistence/Hosts.ts"
import { HostAdmin } from "../../HostAdmin.ts"
import { assertNoBackups, backupsIn, backupSpace, checkBackups } from "./BackupChecks.ts"
import { capacityOf, CheckFailed, checkHost } from "./Checks.ts"
import { storeImage } from "./ImageStore.ts"
import { listHost } from "./Listing.ts"
import { macOf } from "./MachineRecord.ts"
import { openSession, type Session } from "./Session.ts"

const BY_HAND: ByHand = {
  powerOff: (tag) => `virsh destroy ${tag}`,
  remove: (tag) => `virsh undefine ${tag}`,
  resume: (tag) => `virsh resume ${tag}`,
  deleteDisk: "virsh vol-delete",
  logOf: (tag) => `/var/log/libvirt/qemu/${tag}.log`
}

type Target = Pick<Host, "uri" | "certificates">

export const layer: Layer.Layer<HostAdmin, never, Limits> = Layer.effect(
  HostAdmin,
  Effect.map(Limits, (limits) => {
    /** Connections to a host, until the scope ends. */
    const connectionsTo = ({ certificates, uri }: Target) =>
      Effect.acquireRelease(
        Effect.sync(() => openSession(uri, certificates, limits)),
        (session) => Effect.sync(() => session.close())
      )
    const within = <A, E>(host: Target, use: (session: Session) => Effect.Effect<A, E>) =>
      Effect.scoped(Effect.flatMap(connectionsTo(host), use))
    return HostAdmin.of({
      byHand: BY_HAND,
      capacity: (place, overcommit, reservedMib) =>
        within(place, (session) =>
          Effect.tap(
            capacityOf(session, place, overcommit, reservedMib),
            place.backupPool === null ? Effect.void : backupSpace({ host: place, session }, place.backupPool)
          )),
      check: Effect.fnUntraced(function*(host, images, others, silent) {
        const connected = yield* Effect.forEach(
          others,
          (other) => Effect.map(connectionsTo(other), (session) => ({ host: other, session }))
        )
        const session = yield* connectionsTo(host)
        const backups = checkBackups({ host, session }, connected, silent, limits.LIBVIRT_POOL_RESERVE_MIB)
        return yield* checkHost(session, host, images, backups)
      }, Effect.scoped),
      checkBackupPool: (host, pool) =>
        within(
          host,
          Effect.fnUntraced(function*(session) {
            if (pool !== null) yield* backupSpace({ host, session }, pool)
            if (host.backupPool !== null) yield* assertNoBackups({ host, session }, host.backupPool)
          })
        ),
      backups: (host) => within(host, (session) => backupsIn(session, host.backupPool!)),
      machines: Effect.fnUntraced(function*(host) {
        const present = { ...host, state: "active", unreachableSince: null } as const
        const { failure, machines } = yield* within(host, (session) => listHost(session, present, "machines", limits))
        return failure === null ? machines.map(({ tag }) => tag) : yield* Effect.fail(new CheckFailed(failure))
      }),
      storeImage: (host, file) => within(host, (session) => storeImage(session, host, file)),
      macOf
    })
  })
)
