/** The driver on one host of the tests, without the service's database: any tag has a place on it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import type { Host as HostRow } from "#service/persistence/Hosts"
import { Places } from "#service/provisioning/drivers/libvirt/MachinePlaces"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { connectTo } from "#service/provisioning/drivers/libvirt/HostConnection"
import { storeVolume } from "#service/provisioning/drivers/libvirt/Volumes"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { makeGuest } from "./Guest.ts"
import type { Host } from "./Host.ts"

const IMAGES = new Map(
  [
    ["debian-12", { kind: "disk", volume: "image-debian-12.qcow2" }],
    ["rescue", { kind: "iso", volume: "image-rescue.iso" }],
    ["rescue.iso", { kind: "iso", volume: "image-rescue.iso" }]
  ] as const
)

/** Of each machine. */
export const SIZE = { cpus: 1, memoryMib: 192, diskGib: 1 }

/** Defines the pool of a host, and uploads the tiny guest and the rescue disc. */
export const prepareHost = async (host: Host): Promise<HostRow> => {
  const guest = makeGuest()
  const capacity = { cpus: 8, memoryMib: 8_192, diskGib: 100 }
  const place = { name: "alpha", uri: `unix:${host.socket}`, certificates: null, pool: "default", bridge: "br0" }
  const own = { sharedStorage: null, backupPool: null, sharedBackups: null, diskLeftGib: null, unreachableSince: null }
  const session = connectTo(place.uri, null, DEFAULT_LIMITS)
  const pool = `<pool type="dir"><name>default</name><target><path>${host.folder}/images</path></target></pool>`
  const upload = (name: string, path: string) => {
    const content = readFileSync(path)
    return storeVolume(session, "default", { name, bytes: content.length, data: () => [content] })
  }
  await Effect.runPromise(
    session.slow(PROCEDURES.poolCreate, [pool, 0]).pipe(
      Effect.andThen(upload("image-debian-12.qcow2", guest.disk)),
      Effect.andThen(upload("image-rescue.iso", guest.rescue))
    )
  )
  session.close()
  return { ...place, id: 1, dataCenterId: 1, accelerator: "qemu", state: "active", capacity, used: capacity, ...own }
}

/** The address of a machine. */
export const assignmentOf = (tag: string) => {
  const number = Number(tag.split("-")[1])
  const ipv6 = { ipv6: `2001:db8::1:${number}`, ipv6Gateway: "2001:db8::1", ipv6Prefix: 64 }
  return { address: `203.0.113.${10 + number}`, gateway: "203.0.113.1", prefix: 24, ...ipv6 }
}

export const placesOn = (row: () => HostRow): Layer.Layer<Places> =>
  Layer.sync(Places, () =>
    Places.of({
      of: (tag) => Effect.succeed({ host: row(), size: SIZE, assignment: assignmentOf(tag), fenced: null }),
      hosts: Effect.sync(() => [row()]),
      image: (hostId, slug) => {
        const image = IMAGES.get(slug as "rescue")
        return Effect.succeed(image && { ...image, hostId, slug, sha256: "", createdAt: 0 })
      }
    }))
