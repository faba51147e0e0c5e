/** Executes a command in the running service, or on the database itself if no service is running. */
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import type { Values } from "../../config/Config.ts"
import type { LimitValues } from "../../config/Limits.ts"
import type { CommandName, InputOf, ResultOf } from "../../contract/operator/Commands.ts"
import { locate } from "../../config/DatabaseLocation.ts"
import { CommandRejected, reject } from "../Input.ts"
import { thisOperator } from "../Operator.ts"
import { isFolder, type Reply, socketPath } from "../AdminSocket.ts"
import * as Offline from "./Offline.ts"

/** No service listens on the socket, or its path is too long for one. */
const ABSENT = new Set(["ENOENT", "ECONNREFUSED", "EINVAL"])

const explain = (path: string, { code, message }: NodeJS.ErrnoException): string =>
  code === "EACCES" || code === "EPERM"
    ? `The service's socket ${path} belongs to another user. Run this command as the service's user.`
    : `The service at ${path} does not respond: ${message}.`

const silent = (path: string, millis: number): string =>
  `The service at ${path} has not responded for ${millis} ms (VPS_SERVICE_ADMIN_SILENCE_MILLIS). It may still execute `
  + "the command. Check with a list command if a change was made, or restart the service."

/** The service's response; undefined if no service is running. */
const request = (path: string, line: string, { ADMIN_SILENCE_MILLIS }: LimitValues) =>
  Effect.callback<string | undefined, CommandRejected>((resume) => {
    if (isFolder(path)) return resume(Effect.fail(reject(`${path} is a folder. Remove it and restart the service.`)))
    const socket = connect(path)
    let received = ""
    socket.setTimeout(ADMIN_SILENCE_MILLIS, () => {
      // An open socket would keep this process running.
      socket.destroy()
      resume(Effect.fail(reject(silent(path, ADMIN_SILENCE_MILLIS))))
    })
    socket.setEncoding("utf8")
    // Its own side stays open: the end of it shows the service that this process has ended.
    socket.on("connect", () => socket.write(`${line}\n`))
    socket.on("data", (chunk: string) => {
      received += chunk
    })
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const absent = ABSENT.has(error.code ?? "")
      resume(absent ? Effect.succeed(undefined) : Effect.fail(reject(explain(path, error))))
    })
    socket.on("end", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

const INCOMPLETE = "The service stopped before it responded. Check with a list command if the change was made."

const readReply = Effect.fnUntraced(function*(received: string) {
  if (!received.endsWith("\n")) return yield* reject(INCOMPLETE)
  const reply = JSON.parse(received) as Reply
  if ("result" in reply) return reply.result
  return yield* new CommandRejected({ message: reply.refused, isUsage: reply.usage })
})

const IN_MEMORY =
  "Only its own service can access a database in memory. Use a file: set --database or VPS_SERVICE_DATABASE for both."

/** Executes a command in the running service; undefined if no service is running. */
export const callService = Effect.fnUntraced(function*<Name extends CommandName>(
  settings: Values,
  command: Name,
  input: InputOf<Name>
) {
  const { file, isServer } = locate(settings.database)
  // Several services share a PostgreSQL database, and none of them owns it.
  if (isServer) return undefined
  if (file === undefined) return yield* reject(IN_MEMORY)
  const received = yield* request(
    socketPath(file),
    JSON.stringify({ command, input, operator: thisOperator(), attached: true }),
    settings.limits
  )
  return received === undefined ? undefined : (yield* readReply(received)) as ResultOf<Name>
})

/** Executes a command. */
export const call = Effect.fnUntraced(function*<Name extends CommandName>(
  settings: Values,
  command: Name,
  input: InputOf<Name>
) {
  const result = yield* callService(settings, command, input)
  return result ?? (yield* Offline.run(settings, command, input)) as ResultOf<Name>
})
