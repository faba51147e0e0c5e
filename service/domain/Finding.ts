/** The contents of hosts and the records of instances, which an audit compares, and the differences that it finds. */
import type { Power } from "./InstanceMachine.ts"
import type { FindingKind, Lifecycle, Repair } from "../contract/Words.ts"

/** A machine in its host's own list. */
export interface ListedMachine {
  readonly tag: string
  /** Its name on the host, if that was changed. */
  readonly otherName?: string
  /** Undefined where only power was listed. */
  readonly ipv4?: string
  readonly power: Power
  /** It is off because it crashed. */
  readonly isCrashed: boolean
  /** It is off since its host, or the program that runs its machines, was started: it was not shut down since. */
  readonly isLeftOff: boolean
  /** It is off, and its host has its memory: its next start continues it. */
  readonly isSaved: boolean
  /** It is paused because its disk could not be written. */
  readonly isPaused: boolean
  /** It is paused, and its pool has space again. */
  readonly isResumable: boolean
  /** It runs, and its host does not keep it from using other addresses than its own. */
  readonly isUnprotected: boolean
  /** Its file systems were frozen for a copy, which has ended without a thaw. */
  readonly isFrozen: boolean
}

/** A machine on a host that is not the service's by its record, with the service's volumes that it uses. */
export interface ForeignMachine {
  readonly name: string
  readonly disks: ReadonlyArray<string>
}

/** The space of a pool. */
export interface PoolSpace {
  /** Name. */
  readonly pool: string
  readonly bytes: number
  readonly free: number
}

/** The space that disks in a pool have, and may still take. */
export interface DiskSpace {
  /** Hosts with the same storage have the same text, which is the one of the copies to it. */
  readonly storage: string
  /** Bytes left beside the reserve; negative if that is used. */
  readonly free: number
  readonly disks: ReadonlyArray<{ readonly tag: string; readonly bytes: number }>
}

/** The bytes that a copy in progress will still write to a storage. */
export interface CopySpace {
  readonly storage: string
  readonly bytes: number
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

/** An image that is gone, below disks that cannot be opened any more. */
export interface LostImage {
  readonly name: string
  /** Names of volumes. */
  readonly disks: ReadonlyArray<string>
}

/** A certificate of the connection to a host that ends soon, or has ended. */
export interface EndingCertificate {
  readonly name: string
  /** Epoch milliseconds. */
  readonly endsAt: number
}

/** The machines and disks on one host. The failure is the whole host's. */
export interface HostContents extends PoolContents {
  readonly host: string
  readonly machines: ReadonlyArray<ListedMachine>
  /** Those that are called like a machine of the service, or use volumes of one. */
  readonly foreign: ReadonlyArray<ForeignMachine>
  /** The contents of its pool for backups; null if it has none. */
  readonly backups: PoolContents | null
  readonly lostImages: ReadonlyArray<LostImage>
  readonly pools: ReadonlyArray<PoolSpace>
  /** Of the pool of its disks; null if it was not read. */
  readonly space: DiskSpace | null
  /** Those of its machines. */
  readonly copies: ReadonlyArray<CopySpace>
  readonly certificates: ReadonlyArray<EndingCertificate>
  /** An operator has declared that it is off. If it responds, its machines are listed, although it failed. */
  readonly isOff: boolean
  /** Counts the connections to it: another number means that it was out of sight meanwhile. */
  readonly connection: number
}

/** The part of hosts that is listed: machines within milliseconds, while disks have to be read. */
export type Scope = "machines" | "all"

/** The part of an instance's record that is compared. */
export interface AuditedInstance {
  readonly id: number
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
  /** The host that it moves to; null: it does not move. */
  readonly target: string | null
}

export interface Finding {
  readonly kind: FindingKind
  /** Null for a host, and for what belongs to no instance. */
  readonly instanceId: number | null
  /** Of the machine; null for a host. */
  readonly tag: string | null
  readonly hosts: ReadonlyArray<string>
  /** The difference, then what to do. */
  readonly detail: string
  /** The repair that is safe without an operator; null if none is. */
  readonly repair: Repair | null
}

/** The commands that an operator runs on a host, as text, where the service does not act itself. */
export interface ByHand {
  readonly powerOff: (tag: string) => string
  /** Of a machine that is off; its disk stays. */
  readonly remove: (tag: string) => string
  readonly rename: (name: string, tag: string) => string
  readonly resume: (tag: string) => string
  /** Continues a machine whose memory is saved. */
  readonly continueSaved: (tag: string) => string
  /** Removes the saved memory of a machine. */
  readonly discardSaved: (tag: string) => string
  readonly deleteDisk: string
  /** Path of a machine's log. */
  readonly logOf: (tag: string) => string
}
