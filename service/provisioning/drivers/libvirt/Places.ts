/** The host, the size and the address that are reserved for a machine, by its tag. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MachineSize } from "../../../domain/MachineSize.ts"
import { Addresses, type Assignment } from "../../../persistence/Addresses.ts"
import { type Host, type HostImage, Hosts } from "../../../persistence/Hosts.ts"

export interface MachinePlace {
  readonly host: Host
  readonly size: MachineSize
  readonly assignment: Assignment
}

export class Places extends Context.Service<Places, {
  /** Undefined for a machine that was never reserved, or that is terminated. */
  readonly of: (tag: string) => Effect.Effect<MachinePlace | undefined>
  /** By slug of an image or file name of an ISO. */
  readonly image: (hostId: number, slug: string) => Effect.Effect<HostImage | undefined>
}>()("pulumi-vps/service/Places") {}

const TAG = /^instance-(\d+)$/

export const layer: Layer.Layer<Places, never, Hosts | Addresses> = Layer.effect(
  Places,
  Effect.gen(function*() {
    const hosts = yield* Hosts
    const addresses = yield* Addresses
    return Places.of({
      of: Effect.fnUntraced(function*(tag) {
        const id = Number(TAG.exec(tag)?.[1])
        const reservation = yield* hosts.reservation(id)
        const assignment = yield* addresses.of(id)
        if (reservation === undefined || assignment === undefined) return undefined
        const host = yield* hosts.find(reservation.hostId)
        return host === undefined ? undefined : { host, size: reservation.size, assignment }
      }),
      image: hosts.image
    })
  })
)
