/** The command that uploads images and ISOs to hosts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { type Host, Hosts } from "../../persistence/Hosts.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { HostAdmin, type ImageFile } from "../../provisioning/HostAdmin.ts"
import { reject } from "../Input.ts"
import { hostNamed } from "./Hosts.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

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

const upload = Effect.fnUntraced(function*(host: Host, file: ImageFile) {
  const volume = yield* (yield* HostAdmin).storeImage(host, file).pipe(
    Effect.mapError(({ message }) => reject(`Host ${host.name}: ${message}`))
  )
  const { bytes, kind, sha256, slug } = file
  const hosts = yield* Hosts
  const createdAt = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(hosts.setImage({ hostId: host.id, slug, kind, sha256, volume, createdAt }))
  return { host: host.name, name: slug, kind, volume, bytes }
})

/** Uploads a file to one host or all of them, once its digest is verified. */
const importImage = Effect.fnUntraced(function*(input: ImageUpload) {
  const hosts = input.host === undefined ? yield* (yield* Hosts).list : [yield* hostNamed(input.host)]
  if (hosts.length === 0) return yield* reject("No host exists. Run \"hosts add\" first.")
  const { file: path, kind, name: slug, sha256 } = input
  const file = { slug, kind, sha256, path, bytes: yield* verified(input) }
  return yield* Effect.forEach(hosts, (host) => upload(host, file))
})

export const HOST_IMAGES_USE_CASES = {
  "images.import": importImage
} satisfies UseCases
