/** What a command stands on when no service runs: the same use cases, on the database file itself. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import * as Authentication from "../../auth/Authentication.ts"
import type { Values } from "../../Config.ts"
import { DATABASE_BUSY_MILLIS } from "../../Limits.ts"
import * as Database from "../../persistence/sqlite/Database.ts"
import * as Repositories from "../../persistence/sqlite/Repositories.ts"
import * as Secret from "../../Secret.ts"
import { Wake } from "../../Wake.ts"
import { execute } from "../Commands.ts"
import { Refused } from "../Inputs.ts"

/** Nobody works on tasks here: the service does when it starts. */
const nobody = Layer.succeed(Wake, { worker: Effect.void })

const layer = (settings: Values) =>
  Layer.merge(Authentication.layer, nobody).pipe(
    Layer.provideMerge(Repositories.layer),
    Layer.provideMerge(Database.layer({
      path: settings.database,
      busyTimeoutMillis: DATABASE_BUSY_MILLIS,
      synchronous: settings.synchronous
    })),
    Layer.provideMerge(Secret.layer({ ...settings, given: settings.secret }))
  )

const NONE = (path: string) =>
  `There is no database at ${path}. Name it with --database or VPS_SERVICE_DATABASE; `
  + "the service makes one when it starts."

/** Opens the file for one command, and closes it again. */
export const run = Effect.fnUntraced(function*(settings: Values, command: string, input: unknown) {
  if (!existsSync(settings.database)) return yield* new Refused({ message: NONE(settings.database) })
  return yield* Effect.provide(execute(command, input), layer(settings))
})
