/**
 * Where operators reach the running service: a Unix socket beside the database file, which only its owner may open.
 * One line of JSON asks, one line answers: `{"command", "input"}`, `{"result"}` or `{"refused"}`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { Limits } from "../config/Limits.ts"
import { isPostgres } from "../persistence/postgres/Address.ts"
import { ServiceRuntime } from "../ServiceRuntime.ts"
import { execute } from "./Commands.ts"

/** Where the service over this database file listens to operators. */
export const socketPath = (database: string): string => `${database}.sock`

export type Reply = { readonly result: unknown } | { readonly refused: string }

const OWNER_ONLY = 0o600

const BROKEN = "The service met a defect; its log on standard error tells which. Nothing was changed."

const parse = (line: string): { readonly command: string; readonly input: unknown } | undefined => {
  try {
    const asked: unknown = JSON.parse(line)
    const named = typeof asked === "object" && asked !== null && "command" in asked
    return named ? { command: String(asked.command), input: "input" in asked ? asked.input : {} } : undefined
  } catch { // said below
    return undefined
  }
}

const answerTo = (line: string): Effect.Effect<Reply, never, ServiceRuntime> => {
  const asked = parse(line)
  if (asked === undefined) return Effect.succeed({ refused: "A request is one line of JSON with command and input." })
  return Effect.flatMap(ServiceRuntime, ({ run }) => run(execute(asked.command, asked.input))).pipe(
    Effect.map((result) => ({ result })),
    Effect.catch(({ message }) => Effect.succeed({ refused: message })),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError(`The operator's command ${asked.command} failed`, Cause.squash(cause)), {
        refused: BROKEN
      })
    )
  )
}

/** Calls back with the first line; a client that sends more than it may, or none, is cut off. */
const readLine = (socket: Socket, bytesMax: number, onLine: (line: string) => void): void => {
  let received = ""
  socket.setEncoding("utf8")
  socket.on("data", (chunk: string) => {
    received += chunk
    if (received.length > bytesMax) {
      socket.end(`${JSON.stringify({ refused: "The request is too large." } satisfies Reply)}\n`)
      socket.removeAllListeners("data").resume()
      return
    }
    const end = received.indexOf("\n")
    if (end === -1) return
    socket.removeAllListeners("data").resume()
    onLine(received.slice(0, end))
  })
  // A client that goes away has nothing more to hear; what it asked for goes on.
  socket.on("error", () => socket.destroy())
}

/**
 * Bound inside a folder that only we can enter, and moved out when it has its mode: at no moment can anybody else
 * connect, and what a killed service left behind is replaced.
 */
const bind = (server: Server, path: string) =>
  Effect.callback<void, Error>((resume) => {
    const folder = mkdtempSync(`${path}-`)
    const inside = join(folder, "s")
    const settle = (outcome: Effect.Effect<void, Error>) => {
      rmSync(folder, { recursive: true, force: true })
      resume(outcome)
    }
    server.once("error", (error) => settle(Effect.fail(error)))
    server.listen(inside, () => {
      chmodSync(inside, OWNER_ONLY)
      renameSync(inside, path)
      settle(Effect.void)
    })
  })

const close = (server: Server, open: ReadonlySet<Socket>, path: string) =>
  Effect.callback<void>((resume) => {
    rmSync(path, { force: true })
    for (const socket of open) socket.destroy()
    if (server.listening) server.close(() => resume(Effect.void))
    else resume(Effect.void)
  })

const serve = Effect.fnUntraced(function*(path: string) {
  const context = yield* Effect.context<ServiceRuntime>()
  const { ADMIN_REQUEST_BYTES_MAX } = yield* Limits
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    readLine(socket, ADMIN_REQUEST_BYTES_MAX, (line) => {
      Effect.runCallbackWith(context)(answerTo(line), {
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
 * Listens beside a database file; nowhere when the database is in memory, or PostgreSQL, which operators use directly.
 * The API does not depend on it, so a socket that cannot be made (its path may be too long) is a warning.
 */
export const layer = (database: string): Layer.Layer<never, never, Limits | ServiceRuntime> =>
  database === ":memory:" || isPostgres(database) ? Layer.empty : Layer.effectDiscard(
    serve(socketPath(database)).pipe(
      Effect.catch((error) =>
        Effect.logWarning(
          `Operators cannot reach this service at ${socketPath(database)}: ${error.message}. `
            + "Stop it to use vps-service admin on the database file."
        )
      )
    )
  )
