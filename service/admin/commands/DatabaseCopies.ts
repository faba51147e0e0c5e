/** What the running service does for backups and for the rotation of its secret; the rest is the command's. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isAbsolute } from "node:path"
import { DatabaseCopy } from "../../persistence/DatabaseCopy.ts"
import { SecretUses } from "../../persistence/SecretUses.ts"
import { Secret } from "../../Secret.ts"
import { CommandRejected } from "../InputSchemas.ts"

/** Not verified yet: that takes long, and is for whoever asked for it. */
export const copyDatabase = Effect.fnUntraced(function*({ path }: { path: string }) {
  if (!isAbsolute(path)) return yield* new CommandRejected({ message: "path: It should be absolute." })
  yield* (yield* DatabaseCopy).into(path).pipe(
    Effect.mapError(({ message }) => new CommandRejected({ message }))
  )
  return { path }
})

/**
 * `current` is used for new values, `older` is still known; `unknown` opens nothing any more; `unmarked` is what
 * versions without marks have made, under whichever.
 */
export type SecretState = "current" | "older" | "unknown" | "unmarked"

/** What depends on each secret. A key that is used moves to the current one. */
export const listSecrets = Effect.gen(function*() {
  const uses = yield* (yield* SecretUses).all(yield* Clock.currentTimeMillis)
  const known = (yield* Secret).markers.map(({ id }) => id)
  const stateOf = (id: string | null): SecretState => {
    if (id === null) return "unmarked"
    return known.includes(id) ? (id === known[0] ? "current" : "older") : "unknown"
  }
  const unused = known.filter((id) => uses.every((use) => use.id !== id)).map((id) => ({ id, keys: 0, tasks: 0 }))
  const rank: Readonly<Record<SecretState, number>> = { current: 0, older: 1, unmarked: 2, unknown: 3 }
  return [...uses, ...unused].map(({ id, keys, tasks }) => ({ secret: id, state: stateOf(id), keys, tasks }))
    .toSorted((one, other) => rank[one.state] - rank[other.state])
})
