/** The parts of backup and secret rotation that the running service executes. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isAbsolute } from "node:path"
import { DatabaseCopy } from "../../persistence/DatabaseCopy.ts"
import { SecretUses } from "../../persistence/SecretUses.ts"
import { Secret } from "../../config/Secret.ts"
import { reject } from "../Input.ts"
import type { InputOf, RowOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

/** The caller verifies the copy, because that takes long. */
const copyDatabase = Effect.fnUntraced(function*({ path }: InputOf<"database.copy">) {
  if (!isAbsolute(path)) return yield* reject("path: Must be absolute.")
  yield* (yield* DatabaseCopy).into(path).pipe(Effect.mapError(({ message }) => reject(message)))
  return { path }
})

type State = RowOf<"secret.list">["state"]

/** The number of values that depend on each secret. A key moves to the current secret when it is used. */
const listSecrets = Effect.gen(function*() {
  const uses = yield* (yield* SecretUses).all(yield* Clock.currentTimeMillis)
  const available = (yield* Secret).markers.map(({ id }) => id)
  const stateOf = (id: string | null): State => {
    if (id === null) return "unmarked"
    return available.includes(id) ? (id === available[0] ? "current" : "older") : "unknown"
  }
  const unused = available.filter((id) => uses.every((use) => use.id !== id)).map((id) => ({ id, keys: 0, tasks: 0 }))
  const rank: Readonly<Record<State, number>> = { current: 0, older: 1, unmarked: 2, unknown: 3 }
  return [...uses, ...unused].map(({ id, keys, tasks }) => ({ secret: id, state: stateOf(id), keys, tasks }))
    .toSorted((one, other) => rank[one.state] - rank[other.state])
})

export const DATABASE_COPIES_USE_CASES = {
  "database.copy": copyDatabase,
  "secret.list": () => listSecrets
} satisfies UseCases
