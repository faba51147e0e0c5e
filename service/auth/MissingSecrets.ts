/**
 * Checks at start that the configured secrets are those under which the database was written. With another secret every
 * existing API key would be rejected without an explanation.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Values } from "../config/Config.ts"
import { randomUUID } from "node:crypto"
import { JobLeases } from "../persistence/JobLeases.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import { type SecretUse, SecretUses } from "../persistence/SecretUses.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Secret, secretPath, SecretUnusable } from "../config/Secret.ts"

/** Receives the number of API keys and pending passwords whose secret is missing. */
export class MissingSecretsObserver extends Context.Reference<(keys: number, passwords: number) => void>(
  "@pulumi-vps/service/MissingSecretsObserver",
  { defaultValue: () => () => undefined }
) {}

/**
 * Interval of the check with several replicas, in milliseconds: a replica whose secret is rotated too early creates
 * keys that the others reject. It reads all keys, so it is not more frequent.
 */
const INTERVAL_MILLIS = 60_000

type Origin = Pick<Values, "database" | "emulator" | "secret">

const remedy = ({ database, emulator, secret }: Origin): string =>
  secret === "" && !emulator
    ? `Add the missing secret to ${secretPath(database)}, on its own line below the current one`
    : "Set VPS_SERVICE_SECRET to all of them, comma-separated, the current one first, in every replica"

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

const sum = (uses: ReadonlyArray<SecretUse>) => ({
  keys: uses.reduce((total, { keys }) => total + keys, 0),
  passwords: uses.reduce((total, { tasks }) => total + tasks, 0)
})

/** Describes the missing secrets and their uses. */
const describe = (lost: ReadonlyArray<SecretUse>): string =>
  lost.map(({ id, keys, tasks }) => `${id} (${counted(keys, "API key")}, ${counted(tasks, "pending password")})`).join(
    ", "
  )

/** Undefined when no secret is missing. Keys of old versions, which did not store the secret, count as available. */
const findMissing = Effect.fnUntraced(function*(origin: Origin) {
  const configured = (yield* Secret).markers.map(({ id }) => id)
  const uses = yield* (yield* SecretUses).all(yield* Clock.currentTimeMillis)
  const missing = uses.filter(({ id }) => id !== null && !configured.includes(id))
  const { keys, passwords } = sum(missing)
  const observe = yield* MissingSecretsObserver
  observe(keys, passwords)
  if (keys + passwords === 0) return undefined
  const problem = `The database depends on secrets that are not configured: ${describe(missing)}`
  const message = `${problem}; configured: ${configured}. ${remedy(origin)}`
  return { isEveryKey: keys > 0 && sum(uses).keys === keys, message }
})

const NONE = "No API key in use would work, so the service does not start."
const LOST = "If the secret is permanently lost, create a key with the configured one "
  + "(\"vps-service admin keys create\"), then start again."
const SOME = "Until then they are rejected as unknown. \"vps-service admin keys list\" lists them; "
  + "revoke those that are no longer needed."

/** Leases of this name say which secrets the replicas create keys with. */
const PREFIX = "secret:"

/** Milliseconds for which a replica that was killed still counts: more than the interval, in which it is extended. */
const PRESENCE_MILLIS = 2 * INTERVAL_MILLIS

const stranger = (ids: ReadonlyArray<string>, configured: ReadonlyArray<string>): string =>
  `Another replica uses the secret ${ids.join(", ")}, which is not configured here; configured: ${configured}. `
  + "Set VPS_SERVICE_SECRET to the same secrets in every replica."

const STAYS = `If that replica was killed, it counts for another ${PRESENCE_MILLIS / 60_000} minutes.`

/** Keys that replicas with different secrets create are unknown to each other: that is noticed before there is one. */
const checkReplicas = Effect.gen(function*() {
  const leases = yield* JobLeases
  const { run } = yield* Transaction
  const configured = (yield* Secret).markers.map(({ id }) => id)
  const own = `${PREFIX}${configured[0]}`
  const holder = randomUUID()
  const hold = (millis: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => run(leases.take(own, holder, now, now + millis)))
  const strangers = Effect.gen(function*() {
    const held = yield* leases.held(PREFIX, yield* Clock.currentTimeMillis)
    return held.map((name) => name.slice(PREFIX.length)).filter((id) => !configured.includes(id))
  })
  const found = yield* strangers
  if (found.length > 0) return yield* new SecretUnusable({ message: `${stranger(found, configured)} ${STAYS}` })
  // A database that cannot be written can still be read.
  yield* Effect.ignore(hold(PRESENCE_MILLIS))
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.catchDefect(hold(0), () => Effect.void)))
  let reported = ""
  const again = Effect.gen(function*() {
    yield* hold(PRESENCE_MILLIS)
    const now = yield* strangers
    if (now.length > 0 && reported !== now.join()) yield* Effect.logWarning(stranger(now, configured))
    reported = now.join()
  })
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.sleep(INTERVAL_MILLIS).pipe(
        Effect.andThen(again),
        Effect.ignore,
        Effect.catchDefect(() => Effect.void)
      )
    )
  )
})

const check = Effect.fnUntraced(function*(origin: Origin) {
  const found = yield* findMissing(origin)
  if (found?.isEveryKey) return yield* new SecretUnusable({ message: `${found.message}. ${NONE} ${LOST}` })
  let reported: string | undefined
  const report = Effect.fnUntraced(function*(now: typeof found) {
    if (now !== undefined && now.message !== reported) yield* Effect.logWarning(`${now.message}. ${SOME}`)
    reported = now?.message
  })
  yield* report(found)
  if ((yield* ReplicaBus).ownsDatabase) return
  yield* checkReplicas
  // Other parts report an unavailable database.
  const again = Effect.sleep(INTERVAL_MILLIS).pipe(
    Effect.andThen(findMissing(origin)),
    Effect.andThen(report),
    Effect.catchDefect(() => Effect.void)
  )
  yield* Effect.forkScoped(Effect.forever(again))
})

/**
 * Warns of missing secrets; fails with `SecretUnusable` when no key in use would work, or another replica creates keys
 * that would not.
 */
export const layer = (
  origin: Origin
): Layer.Layer<never, SecretUnusable, JobLeases | Secret | SecretUses | Transaction> =>
  Layer.effectDiscard(check(origin))
