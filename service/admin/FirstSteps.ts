/** The instructions that a service without accounts prints. */
import * as Effect from "effect/Effect"
import { locate } from "../config/DatabaseLocation.ts"
import { OperatorLists } from "../persistence/OperatorLists.ts"

const quoted = (path: string): string => /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** The URL may contain a password, which must not appear in logs or process lists. */
const SHARED = " with the same VPS_SERVICE_DATABASE and VPS_SERVICE_SECRET"

const steps = (file: string | undefined): string => {
  const admin = file === undefined ? "vps-service admin" : `vps-service admin --database ${quoted(file)}`
  const shared = file === undefined ? SHARED : ""
  return `This service has no account yet. Create an account and an API key in another shell${shared}:

  ${admin} accounts create --email you@example.com
  ${admin} keys create --account 1 --scope vps:create
  ${admin} wallet top-up 1 100
  vps-service admin catalogue example > catalogue.yaml
  ${admin} catalogue import catalogue.yaml

The key is shown only once. Edit the catalogue before importing it: it defines your plans and prices.
Run "vps-service admin --help" for all commands.
`
}

const IN_MEMORY = `This service has no account, and its in-memory database cannot be accessed to create one.
Start it with --database FILE, or with --emulator to try it out.
`

/** Instructions for creating the first account and key; undefined if an account exists. */
export const firstSteps = Effect.fnUntraced(function*(database: string) {
  const { file, isServer } = locate(database)
  if (yield* (yield* OperatorLists).hasAccounts) return undefined
  return file === undefined && !isServer ? IN_MEMORY : steps(file)
})
