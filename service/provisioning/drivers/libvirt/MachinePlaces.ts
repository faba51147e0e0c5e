/** The host, the size and the address that are reserved for a machine, by its tag. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MachineSize } from "../../../domain/MachineSize.ts"
import { Addresses, type Assignment } from "../../../persistence/Addresses.ts"
import { type Host, type HostImage, Hosts } from "../../../persistence/Hosts.ts"
import { Instances } from "../../../persistence/Instances.ts"
import { idInTag } from "../../../persistence/MachineTag.ts"
import { backupImage } from "../../Driver.ts"
import type { StoredImage } from "./MachineRecord.ts"

export interface MachinePlace {
  readonly host: Host
  readonly size: MachineSize
  readonly assignment: Assignment
  /** The system of a machine that was taken from a host that failed; null for others. */
  readonly fenced: FencedSystem | null
}

interface FencedSystem extends StoredImage {
  /** The image that becomes its disk; null: its disk is on shared storage. */
  readonly backup: string | null
}

export class Places extends Context.Service<Places, {
  /** Undefined for a machine that was never reserved, or that is terminated. */
  readonly of: (tag: string) => Effect.Effect<MachinePlace | undefined>
  readonly hosts: Effect.Effect<ReadonlyArray<Host>>
  /** By slug of an image or file name of an ISO. */
  readonly image: (hostId: number, slug: string) => Effect.Effect<HostImage | undefined>
}>()("@pulumi-vps/service/Places") {}

export const layer: Layer.Layer<Places, never, Addresses | Hosts | Instances> = Layer.effect(
  Places,
  Effect.gen(function*() {
    const hosts = yield* Hosts
    const addresses = yield* Addresses
    const instances = yield* Instances
    const systemOf = (id: number, backupId: number | null) =>
      Effect.map(instances.find(id), (instance) =>
        instance === undefined ? null : {
          os: instance.os,
          hostname: instance.hostname ?? `vps-${id}`,
          backup: backupId === null ? null : backupImage(backupId)
        })
    return Places.of({
      of: Effect.fnUntraced(function*(tag) {
        const id = idInTag(tag)
        if (id === undefined) return undefined
        const reservation = yield* hosts.reservation(id)
        const assignment = yield* addresses.of(id)
        // An instance with the same id may have another machine.
        if (reservation?.tag !== tag || assignment === undefined) return undefined
        const host = yield* hosts.find(reservation.hostId)
        if (host === undefined) return undefined
        const fenced = reservation.isFenced ? yield* systemOf(id, reservation.backupId) : null
        return { host, size: reservation.size, assignment, fenced }
      }),
      hosts: hosts.list,
      image: hosts.image
    })
  })
)
