/** Executes a command without a service: the same use cases on the database itself. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import * as Authentication from "../../auth/Authentication.ts"
import { Config, type Values } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { locate } from "../../config/DatabaseLocation.ts"
import * as Mailers from "../../mail/Configured.ts"
import * as Notices from "../../mail/Notices.ts"
import { Hosts } from "../../persistence/Hosts.ts"
import { ReplicaBus } from "../../persistence/ReplicaBus.ts"
import * as Secret from "../../config/Secret.ts"
import { driverIn, driverOf, hostAdminOf } from "../../Drivers.ts"
import * as Log from "../../observability/Log.ts"
import * as Storage from "../../persistence/Storage.ts"
import { Driver } from "../../provisioning/Driver.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { execute } from "../Execute.ts"
import { actorOf, thisOperator } from "../Operator.ts"
import { reject } from "../CommandRejected.ts"

/** Notifies the services on the database, because this process does not execute tasks. */
const notifier = Layer.effect(WorkerNotifier, Effect.map(ReplicaBus, ({ publish }) => ({ notify: publish("tasks") })))

const layer = (settings: Values) =>
  Layer.mergeAll(Authentication.layer, notifier, Layer.provide(Notices.layer, Mailers.layer(settings))).pipe(
    Layer.provideMerge(Storage.layer(settings.database, settings)),
    Layer.provideMerge(Secret.layer(settings)),
    Layer.provideMerge(Layer.merge(Layer.succeed(Config, settings), Layer.succeed(Limits, settings.limits)))
  )

const notFound = (path: string) =>
  `No database found at ${path}. Set --database or VPS_SERVICE_DATABASE. The service creates a database when it starts.`

/** This shell may not be set to the service's driver: only one with hosts has any. */
const driver = (settings: Values) =>
  Layer.unwrap(Effect.gen(function*() {
    const name = settings.driver ?? driverIn((yield* (yield* Hosts).list).length > 0)
    return driverOf(settings, name)
  }))

/** Never called: the other commands do without machines. */
const noDriver = Layer.mock(Driver, { name: "none", capabilities: new Set<never>() })

const usesMachines = (command: string): boolean => command.startsWith("machines.")

/** Opens the database for one command. PostgreSQL itself reports a missing database. */
export const run = Effect.fnUntraced(function*(settings: Values, command: string, input: unknown) {
  const { file } = locate(settings.database)
  if (file !== undefined && !existsSync(file)) return yield* reject(notFound(file))
  const machines = usesMachines(command) ? driver(settings) : noDriver
  return yield* Effect.provide(
    execute(command, input, actorOf(thisOperator())),
    Layer.merge(machines, hostAdminOf(settings.driver)).pipe(
      Layer.provideMerge(layer(settings)),
      Layer.provideMerge(Log.layer)
    )
  )
})
