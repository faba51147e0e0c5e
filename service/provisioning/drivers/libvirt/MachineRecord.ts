/**
 * The driver's own record of a machine, in the metadata of its definition: it is as durable as the machine, and goes
 * with it. It contains no secret, because every user who may read a definition reads it.
 */
import { hash } from "node:crypto"
import type { BootMode } from "../../../domain/InstanceMachine.ts"
import type { MachineSize } from "../../../domain/MachineSize.ts"
import type { Assignment } from "../../../persistence/Addresses.ts"
import type { OperationType } from "../../Driver.ts"

/** An operation that was accepted and is not done. */
export interface Pending {
  readonly key: string
  readonly type: OperationType
  /** Epoch milliseconds. */
  readonly since: number
  /** The step that is next, by the operation's own count. */
  readonly step: number
  /** True if the machine ran when the operation was accepted. */
  readonly wasOn: boolean
  /** The image that it creates, if any. */
  readonly image: string | null
}

/** Space that a copy in progress needs in a pool. */
export interface Space {
  /** The name of the storage: several hosts may have it. */
  readonly storage: string
  /** The beginning of the names of the volumes that are written. */
  readonly volume: string
  readonly bytes: number
}

/** A snapshot or backup: the system on it. */
export interface StoredImage {
  readonly os: string
  readonly hostname: string
}

export interface MachineRecord {
  readonly tag: string
  readonly hostname: string
  /** Slug of the image. */
  readonly os: string
  readonly cpus: number
  readonly memoryMib: number
  readonly diskGib: number
  /** Volume of the disk. */
  readonly disk: string
  /** The backup that becomes the disk; null once it has. */
  readonly restores: string | null
  /** True while the drive with the data of the first boot is attached. */
  readonly seeded: boolean
  /** Volume of the ISO in the drive. */
  readonly iso: string | null
  /** The mode of the next boot. */
  readonly bootMode: BootMode
  /** Volume of the rescue system's ISO; null unless the next boot is a rescue. */
  readonly rescue: string | null
  readonly ipv4: string
  readonly ipv6: string | null
  /** Epoch milliseconds; null while it is off. */
  readonly bootedAt: number | null
  readonly images: Readonly<Record<string, StoredImage>>
  readonly pending: Pending | null
  /** The space that the pending operation, or the restore of a backup, has reserved. */
  readonly spaces: ReadonlyArray<Space>
  /** Epoch milliseconds of when its file systems were frozen for a copy; null once they are thawed. */
  readonly frozenAt: number | null
  /** Keys of operations that are done, newest first. */
  readonly done: ReadonlyArray<string>
  /** Keys of backups that gave way to another operation, newest first. */
  readonly preempted: ReadonlyArray<string>
}

/** The record of a machine in its place, with a system on a disk. */
export const newRecord = (
  tag: string,
  { assignment, size }: { readonly assignment: Assignment; readonly size: MachineSize },
  { hostname, os }: StoredImage,
  disk: string
): MachineRecord => ({
  tag,
  hostname,
  os,
  ...size,
  disk,
  restores: null,
  seeded: true,
  iso: null,
  bootMode: "disk",
  rescue: null,
  ipv4: assignment.address,
  ipv6: assignment.ipv6,
  bootedAt: null,
  images: {},
  pending: null,
  spaces: [],
  frozenAt: null,
  done: [],
  preempted: []
})

export const NAMESPACE = "urn:pulumi-vps:machine"

/** Keys that are stored: a task repeats only its own latest ones. */
const KEYS_MAX = 32

export const remember = (keys: ReadonlyArray<string>, key: string): ReadonlyArray<string> =>
  [key, ...keys.filter((each) => each !== key)].slice(0, KEYS_MAX)

export const escape = (text: string): string => text.replaceAll(/[&<>'"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'" }

export const unescape = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d+)|([a-z]+));/g,
    (whole, code: string | undefined, name: string | undefined) =>
      code === undefined ? ENTITIES[name!] ?? whole : String.fromCodePoint(Number(code))
  )

/** The element of the metadata. */
export const toElement = (record: MachineRecord): string =>
  `<vps:machine xmlns:vps="${NAMESPACE}">${escape(JSON.stringify(record))}</vps:machine>`

/** Undefined for a machine that this driver did not define. */
export const fromElement = (element: string): MachineRecord | undefined => {
  const text = element.slice(element.indexOf(">") + 1, element.lastIndexOf("</"))
  try {
    const record = JSON.parse(unescape(text)) as MachineRecord
    // Records of earlier versions have no IPv6 address, no backup, no reservations, and were never frozen.
    const { frozenAt = null, ipv6 = null, restores = null, spaces = [] } = record as Partial<MachineRecord>
    return { ...record, frozenAt, ipv6, restores, spaces }
  } catch {
    return undefined
  }
}

const UUID_BYTES = 16

/** The UUID of a tag (version 5 of RFC 9562): the same on every host, so a machine is found after a lost response. */
export const uuidOf = (tag: string): string => {
  const bytes = Buffer.from(hash("sha1", `${NAMESPACE}:${tag}`, "hex"), "hex").subarray(0, UUID_BYTES)
  bytes[6] = bytes[6]! & 0x0f | 0x50
  bytes[8] = bytes[8]! & 0x3f | 0x80
  return bytes.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** A locally administered MAC, unique because the address is. */
export const macOf = (ipv4: string): string =>
  ["52", "54", ...ipv4.split(".").map((byte) => Number(byte).toString(16).padStart(2, "0"))].join(":")

/** The link-local address that systems make from the MAC (EUI-64). */
export const linkLocalOf = (ipv4: string): string => {
  const [one, two, three, four] = macOf(ipv4).split(":").slice(2)
  return `fe80::5054:${one}ff:fe${two}:${three}${four}`
}

/** Part of a volume's name, the same for the same key. */
const SUFFIX_LENGTH = 10

export const diskVolume = (tag: string, key: string): string =>
  `${tag}.${hash("sha1", key, "hex").slice(0, SUFFIX_LENGTH)}.qcow2`
/** True for an image that is a backup, and not a snapshot. */
export const isBackup = (image: string): boolean => /^backup-\d+$/.test(image)
/** The name of a disk's volume. */
export const DISK = /\.[\da-f]{10}\.qcow2$/
export const seedVolume = (tag: string): string => `${tag}.seed.iso`
/** The volumes that this driver makes for a machine. Other files in the folder are an operator's. */
const VOLUME = /^(instance-\d+(?:-[\da-f]{10})?)\.(?:seed\.iso|(?:[\da-f]{10}|move|snapshot-\d+|backup-\d+)\.qcow2)$/
/** The tag of the machine that a volume was made for; undefined for others. */
export const tagOfVolume = (name: string): string | undefined => VOLUME.exec(name)?.[1]
export const imageVolume = (tag: string, image: string): string => `${tag}.${image}.qcow2`
/** A copy of the disk on its way to another host. */
export const moveVolume = (tag: string): string => `${tag}.move.qcow2`
