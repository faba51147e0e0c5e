/** What a fresh service tells its operator. */
import * as Effect from "effect/Effect"
import { isPostgres } from "../persistence/postgres/Address.ts"
import { OperatorLists } from "../persistence/OperatorLists.ts"

const quoted = (path: string): string => /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** A URL may hold a password, which stands neither in a log nor in the list of processes. */
const SHARED = " with the same VPS_SERVICE_DATABASE and VPS_SERVICE_SECRET"

const steps = (database: string): string => {
  const shared = isPostgres(database)
  const admin = shared ? "vps-service admin" : `vps-service admin --database ${quoted(database)}`
  return `This service has no account yet. Make the first one and its key, in another shell${shared ? SHARED : ""}:

  ${admin} accounts create --email you@example.com
  ${admin} keys create --account 1 --scope vps:create
  ${admin} wallet top-up 1 100
  vps-service admin catalogue example > catalogue.yaml
  ${admin} catalogue import catalogue.yaml

The key is shown once; the catalogue is what you sell, so edit it first. "vps-service admin --help" tells more.
`
}

const IN_MEMORY = `This service has no account, and its database is in memory, where no operator can make one.
Start it with --database FILE, or with --emulator to try it out.
`

/** How to make the first account and key; undefined once there is an account. */
export const firstSteps = (database: string): Effect.Effect<string | undefined, never, OperatorLists> =>
  Effect.map(
    Effect.flatMap(OperatorLists, ({ hasAccounts }) => hasAccounts),
    (some) => some ? undefined : database === ":memory:" ? IN_MEMORY : steps(database)
  )
