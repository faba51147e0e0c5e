/**
 * The procedures that this driver calls, with their numbers in libvirt's protocol, their arguments and their results.
 * A number never changes: libvirt only adds new ones.
 */
import { counters } from "./Counters.ts"
import * as Types from "./Types.ts"
import { array, type Codec, int, nothing, opaque, optional, string, tuple, uhyper, uint, uuid, vector } from "./Xdr.ts"

/** The program of most procedures. */
const REMOTE = 0x20008086
/** Calls to QEMU's guest agent. */
const QEMU = 0x20008087

export interface Procedure<Arguments, Result> {
  readonly name: string
  readonly program: number
  readonly number: number
  readonly arguments: Codec<Arguments>
  readonly result: Codec<Result>
}

/** A row of the table, without its name. */
type Row<Arguments, Result> = Omit<Procedure<Arguments, Result>, "name">

const row = <const Arguments extends ReadonlyArray<unknown>, Result>(
  number: number,
  types: { readonly [K in keyof Arguments]: Codec<Arguments[K]> },
  result: Codec<Result>,
  program = REMOTE
): Row<Arguments, Result> => ({ program, number, arguments: tuple<Arguments>(...types), result })

const { domain, domainStats, filterBinding, networkInterface, parameters, pool, snapshot, volume } = Types
const text = optional(string)

const CONNECTION = {
  open: row(1, [text, uint], nothing),
  version: row(157, [], uhyper),
  hostname: row(59, [], string),
  supportsFeature: row(60, [int], int),
  /** Model, memory in KiB, and the number of CPUs, their frequency, nodes, sockets, cores and threads. */
  nodeInfo: row(6, [], tuple(vector(int, 32), uhyper, int, int, int, int, int, int)),
  freeMemory: row(102, [], uhyper),
  capabilities: row(7, [], string),
  filterLookup: row(175, [string], tuple(string, uuid)),
  filterXml: row(177, [tuple(string, uuid), uint], string),
  /** By the name of a network card's port on the host. */
  bindingLookup: row(397, [string], filterBinding),
  bindingXml: row(398, [filterBinding, uint], string),
  bindingCreate: row(399, [string, uint], filterBinding),
  bindingDelete: row(400, [filterBinding], nothing),
  filterDefine: row(180, [string], tuple(string, uuid)),
  interfaceLookup: row(128, [string], networkInterface),
  interfaceXml: row(130, [networkInterface, uint], string),
  registerEvent: row(316, [int, optional(domain)], int)
}

const DOMAINS = {
  define: row(350, [string, uint], domain),
  create: row(196, [domain, uint], domain),
  hasSavedState: row(183, [domain, uint], int),
  removeSavedState: row(184, [domain, uint], nothing),
  destroy: row(234, [domain, uint], nothing),
  resume: row(28, [domain], nothing),
  shutdown: row(258, [domain, uint], nothing),
  reset: row(245, [domain, uint], nothing),
  undefine: row(231, [domain, uint], nothing),
  lookup: row(24, [uuid], domain),
  /** State and reason. */
  state: row(212, [domain, uint], tuple(int, int)),
  description: row(14, [domain, uint], string),
  list: row(273, [int, uint], tuple(array(domain), uint)),
  stats: row(344, [array(domain), uint, uint], array(domainStats)),
  /** The same call; its reply is read in part. */
  counters: row(344, [array(domain), uint, uint], array(counters)),
  updateDevice: row(174, [domain, string, uint], nothing),
  setAutostart: row(29, [domain, int], nothing),
  /** Type, content, key, URI and flags. */
  setMetadata: row(264, [domain, int, text, text, text, uint], nothing),
  metadata: row(265, [domain, int, text, uint], string),
  setPassword: row(357, [domain, text, text, uint], nothing),
  /** Connection of the target, parameters, cookie and flags. */
  migrate: row(305, [domain, text, parameters, opaque, uint], opaque),
  agent: row(3, [domain, string, int, uint], text, QEMU)
}

const DISKS = {
  snapshotCreate: row(185, [domain, string, uint], snapshot),
  snapshotLookup: row(189, [domain, string, uint], snapshot),
  snapshotList: row(274, [domain, int, uint], tuple(array(snapshot), int)),
  snapshotRevert: row(192, [snapshot, uint], nothing),
  snapshotDelete: row(193, [snapshot, uint], nothing),
  /** Path, size and flags. */
  blockResize: row(251, [domain, string, uhyper, uint], nothing),
  /** Allocation, capacity and physical size of a disk. */
  blockInfo: row(194, [domain, string, uint], tuple(uhyper, uhyper, uhyper)),
  backupBegin: row(421, [domain, string, text, uint], nothing),
  jobStats: row(298, [domain, uint], tuple(int, parameters)),
  abortJob: row(164, [domain], nothing),
  freezeFileSystems: row(335, [domain, array(string), uint], int),
  thawFileSystems: row(336, [domain, array(string), uint], int)
}

const STORAGE = {
  poolLookup: row(84, [string], pool),
  /** State, capacity, allocation and available bytes. */
  poolInfo: row(87, [pool], tuple(int, uhyper, uhyper, uhyper)),
  poolXml: row(88, [pool, uint], string),
  poolRefresh: row(83, [pool, uint], nothing),
  poolCreate: row(76, [string, uint], pool),
  volumeCreate: row(93, [pool, string, uint], volume),
  volumeCopy: row(125, [pool, string, volume, uint], volume),
  volumeLookup: row(95, [pool, string], volume),
  volumeList: row(282, [pool, int, uint], tuple(array(volume), uint)),
  volumeDelete: row(94, [volume, uint], nothing),
  volumeResize: row(260, [volume, uhyper, uint], nothing),
  /** Type, capacity and allocation. */
  volumeInfo: row(98, [volume], tuple(int, uhyper, uhyper)),
  volumeXml: row(99, [volume, uint], string),
  /** Offset, length and flags. */
  volumeUpload: row(208, [volume, uhyper, uhyper, uint], nothing),
  volumeDownload: row(209, [volume, uhyper, uhyper, uint], nothing)
}

const ROWS = { ...CONNECTION, ...DOMAINS, ...DISKS, ...STORAGE }

type Named<R> = R extends Row<infer Arguments, infer Result> ? Procedure<Arguments, Result> : never

/** Each procedure by its name. */
export const PROCEDURES = Object.fromEntries(
  Object.entries(ROWS).map(([name, each]) => [name, { ...each, name }])
) as unknown as { readonly [Name in keyof typeof ROWS]: Named<typeof ROWS[Name]> }

/** An event of a machine, as libvirt numbers its registrations and messages. */
export const EVENTS = {
  /** Started, stopped and others, with a detail. */
  lifecycle: { id: 0, message: 318, body: tuple(int, domain, int, int) },
  /** The guest agent connected, or disconnected. */
  agent: { id: 18, message: 348, body: tuple(int, domain, int, int) },
  /** A backup ended. */
  jobCompleted: { id: 21, message: 363, body: tuple(int, domain, parameters) }
} as const

export type EventName = keyof typeof EVENTS

export const EVENT_BY_MESSAGE = new Map(
  Object.entries(EVENTS).map(([name, { body, message }]) => [
    message as number,
    { name: name as EventName, body: body as Codec<unknown> }
  ])
)
