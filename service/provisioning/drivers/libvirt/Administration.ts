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
import { connectTo, type HostConnection } from "./HostConnection.ts"

const BY_HAND: ByHand = {
  powerOff: (tag) => `virsh destroy ${tag}`,
  remove: (tag) => `virsh undefine ${tag}`,
  rename: (name, tag) => `virsh domrename ${name} ${tag}`,
  resume: (tag) => `virsh resume ${tag}`,
  continueSaved: (tag) => `virsh start ${tag}`,
  discardSaved: (tag) => `virsh managedsave-remove ${tag}`,
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
        Effect.sync(() => connectTo(uri, certificates, limits)),
        (connection) => Effect.sync(() => connection.close())
      )
    const within = <A, E>(host: Target, use: (connection: HostConnection) => Effect.Effect<A, E>) =>
      Effect.scoped(Effect.flatMap(connectionsTo(host), use))
    return HostAdmin.of({
      byHand: BY_HAND,
      capacity: (place, overcommit, reservedMib) =>
        within(place, (connection) =>
          Effect.tap(
            capacityOf(connection, place, overcommit, reservedMib, limits.LIBVIRT_POOL_RESERVE_MIB),
            place.backupPool === null ? Effect.void : backupSpace({ host: place, connection }, place.backupPool)
          )),
      check: Effect.fnUntraced(function*(host, images, others, silent) {
        const connected = yield* Effect.forEach(
          others,
          (other) => Effect.map(connectionsTo(other), (connection) => ({ host: other, connection }))
        )
        const connection = yield* connectionsTo(host)
        const backups = checkBackups({ host, connection }, connected, silent, limits.LIBVIRT_POOL_RESERVE_MIB)
        return yield* checkHost(connection, host, images, backups)
      }, Effect.scoped),
      checkBackupPool: (host, pool) =>
        within(
          host,
          Effect.fnUntraced(function*(connection) {
            if (pool !== null) yield* backupSpace({ host, connection }, pool)
            if (host.backupPool !== null) yield* assertNoBackups({ host, connection }, host.backupPool)
          })
        ),
      backups: (host) => within(host, (connection) => backupsIn(connection, host.backupPool!)),
      machines: Effect.fnUntraced(function*(host) {
        const present = { ...host, state: "active", unreachableSince: null } as const
        const { failure, machines } = yield* within(
          host,
          (connection) => listHost(connection, present, "machines", limits)
        )
        return failure === null ? machines.map(({ tag }) => tag) : yield* Effect.fail(new CheckFailed(failure))
      }),
      storeImage: (host, file) =>
        within(host, (connection) => storeImage(connection, host, file, limits.LIBVIRT_POOL_RESERVE_MIB)),
      macOf
    })
  })
)
