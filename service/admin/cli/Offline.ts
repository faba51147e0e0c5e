/** Executes a command without a service: the same use cases on the database itself, which is found first. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Authentication from "../../auth/Authentication.ts"
import * as Mailers from "../../mail/Mailers.ts"
import * as Notices from "../../mail/MailedNotices.ts"
import * as Letterhead from "../../config/Letterhead.ts"
import * as Payment from "../../config/Payment.ts"
import * as Secret from "../../config/Secret.ts"
import * as Log from "../../observability/Log.ts"
import * as Storage from "../../persistence/Storage.ts"
import { existsSync } from "node:fs"
import { Config, SETTINGS, type Values } from "../../config/Config.ts"
import { attempt, settingsOf } from "../../config/FromProcess.ts"
import { lookupIn } from "../../config/Resolve.ts"
import { reject } from "../Input.ts"
import { note } from "./Output.ts"
import { Limits } from "../../config/Limits.ts"
import { locate } from "../../config/DatabaseLocation.ts"
import { Hosts } from "../../persistence/Hosts.ts"
import { ReplicaBus } from "../../persistence/ReplicaBus.ts"
import { driverIn, driverOf, hostAdminOf } from "../../Drivers.ts"
import { Driver } from "../../provisioning/Driver.ts"
import { queueing, WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { execute } from "../Execute.ts"
import { actorOf, thisOperator } from "../Operator.ts"

/** Each place with the flag that names it, the most specific first. */
const PLACES = [
  { path: "vps-service.db", flag: "database" },
  // Those of the Debian package and of the container.
  { path: "/etc/vps/service.yaml", flag: "config" },
  { path: "/var/lib/vps/vps-service.db", flag: "database" }
] as const

/** Any of these says which database is meant. */
const NAMING = [SETTINGS.config, SETTINGS.database, SETTINGS.emulator].map(({ environment }) => environment)

const isNamed = (flags: ReadonlyArray<string>) =>
  attempt((...sources) => NAMING.some((variable) => lookupIn(...sources)(variable) !== undefined), flags)

const NOT_FOUND = `No database found: there is none of ${PLACES.map(({ path }) => path).join(", ")}. Set --database or `
  + "--config. The service creates its database when it starts."

/** The settings, with the database that `exists` finds if none is named. */
export const settingsWithDatabase = Effect.fnUntraced(function*(
  flags: ReadonlyArray<string>,
  exists: (path: string) => boolean = existsSync
) {
  if (yield* isNamed(flags)) return yield* settingsOf(flags)
  const found = PLACES.find(({ path }) => exists(path))
  if (found === undefined) return yield* reject(NOT_FOUND)
  if (found !== PLACES[0]) yield* note(`Using ${found.path}.`)
  return yield* settingsOf([...flags, `--${found.flag}=${found.path}`])
})

/** Notifies the services on the database, because this process does not execute tasks. */
const notifier = Layer.effect(WorkerNotifier, Effect.map(ReplicaBus, ({ publish }) => queueing(publish("tasks"))))

/** On a database in a file no service is running that could send a mail, so a command does not wait for it. */
const limitsOf = ({ database, limits }: Values) =>
  locate(database).file === undefined ? limits : { ...limits, MAIL_WATCH_SILENCE_MILLIS: 0 }

const layer = (settings: Values) =>
  Layer.mergeAll(Authentication.layer, notifier, Layer.provide(Notices.layer, Mailers.layer(settings))).pipe(
    Layer.provideMerge(Storage.layer(settings.database, settings)),
    Layer.provideMerge(Secret.layer(settings)),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(Config, settings),
        Layer.succeed(Limits, limitsOf(settings)),
        Letterhead.layer(settings),
        Payment.layer(settings)
      )
    )
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
