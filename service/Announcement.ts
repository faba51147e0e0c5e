/** The line with which a service that is ready answers its supervisor, and the first instructions for its operator. */
import * as Effect from "effect/Effect"
import { locate } from "./config/DatabaseLocation.ts"
import { OperatorLists } from "./persistence/OperatorLists.ts"
import { API_PREFIX } from "@pulumi-vps/contract/Api"
import type { Values } from "./config/Config.ts"
import type { StorageUnavailable } from "./domain/Errors.ts"
import { servedPanel } from "./people/Links.ts"
import { notePort } from "./http/NotePort.ts"
import { PanelPort } from "./people/PanelPort.ts"
import { notifyReady } from "./ServiceManager.ts"
import { ServiceRuntime, type Services } from "./ServiceRuntime.ts"

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
const firstSteps = Effect.fnUntraced(function*(database: string) {
  const { file, isServer } = locate(database)
  if (yield* (yield* OperatorLists).hasAccounts) return undefined
  return file === undefined && !isServer ? IN_MEMORY : steps(file)
})

/** Makes the properties of the ready line besides the addresses, from the panel's address. */
export type Details = (panel: string) => Effect.Effect<Readonly<Record<string, unknown>>, StorageUnavailable, Services>

/** The first line on standard output; everything else goes to standard error. */
export const announce = Effect.fnUntraced(function*(settings: Values, details: Details) {
  const { run } = yield* ServiceRuntime
  const origin = yield* notePort(yield* run(PanelPort))
  const local = yield* run(servedPanel)
  const more = yield* run(details(local))
  const ready = { ready: true, url: `${origin}${API_PREFIX}`, docs: `${origin}/docs`, panel: `${local}/panel`, ...more }
  yield* Effect.sync(() => void process.stdout.write(`${JSON.stringify(ready)}\n`))
  yield* notifyReady
  const hint = yield* run(firstSteps(settings.database))
  if (hint !== undefined) yield* Effect.sync(() => void process.stderr.write(hint))
})
