/** The command that uploads images and ISOs to hosts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { type Host, Hosts } from "../../persistence/Hosts.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { PROCEDURES as CALLS } from "../../provisioning/drivers/libvirt/rpc/Procedures.ts"
import type { Pool, Volume } from "../../provisioning/drivers/libvirt/rpc/Types.ts"
import type { Session } from "../../provisioning/drivers/libvirt/Session.ts"
import {
  assertSpace,
  deleteVolume,
  digestOf,
  disksOn,
  findPool,
  findVolume,
  storeVolume
} from "../../provisioning/drivers/libvirt/Volumes.ts"
import { reject } from "../CommandRejected.ts"
import { hostNamed, withHost } from "./Hosts.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"

type ImageUpload = InputOf<"images.import">

/** The header of a qcow2 file: magic, version, and the offset of the name of a backing file. */
const HEADER_BYTES = 16
const MAGIC = "514649fb"
const BACKING_AT = 8

const headerProblem = (header: Buffer): string | undefined => {
  if (header.subarray(0, 4).toString("hex") !== MAGIC) {
    return "is not a qcow2 image. Convert it: qemu-img convert -O qcow2 in.img out.qcow2."
  }
  const backing = header.readBigUInt64BE(BACKING_AT)
  return backing === 0n ? undefined : "has a backing file. Convert it: qemu-img convert -O qcow2 in.qcow2 out.qcow2."
}

const inspect = async (handle: FileHandle, { file, kind, sha256 }: ImageUpload) => {
  const header = Buffer.alloc(HEADER_BYTES)
  await handle.read(header, 0, HEADER_BYTES, 0)
  const problem = kind === "disk" ? headerProblem(header) : undefined
  if (problem !== undefined) throw new Error(`${file} ${problem}`)
  const digest = createHash("sha256")
  for await (const part of createReadStream(file)) digest.update(part as Buffer)
  const found = digest.digest("hex")
  if (found !== sha256) throw new Error(`${file} has the SHA-256 digest ${found}. Download it again.`)
  return (await handle.stat()).size
}

/** The size of a file that has the expected content. */
const verified = (input: ImageUpload) =>
  Effect.tryPromise({
    try: async () => {
      const handle = await open(input.file)
      try {
        return await inspect(handle, input)
      } finally {
        await handle.close()
      }
    },
    catch: (cause) => reject((cause as Error).message)
  })

/** Different contents have different names, so that the disks on top of an earlier image stay as they are. */
const volumeOf = ({ kind, name, sha256 }: ImageUpload): string =>
  `image-${name}-${sha256.slice(0, 8)}.${kind === "disk" ? "qcow2" : "iso"}`

/** A volume with other content than its name says: an import was interrupted, or it was changed. */
const discard = Effect.fnUntraced(function*(session: Session, pool: Pool, volume: Volume) {
  const disks = yield* disksOn(session, pool, volume)
  if (disks.length === 0) return yield* deleteVolume(session, volume)
  return yield* reject(
    `The content of the volume ${volume.name} is not what was imported, and disks depend on it: ${disks.join(", ")}. `
      + `Restore ${volume.key} from a copy of the file, or import the image under another name.`
  )
})

/** Stores a file. A volume that exists is never written, because disks may be on top of it. */
const store = Effect.fnUntraced(function*(session: Session, { pool: name }: Host, input: ImageUpload, bytes: number) {
  const pool = yield* findPool(session, name)
  yield* session.slow(CALLS.poolRefresh, [pool, 0])
  const volume = volumeOf(input)
  const existing = yield* findVolume(session, pool, volume)
  if (existing !== undefined) {
    if ((yield* digestOf(session, existing)) === input.sha256) return
    yield* discard(session, pool, existing)
  }
  yield* assertSpace(session, name, bytes)
  // Opened when it is first read: a stream that a host rejects must not open the file, and fail, afterwards.
  const data = async function*() {
    for await (const part of createReadStream(input.file)) yield part as Buffer
  }
  const removed = Effect.flatMap(
    findVolume(session, pool, volume),
    (incomplete) => incomplete === undefined ? Effect.void : deleteVolume(session, incomplete)
  )
  yield* storeVolume(session, name, { name: volume, bytes, data }).pipe(Effect.onError(() => Effect.ignore(removed)))
})

const upload = Effect.fnUntraced(function*(host: Host, input: ImageUpload, bytes: number) {
  yield* withHost(host, (session) => store(session, host, input, bytes)).pipe(
    Effect.mapError(({ message }) => reject(`Host ${host.name}: ${message}`))
  )
  const volume = volumeOf(input)
  const { kind, name: slug, sha256 } = input
  const hosts = yield* Hosts
  const createdAt = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(hosts.setImage({ hostId: host.id, slug, kind, sha256, volume, createdAt }))
  return { host: host.name, name: slug, kind, volume, bytes }
})

/** Uploads a file to one host or all of them, once its digest is verified. */
export const importImage = Effect.fnUntraced(function*(input: ImageUpload) {
  const hosts = input.host === undefined ? yield* (yield* Hosts).list : [yield* hostNamed(input.host)]
  if (hosts.length === 0) return yield* reject("No host exists. Run \"hosts add\" first.")
  const bytes = yield* verified(input)
  return yield* Effect.forEach(hosts, (host) => upload(host, input, bytes))
})
