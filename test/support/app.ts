/** The whole service in this process on a free port, for tests over real HTTP. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { get, type IncomingHttpHeaders } from "node:http"
import { setImmediate } from "node:timers/promises"
import type { Instance } from "#contract/Instance"
import { resolve } from "#service/config/Resolve"
import * as Emulator from "#service/emulator/App"
import { SEED_KEY } from "#service/emulator/Seed"
import { Readiness } from "#service/http/system/Health"
import { databaseUrl } from "./database.ts"
import { ServiceRuntime } from "#service/ServiceRuntime"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Any JSON: tests read parts of it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface Request {
  readonly method?: string
  readonly path: string
  readonly key?: string | undefined
  readonly body?: unknown
  /** Sent as it is, instead of `body` as JSON. */
  readonly text?: string
  readonly headers?: Record<string, string>
}

export interface TestApp {
  /** Runs an effect over the app's own repositories. */
  readonly inside: ServiceRuntime["Service"]["run"]
  /** Without a path. */
  readonly origin: string
  /** Starts the shutdown: the service reports that it is not ready. */
  readonly drain: Effect.Effect<void>
  /** The seeded account's key. */
  readonly key: string
  /** A path under `/api/v1` with the seeded key, unless `key` says otherwise ("" sends none). */
  readonly api: (request: Request) => Effect.Effect<Answer>
  /** A control under `/_emulator`. */
  readonly control: (method: string, path: string, body?: unknown) => Effect.Effect<Answer>
}

const send = (origin: string, { body, headers, key, method = "GET", path, text }: Request): Promise<Answer> => {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  return fetch(`${origin}${path}`, {
    method,
    headers: {
      ...(key === undefined || key === "" ? {} : { authorization: `Bearer ${key}` }),
      ...(content === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(content === undefined ? {} : { body: content })
  }).then(async (response) => {
    const received = await response.text()
    const json = response.headers.get("content-type")?.includes("json") === true && received !== ""
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(received) : received }
  })
}

export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A response as it is sent: fetch would request compression, and decompress. */
export const receive = ({ origin }: Pick<TestApp, "origin">, path: string, headers: Record<string, string> = {}) =>
  Effect.callback<Received>((resume) =>
    void get(`${origin}${path}`, { headers, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
        const { headers, statusCode } = response
        resume(Effect.succeed({ status: statusCode!, headers, body: Buffer.concat(chunks) }))
      })
    }).on("error", (error) => resume(Effect.die(error)))
  )

/** An emulator as it starts by itself; gone with the scope. */
export const startEmulator = Effect.fnUntraced(function*(
  flags: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {}
) {
  const resolved = resolve(["--emulator", "--port", "0", "--request-log=false", ...flags], environment)
  const settings = { ...resolved, database: (yield* databaseUrl) ?? resolved.database }
  const context = yield* Layer.build(Layer.fresh(Emulator.layer(settings)))
  const origin = yield* Effect.provideContext(HttpServer.addressFormattedWith(Effect.succeed), context)
  const app: TestApp = {
    inside: Context.get(context, ServiceRuntime).run,
    origin,
    drain: Context.get(context, Readiness).drain,
    key: SEED_KEY,
    api: (request) => Effect.promise(() => send(origin, { key: SEED_KEY, ...request, path: `/api/v1${request.path}` })),
    control: (method, path, body) => Effect.promise(() => send(origin, { method, path: `/_emulator${path}`, body }))
  }
  return app
})

/** An emulator with deploys that finish at once; gone with the scope. */
export const startApp = (flags: ReadonlyArray<string> = [], environment: Readonly<Record<string, string>> = {}) =>
  Effect.tap(startEmulator(flags, environment), ({ control }) => control("PUT", "/deploy", { mode: "instant" }))

/** Reads an instance until it has the status; the test's own timeout bounds it. */
export const deployed = (app: TestApp, id: number, status = "running"): Effect.Effect<Instance> =>
  Effect.flatMap(app.api({ path: `/instances/${id}` }), ({ body }) =>
    body.status === status
      ? Effect.succeed(body)
      : Effect.andThen(Effect.promise(() => setImmediate()), Effect.suspend(() => deployed(app, id, status))))
