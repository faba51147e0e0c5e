/** Snapshots: made by the customer, kept until the customer deletes them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export type ImageStatus = "creating" | "available" | "restoring" | "failed"

export interface Snapshot {
  readonly id: number
  readonly instanceId: number
  readonly name: string
  /** Slug of the image that was installed; a restore brings it back. */
  readonly os: string
  readonly status: ImageStatus
  /** Null until it is known. */
  readonly sizeBytes: number | null
  readonly createdAt: number
}

export interface NewSnapshot extends Pick<Snapshot, "instanceId" | "name" | "os"> {
  readonly at: number
}

export class Snapshots extends Context.Service<Snapshots, {
  /** It is being created. */
  readonly insert: (snapshot: NewSnapshot) => Effect.Effect<number>
  readonly find: (instanceId: number, id: number) => Effect.Effect<Snapshot | undefined>
  /** By id. */
  readonly list: (instanceId: number) => Effect.Effect<ReadonlyArray<Snapshot>>
  /** How many count towards the quota: all but failed ones. */
  readonly used: (instanceId: number) => Effect.Effect<number>
  readonly setStatus: (id: number, status: ImageStatus) => Effect.Effect<void>
  /** It is there, and this large. */
  readonly setMade: (id: number, sizeBytes: number | null) => Effect.Effect<void>
  readonly remove: (id: number) => Effect.Effect<void>
  readonly removeFailed: (instanceId: number) => Effect.Effect<void>
  readonly removeAll: (instanceId: number) => Effect.Effect<void>
}>()("pulumi-vps/service/Snapshots") {}
