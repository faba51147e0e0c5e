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

const steps = (file: string | undefined, panel: string): string => {
  const admin = file === undefined ? "vps-service admin" : `vps-service admin --database ${quoted(file)}`
  const shared = file === undefined ? SHARED : ""
  return `This service has no account yet. Its panel is at ${panel}

To sign in there as an operator, make a link in another shell${shared}, and open it. It works once:

  ${admin} people invite you@example.com --role operator

The panel's first page, Today, lists what is missing, with a form for each step. Or do it all in the shell:

  vps-service admin catalogue example > catalogue.yaml
  ${admin} catalogue import catalogue.yaml
  ${admin} accounts create --email you@example.com
  ${admin} wallet top-up 1 100
  ${admin} keys create --account 1 --scope vps:create

Edit the catalogue before importing it: it defines your plans and prices. The key is shown only once.
Run "vps-service admin --help" for all commands.
`
}

const IN_MEMORY = `This service has no account, and its in-memory database cannot be accessed to create one.
Start it with --database FILE, or with --emulator to try it out.
`

/** Instructions for the first sign-in and the first account; undefined if an account exists. */
const firstSteps = Effect.fnUntraced(function*(database: string, panel: string) {
  const { file, isServer } = locate(database)
  if (yield* (yield* OperatorLists).hasAccounts) return undefined
  return file === undefined && !isServer ? IN_MEMORY : steps(file, panel)
})

/** Makes the properties of the ready line besides the addresses, from the panel's address. */
export type Details = (panel: string) => Effect.Effect<Readonly<Record<string, unknown>>, StorageUnavailable, Services>

/** The first line on standard output; everything else goes to standard error. */
export const printReadyLine = Effect.fnUntraced(function*(settings: Values, details: Details) {
  const { run } = yield* ServiceRuntime
  const origin = yield* notePort(yield* run(PanelPort))
  const local = yield* run(servedPanel)
  const more = yield* run(details(local))
  const panel = `${local}/panel`
  const ready = { ready: true, url: `${origin}${API_PREFIX}`, docs: `${origin}/docs`, panel, ...more }
  yield* Effect.sync(() => void process.stdout.write(`${JSON.stringify(ready)}\n`))
  yield* notifyReady
  const hint = yield* run(firstSteps(settings.database, panel))
  if (hint !== undefined) yield* Effect.sync(() => void process.stderr.write(hint))
})
