/** The line with which a service that is ready answers its supervisor, and the first instructions for its operator. */
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import { API_PREFIX } from "#contract/Api"
import { firstSteps } from "./admin/FirstSteps.ts"
import type { Values } from "./config/Config.ts"
import type { StorageUnavailable } from "./domain/Errors.ts"
import { panelOrigin } from "./people/Links.ts"
import { ServiceRuntime, type Services } from "./ServiceRuntime.ts"

/** Makes the properties of the ready line besides the addresses, from the panel's address. */
export type Details = (panel: string) => Effect.Effect<Readonly<Record<string, unknown>>, StorageUnavailable, Services>

/** The first line on standard output; everything else goes to standard error. */
export const announce = Effect.fnUntraced(function*(settings: Values, details: Details) {
  const origin = yield* HttpServer.addressFormattedWith(Effect.succeed)
  const { run } = yield* ServiceRuntime
  const local = panelOrigin({ panelUrl: settings.panelUrl, port: Number(new URL(origin).port) })
  const more = yield* run(details(local))
  const ready = { ready: true, url: `${origin}${API_PREFIX}`, docs: `${origin}/docs`, panel: `${local}/panel`, ...more }
  yield* Effect.sync(() => void process.stdout.write(`${JSON.stringify(ready)}\n`))
  const hint = yield* run(firstSteps(settings.database))
  if (hint !== undefined) yield* Effect.sync(() => void process.stderr.write(hint))
})
