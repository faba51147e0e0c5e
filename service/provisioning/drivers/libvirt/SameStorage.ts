/** Finds out whether two hosts see the same files in their pools, as on NFS that both mount. */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { rawXml } from "./DomainXml.ts"
import { CODES } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { HostConnection } from "./HostConnection.ts"
import { deleteVolume, findPool, findVolume, orElse, refresh } from "./Volumes.ts"

interface PoolAt {
  readonly connection: HostConnection
  /** Name. */
  readonly pool: string
}

/** True for the error of a volume whose file exists already, which the daemon may not have listed. */
const EXISTS = [CODES.VOLUME_EXISTS, CODES.OPERATION_INVALID]

/** Creates a trial volume in one pool, and then in the other: on the same storage, that fails because it exists. */
export const isSameStorage = Effect.fnUntraced(function*(one: PoolAt, other: PoolAt) {
  const name = `vps-trial-${randomUUID()}.raw`
  const xml = rawXml(name, 0)
  const trial = yield* one.connection.slow(CALLS.volumeCreate, [yield* findPool(one.connection, one.pool), xml, 0])
  return yield* Effect.gen(function*() {
    const pool = yield* findPool(other.connection, other.pool)
    // Fails for a pool that is not active.
    yield* refresh(other.connection, pool)
    if ((yield* findVolume(other.connection, pool, name)) !== undefined) return true
    const second = yield* orElse(
      other.connection.slow(CALLS.volumeCreate, [pool, xml, 0]),
      EXISTS,
      Effect.succeed(undefined)
    )
    if (second !== undefined) yield* deleteVolume(other.connection, second)
    return second === undefined
  }).pipe(Effect.ensuring(Effect.ignore(deleteVolume(one.connection, trial))))
})
