/** How a command reaches the use cases: through the running service, or on the database when none owns it. */
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { attempt, resolve, type Values } from "../../config/Config.ts"
import type { InvalidSetting } from "../../config/Setting.ts"
import type { CommandName, InputOf, ResultOf } from "../Commands.ts"
import { isPostgres } from "../../persistence/postgres/Address.ts"
import { CommandRejected } from "../InputSchemas.ts"
import { type Reply, socketPath } from "../AdminSocket.ts"
import * as Offline from "./Offline.ts"

/** Nobody listens there: not now, never did, or cannot, because the path is too long for a socket. */
const ABSENT = new Set(["ENOENT", "ECONNREFUSED", "EINVAL"])

const explain = (path: string, { code, message }: NodeJS.ErrnoException): string =>
  code === "EACCES" || code === "EPERM"
    ? `The service's socket ${path} belongs to another user: run this command as the user that runs the service.`
    : `The service at ${path} does not answer: ${message}.`

/** The service's answer; undefined when none runs. */
const ask = (path: string, line: string) =>
  Effect.callback<string | undefined, CommandRejected>((resume) => {
    const socket = connect(path)
    let received = ""
    socket.setEncoding("utf8")
    socket.on("connect", () => socket.end(`${line}\n`))
    socket.on("data", (chunk: string) => {
      received += chunk
    })
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const absent = ABSENT.has(error.code ?? "")
      resume(absent ? Effect.succeed(undefined) : Effect.fail(new CommandRejected({ message: explain(path, error) })))
    })
    socket.on("end", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

const CUT_OFF = "The service ended before it answered; whether it did what you asked for, its lists tell."

const readReply = Effect.fnUntraced(function*(received: string) {
  if (!received.endsWith("\n")) return yield* new CommandRejected({ message: CUT_OFF })
  const reply = JSON.parse(received) as Reply
  return "refused" in reply ? yield* new CommandRejected({ message: reply.refused }) : reply.result
})

const IN_MEMORY =
  "A database in memory is its service's own. Name a file with --database or VPS_SERVICE_DATABASE, for both."

/** The settings that say where the database is; everything else comes from the environment. */
export const settingsOf = (flags: ReadonlyArray<string>): Effect.Effect<Values, InvalidSetting> =>
  attempt((environment) => resolve(flags, environment))

/** Has a command done by the running service; undefined when none runs. */
export const callService = Effect.fnUntraced(function*<Name extends CommandName>(
  settings: Values,
  command: Name,
  input: InputOf<Name>
) {
  if (settings.database === ":memory:") return yield* new CommandRejected({ message: IN_MEMORY })
  // Services on PostgreSQL are many, and none of them owns it.
  if (isPostgres(settings.database)) return undefined
  const received = yield* ask(socketPath(settings.database), JSON.stringify({ command, input }))
  return received === undefined ? undefined : (yield* readReply(received)) as ResultOf<Name>
})

/** Has a command done. */
export const call = Effect.fnUntraced(function*<Name extends CommandName>(
  settings: Values,
  command: Name,
  input: InputOf<Name>
) {
  const result = yield* callService(settings, command, input)
  return result ?? (yield* Offline.run(settings, command, input)) as ResultOf<Name>
})
