/**
 * Whether the secrets that were given are those under which the database was written. With another one every key made
 * before is no key here, and nobody is told why: so it is looked at before anything is answered.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Values } from "../config/Config.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import { type SecretUse, SecretUses } from "../persistence/SecretUses.ts"
import { Secret, secretPath, SecretUnusable } from "../Secret.ts"

/** Who wants to know how many API keys and waiting passwords in use cannot be opened here. */
export class LostObserver extends Context.Reference<(keys: number, passwords: number) => void>(
  "pulumi-vps/service/LostObserver",
  { defaultValue: () => () => undefined }
) {}

/**
 * How often it is looked at again where others write, too, in milliseconds: who rotates the secret of one replica too
 * early makes keys that this one does not know. It reads all keys, so not much oftener.
 */
const AGAIN_MILLIS = 60_000

type Origin = Pick<Values, "database" | "emulator" | "secret">

const remedy = ({ database, emulator, secret }: Origin): string =>
  secret === "" && !emulator
    ? `Put the missing secret into ${secretPath(database)}, in a line of its own below the current one`
    : "Give all of them in VPS_SERVICE_SECRET, divided by commas, the current one first, to every replica the same"

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

const sum = (uses: ReadonlyArray<SecretUse>) => ({
  keys: uses.reduce((total, { keys }) => total + keys, 0),
  passwords: uses.reduce((total, { tasks }) => total + tasks, 0)
})

/** What was made under which other secret. */
const named = (lost: ReadonlyArray<SecretUse>): string =>
  lost.map(({ id, keys, tasks }) => `${id} (${counted(keys, "API key")}, ${counted(tasks, "waiting password")})`).join(
    ", "
  )

/** Undefined when all can be opened. Those of versions that did not say under which secret count as what can be. */
const look = Effect.fnUntraced(function*(origin: Origin) {
  const given = (yield* Secret).markers.map(({ id }) => id)
  const uses = yield* (yield* SecretUses).all(yield* Clock.currentTimeMillis)
  const lost = uses.filter(({ id }) => id !== null && !given.includes(id))
  const { keys, passwords } = sum(lost)
  const observe = yield* LostObserver
  observe(keys, passwords)
  if (keys + passwords === 0) return undefined
  const what = `The database holds what was made under a secret that was not given: ${named(lost)}; given: ${given}.`
  return { isEveryKey: keys > 0 && sum(uses).keys === keys, told: `${what} ${remedy(origin)}` }
})

const NONE = "No API key in use would work, so the service does not start."
const GIVEN_UP =
  "If it is lost for good, make a key under the one that was given: \"vps-service admin keys create\"; then it starts."
const SOME = "Until then they are refused here as if they were not known (\"vps-service admin keys list\" tells which; "
  + "those that are given up can be revoked)."

const check = Effect.fnUntraced(function*(origin: Origin) {
  const found = yield* look(origin)
  if (found?.isEveryKey) return yield* new SecretUnusable({ message: `${found.told}. ${NONE} ${GIVEN_UP}` })
  let told: string | undefined
  const tell = Effect.fnUntraced(function*(now: typeof found) {
    if (now !== undefined && now.told !== told) yield* Effect.logWarning(`${now.told}. ${SOME}`)
    told = now?.told
  })
  yield* tell(found)
  if ((yield* ReplicaBus).ownsDatabase) return
  // While the database is away others say so.
  const again = Effect.sleep(AGAIN_MILLIS).pipe(
    Effect.andThen(look(origin)),
    Effect.andThen(tell),
    Effect.catchDefect(() => Effect.void)
  )
  yield* Effect.forkScoped(Effect.forever(again))
})

/** Warns of what cannot be opened; fails with `SecretUnusable` when that is every key in use. */
export const layer = (origin: Origin): Layer.Layer<never, SecretUnusable, Secret | SecretUses> =>
  Layer.effectDiscard(check(origin))
