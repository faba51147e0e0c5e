/** Nightly backups, and when each instance's next one is due. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Due } from "./Contracts.ts"
import type { ImageStatus } from "./Snapshots.ts"

export interface Backup {
  readonly id: number
  readonly instanceId: number
  /** Slug of the image that was installed; a restore brings it back. */
  readonly os: string
  readonly status: ImageStatus
  /** Null until it is known. */
  readonly sizeBytes: number | null
  readonly createdAt: number
  readonly expiresAt: number
}

export interface NewBackup extends Pick<Backup, "instanceId" | "os" | "expiresAt"> {
  readonly at: number
}

export class Backups extends Context.Service<Backups, {
  /** It is being created. */
  readonly insert: (backup: NewBackup) => Effect.Effect<number>
  readonly find: (instanceId: number, id: number) => Effect.Effect<Backup | undefined>
  /** By id; without those that were discarded. */
  readonly list: (instanceId: number) => Effect.Effect<ReadonlyArray<Backup>>
  /** Ids of those that nobody needs any more: past their time, or discarded. */
  readonly spent: (instanceId: number, now: number) => Effect.Effect<ReadonlyArray<number>>
  readonly setStatus: (id: number, status: ImageStatus) => Effect.Effect<void>
  /** It is there, and this large. */
  readonly setMade: (id: number, sizeBytes: number | null) => Effect.Effect<void>
  /** Gives up what is being created: nobody sees it any more, and what is left of it goes with the next night. */
  readonly discard: (instanceId: number, at: number) => Effect.Effect<void>
  readonly remove: (id: number) => Effect.Effect<void>
  readonly removeAll: (instanceId: number) => Effect.Effect<void>
  /** When the instance's next backup is due; null when it has none ahead. */
  readonly schedule: (instanceId: number, at: number | null) => Effect.Effect<void>
  /** Whether the instance's next backup is due, and nobody has begun it. */
  readonly isDue: (instanceId: number, now: number) => Effect.Effect<boolean>
  /** The next backup of an active instance is due. */
  readonly due: Due
}>()("pulumi-vps/service/Backups") {}
