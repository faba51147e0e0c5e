/**
 * The Unix socket for operator commands, beside the database file and accessible to its owner only. A request is one
 * line of JSON, `{"command", "input", "operator"}`; the response is another, `{"result"}` or `{"refused"}`. Spaces
 * before it show that the service is still executing the command. A client that closes its side before the response
 * leaves the command to continue; with `"attached": true` it has left, which some commands stop for.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { Limits } from "../config/Limits.ts"
import { locate } from "../config/DatabaseLocation.ts"
import { ServiceRuntime } from "../ServiceRuntime.ts"
import { execute } from "./Execute.ts"
import { actorOf, type Operator, statedOperator } from "./Operator.ts"
import { CallerLeft } from "./UseCases.ts"

/** The socket of the service that owns a database file. */
export const socketPath = (database: string): string => `${database}.sock`

/** `usage` is true if the input was malformed. */
export type Reply = { readonly result: unknown } | { readonly refused: string; readonly usage: boolean }

const OWNER_ONLY = 0o600

const INVALID_REQUEST =
  "Invalid request. Send one line of JSON: {\"command\": NAME, \"input\": OBJECT, \"operator\": OBJECT}."

const INTERNAL_ERROR =
  "Internal error. See the service's log on standard error. Check with a list command if a change was made."

interface Request {
  readonly command: string
  readonly input: unknown
  readonly operator: Operator
  readonly attached: boolean
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (line: string): Request | undefined => {
  try {
    const request: unknown = JSON.parse(line)
    if (!isRecord(request) || typeof request["command"] !== "string") return undefined
    const { command, input = {} } = request
    if (!isRecord(input)) return undefined
    return {
      command,
      input,
      operator: statedOperator(request["operator"]),
      attached: request["attached"] === true
    }
  } catch {
    return undefined
  }
}

const handle = (line: string, ended: Effect.Effect<void>): Effect.Effect<Reply, never, ServiceRuntime> => {
  const request = parse(line)
  if (request === undefined) {
    return Effect.succeed({ refused: INVALID_REQUEST, usage: true })
  }
  return Effect.flatMap(
    ServiceRuntime,
    ({ run }) =>
      run(
        Effect.provideService(
          execute(request.command, request.input, actorOf(request.operator)),
          CallerLeft,
          request.attached ? ended : Effect.never
        )
      )
  ).pipe(
    Effect.map((result) => ({ result })),
    Effect.catch((error) =>
      Effect.succeed({ refused: error.message, usage: error._tag === "CommandRejected" && error.isUsage })
    ),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError(`Operator command ${request.command} failed`, Cause.squash(cause)), {
        refused: INTERNAL_ERROR,
        usage: false
      })
    )
  )
}

/** Interval between spaces in milliseconds: far below the silence after which a client gives up. */
const BEAT_MILLIS = 1_000

/** Writes a space at intervals, until it is interrupted. */
const beat = (socket: Socket): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(Effect.sleep(BEAT_MILLIS), Effect.sync(() => socket.write(" "))))

/** Passes on the first line. A request that is too large is rejected. */
const readLine = (socket: Socket, bytesMax: number, onLine: (line: string) => void): void => {
  let received = ""
  socket.setEncoding("utf8")
  socket.on("data", (chunk: string) => {
    received += chunk
    if (received.length > bytesMax) {
      socket.end(`${JSON.stringify({ refused: "The request is too large.", usage: true } satisfies Reply)}\n`)
      socket.removeAllListeners("data").resume()
      return
    }
    const end = received.indexOf("\n")
    if (end === -1) return
    socket.removeAllListeners("data").resume()
    onLine(received.slice(0, end))
  })
  // The client has disconnected; its command continues.
  socket.on("error", () => socket.destroy())
}

/** True if there is a folder at the path of the socket, which cannot be replaced. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Bound in a private folder and moved once it has its mode, so that no other user can connect at any time. This also
 * replaces the socket of a killed service. Fails with the reason.
 */
const bind = (server: Server, path: string) =>
  Effect.callback<void, string>((resume) => {
    if (isFolder(path)) return resume(Effect.fail("it is a folder. Remove it and restart the service"))
    const folder = mkdtempSync(`${path}-`)
    const inside = join(folder, "s")
    const finish = (outcome: Effect.Effect<void, string>) => {
      rmSync(folder, { recursive: true, force: true })
      resume(outcome)
    }
    server.once("error", (error) => finish(Effect.fail(error.message)))
    server.listen(inside, () => {
      chmodSync(inside, OWNER_ONLY)
      renameSync(inside, path)
      finish(Effect.void)
    })
  })

const close = (server: Server, open: ReadonlySet<Socket>, path: string) =>
  Effect.callback<void>((resume) => {
    for (const socket of open) socket.destroy()
    if (!server.listening) return resume(Effect.void)
    rmSync(path, { force: true })
    server.close(() => resume(Effect.void))
  })

const serve = Effect.fnUntraced(function*(path: string) {
  const context = yield* Effect.context<ServiceRuntime>()
  const { ADMIN_REQUEST_BYTES_MAX } = yield* Limits
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    const ended = Deferred.makeUnsafe<void>()
    for (const event of ["end", "close"]) socket.on(event, () => Deferred.doneUnsafe(ended, Effect.void))
    readLine(socket, ADMIN_REQUEST_BYTES_MAX, (line) => {
      Effect.runCallbackWith(context)(Effect.raceFirst(handle(line, Deferred.await(ended)), beat(socket)), {
        onExit: (exit) => {
          if (exit._tag === "Success") socket.end(`${JSON.stringify(exit.value)}\n`)
          else socket.destroy()
        }
      })
    })
  })
  yield* Effect.addFinalizer(() => close(server, open, path))
  yield* bind(server, path)
})

/**
 * Listens beside a database file, but not for a database in memory or PostgreSQL, which operators access directly. The
 * API does not depend on the socket, so a failure to create it (the path may be too long) is only a warning.
 */
export const layer = (database: string): Layer.Layer<never, never, Limits | ServiceRuntime> => {
  const { file } = locate(database)
  if (file === undefined) return Layer.empty
  return Layer.effectDiscard(
    serve(socketPath(file)).pipe(
      Effect.catch((reason) =>
        Effect.logWarning(
          `Cannot listen for operator commands at ${socketPath(file)}: ${reason}. `
            + "Stop the service to use vps-service admin on the database file."
        )
      )
    )
  )
}
