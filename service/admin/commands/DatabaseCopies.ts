/** The parts of backup and secret rotation that the running service executes. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { text } from "#contract/Primitives"
import { isAbsolute } from "node:path"
import { DatabaseCopy } from "../../persistence/DatabaseCopy.ts"
import { SecretUses } from "../../persistence/SecretUses.ts"
import { Secret } from "../../config/Secret.ts"
import { reject } from "../CommandRejected.ts"
import { type Input } from "../InputSchemas.ts"

/** Longest path of a file on Linux, in bytes. */
const PATH_MAX = 4_096

export const CopyTarget = () => Schema.Struct({ path: text(1, PATH_MAX) })

/** The caller verifies the copy, because that takes long. */
export const copyDatabase = Effect.fnUntraced(function*({ path }: Input<typeof CopyTarget>) {
  if (!isAbsolute(path)) return yield* reject("path: Must be absolute.")
  yield* (yield* DatabaseCopy).into(path).pipe(Effect.mapError(({ message }) => reject(message)))
  return { path }
})

const SecretId = text(1, 64)

/** The file with the secret is changed by the command itself; the service only records what was done. */
export const SecretRotation = () => Schema.Struct({ current: SecretId })
export const SecretRemoval = () =>
  Schema.Struct({ forgotten: Schema.Array(SecretId), lost_keys: Schema.Int, lost_tasks: Schema.Int })

/**
 * `current` encrypts new values, `older` is still accepted, `unknown` is no longer available, and `unmarked` are values
 * of versions that did not record their secret.
 */
export type SecretState = "current" | "older" | "unknown" | "unmarked"

/** The number of values that depend on each secret. A key moves to the current secret when it is used. */
export const listSecrets = Effect.gen(function*() {
  const uses = yield* (yield* SecretUses).all(yield* Clock.currentTimeMillis)
  const available = (yield* Secret).markers.map(({ id }) => id)
  const stateOf = (id: string | null): SecretState => {
    if (id === null) return "unmarked"
    return available.includes(id) ? (id === available[0] ? "current" : "older") : "unknown"
  }
  const unused = available.filter((id) => uses.every((use) => use.id !== id)).map((id) => ({ id, keys: 0, tasks: 0 }))
  const rank: Readonly<Record<SecretState, number>> = { current: 0, older: 1, unmarked: 2, unknown: 3 }
  return [...uses, ...unused].map(({ id, keys, tasks }) => ({ secret: id, state: stateOf(id), keys, tasks }))
    .toSorted((one, other) => rank[one.state] - rank[other.state])
})
