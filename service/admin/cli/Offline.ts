/** What a command stands on when it asks no service: the same use cases, on the database itself. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import * as Authentication from "../../auth/Authentication.ts"
import type { Values } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { isPostgres } from "../../persistence/postgres/Address.ts"
import { ReplicaBus } from "../../persistence/ReplicaBus.ts"
import * as Secret from "../../Secret.ts"
import * as Storage from "../../Storage.ts"
import { WorkerNotifier } from "../../WorkerNotifier.ts"
import { execute } from "../Commands.ts"
import { CommandRejected } from "../InputSchemas.ts"

/** Nobody works on tasks here: the services on the database do, or the next one that starts. */
const nobody = Layer.effect(WorkerNotifier, Effect.map(ReplicaBus, ({ publish }) => ({ notify: publish("tasks") })))

const layer = (settings: Values) =>
  Layer.merge(Authentication.layer, nobody).pipe(
    Layer.provideMerge(Storage.layer(settings.database, settings.synchronous)),
    Layer.provideMerge(Secret.layer({ ...settings, given: settings.secret })),
    Layer.provideMerge(Layer.succeed(Limits, settings.limits))
  )

const NONE = (path: string) =>
  `There is no database at ${path}. Name it with --database or VPS_SERVICE_DATABASE; `
  + "the service makes one when it starts."

/** Opens the database for one command, and closes it again. PostgreSQL says itself when there is none. */
export const run = Effect.fnUntraced(function*(settings: Values, command: string, input: unknown) {
  if (!isPostgres(settings.database) && !existsSync(settings.database)) {
    return yield* new CommandRejected({ message: NONE(settings.database) })
  }
  return yield* Effect.provide(execute(command, input), layer(settings))
})
