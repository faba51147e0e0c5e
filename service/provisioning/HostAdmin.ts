/** The interface to the hosts of machines, for operators: what they add, check, supply with images, and empty. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ByHand } from "../domain/Finding.ts"
import type { MachineSize } from "../domain/MachineSize.ts"
import type { Host, HostImage } from "../persistence/Hosts.ts"
import type { CheckResult } from "./CheckResult.ts"

/** The message says what is wrong, then what to do. */
export interface HostFault {
  readonly message: string
}

/** The connection to a host, and the parts of it that machines use. */
export type HostPlace = Pick<
  Host,
  "name" | "uri" | "certificates" | "pool" | "bridge" | "accelerator" | "backupPool"
>

/** A file for machines, whose digest was verified. */
export interface ImageFile extends Pick<HostImage, "slug" | "kind" | "sha256"> {
  readonly path: string
  readonly bytes: number
}

export interface HostCapacity {
  readonly size: MachineSize
  /** The disk that its pool has space for now, beside the reserve. */
  readonly freeGib: number
}

export class HostAdmin extends Context.Service<HostAdmin, {
  /** The instructions for what only an operator does, on the host itself. */
  readonly byHand: ByHand
  /** The host's size for machines. Fails with what it lacks. */
  readonly capacity: (
    place: HostPlace,
    overcommit: number,
    reservedMib: number
  ) => Effect.Effect<HostCapacity, HostFault>
  /** Tries out all that a machine needs, and whether `others` see its backups; `silent` ones should, too. */
  readonly check: (
    host: Host,
    images: ReadonlyArray<HostImage>,
    others: ReadonlyArray<Host>,
    silent: ReadonlyArray<Host>
  ) => Effect.Effect<ReadonlyArray<CheckResult>>
  /** Fails unless backups can be stored in another pool from now on; null is the pool of the disks. */
  readonly checkBackupPool: (host: Host, pool: string | null) => Effect.Effect<void, HostFault>
  /** The ids of the backups in the host's own pool for them. */
  readonly backups: (host: Host) => Effect.Effect<ReadonlyArray<number>, HostFault>
  /** The tags of the machines on a host. */
  readonly machines: (host: Host) => Effect.Effect<ReadonlyArray<string>, HostFault>
  /** Stores a file, unless the host has it; returns the name of its volume. */
  readonly storeImage: (host: Host, file: ImageFile) => Effect.Effect<string, HostFault>
  /** The MAC address of the machine with an IPv4 address. */
  readonly macOf: (ipv4: string) => string
}>()("@pulumi-vps/service/HostAdmin") {}
