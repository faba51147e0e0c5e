/** A daemon of a host that replies as each case needs, and the command that adds that host. */
import * as Effect from "effect/Effect"
import { COMMANDS } from "#service/admin/Commands"
import { toBytes, TYPE } from "#service/provisioning/drivers/libvirt/rpc/Packets"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { fault } from "#service/provisioning/drivers/libvirt/rpc/Types"
import { encode } from "#service/provisioning/drivers/libvirt/rpc/Xdr"
import { type Respond, result, startDaemon } from "../provisioning/libvirt/FakeDaemon.ts"

const { filterLookup, hostname, list, nodeInfo, poolInfo, poolLookup, poolRefresh, volumeCreate, volumeDelete } =
  PROCEDURES
const { volumeDownload, volumeList, volumeLookup, volumeUpload, volumeXml } = PROCEDURES
const UUID = "11111111-2222-5333-8444-555555555555"
const GIB = 2 ** 30

export interface Faulty {
  /** The error number of a call, by its procedure. */
  readonly fails?: Record<string, number>
  readonly poolState?: number
  readonly uploaded?: Array<Buffer>
  /** The names of volumes in each pool. */
  readonly volumes?: ReadonlyArray<string>
  /** The volume of the image, which the host has already. */
  readonly stored?: { content: Buffer | undefined; readonly hasDisk: boolean }
}

const failed = (code: number) =>
  encode(fault, {
    code,
    source: 0,
    message: "libvirt's own text",
    level: 2,
    domain: null,
    detail1: null,
    detail2: null,
    detail3: null,
    number1: 0,
    number2: 0,
    network: null
  })

const healthy = (
  { fails = {}, poolState = 2, stored = { content: undefined, hasDisk: false }, uploaded = [], volumes = [] }: Faulty
): Respond =>
(packet, reply) => {
  if (packet.type === TYPE.stream) {
    uploaded.push(Buffer.from(packet.body))
    if (packet.status === 0) reply(toBytes({ ...packet, status: 0 }, Buffer.alloc(0)))
    return
  }
  const [name] = Object.entries(PROCEDURES).find(([, { number }]) => number === packet.procedure)!
  const code = fails[name]
  if (code !== undefined) return reply(toBytes({ ...packet, type: TYPE.reply, status: 1 }, failed(code)))
  const pool = { name: "default", uuid: UUID }
  const volume = { pool: "default", name: "v", key: "/v" }
  const disk = { ...volume, name: "instance-1.0123456789.qcow2", key: "/disk" }
  const isBase = stored.content !== undefined && stored.hasDisk
  if (packet.procedure === volumeLookup.number && stored.content === undefined) {
    return reply(toBytes({ ...packet, type: TYPE.reply, status: 1 }, failed(50)))
  }
  if (packet.procedure === volumeDownload.number) {
    reply(result(volumeDownload, packet, undefined))
    reply(toBytes({ ...packet, type: TYPE.stream, status: 2 }, stored.content!))
    return reply(toBytes({ ...packet, type: TYPE.stream, status: 0 }, Buffer.alloc(0)))
  }
  const replies: Record<number, () => Buffer> = {
    [volumeLookup.number]: () => result(volumeLookup, packet, volume),
    [volumeList.number]: () => {
      const others = volumes.map((name) => ({ ...volume, name }))
      return result(volumeList, packet, [[volume, ...(isBase ? [disk] : []), ...others], 1])
    },
    [volumeXml.number]: () =>
      result(volumeXml, packet, "<volume><backingStore><path>/v</path></backingStore></volume>"),
    [volumeDelete.number]: () => {
      stored.content = undefined
      return result(volumeDelete, packet, undefined)
    },
    [filterLookup.number]: () => result(filterLookup, packet, ["clean-traffic", UUID]),
    [nodeInfo.number]: () =>
      result(nodeInfo, packet, [Array.from({ length: 32 }, () => 0), 8 * 2 ** 20, 4, 0, 1, 1, 4, 1]),
    [poolLookup.number]: () => result(poolLookup, packet, pool),
    [poolInfo.number]: () => result(poolInfo, packet, [poolState, 100 * GIB, 0, 100 * GIB]),
    [hostname.number]: () => result(hostname, packet, "alpha.internal"),
    [list.number]: () => result(list, packet, [[], 0]),
    [poolRefresh.number]: () => result(poolRefresh, packet, undefined),
    [volumeCreate.number]: () => {
      stored.content = Buffer.alloc(0)
      return result(volumeCreate, packet, volume)
    },
    [volumeUpload.number]: () => result(volumeUpload, packet, undefined)
  }
  reply(replies[packet.procedure]!())
}

export const daemon = (faulty: Faulty = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startDaemon(healthy(faulty))),
    ({ close }) => Effect.promise(close)
  )

const INPUT = {
  name: "alpha",
  data_center: "Helsinki",
  pool: "default",
  bridge: "br0",
  accelerator: "qemu",
  overcommit: 4,
  reserved_mib: 1_024
}

export const add = (path: string, more: object = {}) =>
  COMMANDS["hosts.add"].run({ ...INPUT, uri: `unix:${path}`, ...more } as never)

export const message = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)
