/** A day in the life of a service in which secrets are handed to it in every way, also in the wrong places. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { ENDPOINTS, fill } from "../support/endpoints.ts"
import type { Place } from "./haystack.ts"
import { until } from "../support/until.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** Secrets chosen by the test; those that the service generates are added when it returns them. */
export const SECRETS = {
  "root password of a create": "Kanari-root-create",
  "root password of a failed create": "Kanari-root-failed",
  "root password that waits": "Kanari-root-waits",
  "password of a reinstall": "Kanari-reinstall",
  "password of a refused reinstall": "Kanari-refused",
  "password of a lost reinstall": "Kanari-lost",
  "password that is too long": "Kanari-too-long-for-a-create",
  "password in broken JSON": "Kanari-broken",
  "password as a list": "Kanari-list",
  "password in a field of another name": "Kanari-other-field",
  "password in another type of body": "Kanari-text-body",
  "password of a replay": "Kanari-replay",
  "password beside a bad host name": "Kanari-bad-host",
  "password of a dry run": "Kanari-dry-run",
  "idempotency key": "Kanari-idempotency-key-1",
  "token in a query": "Kanari-in-a-query",
  "cookie": "Kanari-cookie",
  "basic password": "Kanari-basic",
  "key in another header": "Kanari-x-api-key",
  "garbage that was shown as a key": "Kanari-garbage-key",
  "service secret": "Kanari-service-secret-0123456789abcdef",
  "mail server's password": "Kanari-smtp-password",
  "collector's password": "Kanari-collector"
}

/** Part of a request id, which is written everywhere: an output without it was not searched. */
export const MARKER = "findable-marker-1"

export interface Day {
  readonly url: string
  readonly origin: string
  readonly database: string
  /** Everything that was answered, but what only its asker may know. */
  readonly answers: Array<Place>
  /** Secrets that the service generated and returned once. */
  readonly made: Record<string, string>
  readonly ask: (request: CanaryRequest) => Promise<{ readonly status: number; readonly text: string }>
  readonly end: () => Promise<ReadonlyArray<Place>>
}

export interface CanaryRequest {
  readonly method?: string
  readonly path: string
  readonly key?: string
  readonly body?: unknown
  readonly text?: string
  readonly headers?: Record<string, string>
  /** Excludes a secret that this response returns once from the search. */
  readonly once?: (answer: Record<string, unknown>) => Record<string, string>
}

interface Settings {
  readonly database: string
  readonly collector: string
  readonly env: Readonly<Record<string, string>>
}

const PROGRAM = ["--conditions=pulumi-vps-source", "service/bin.ts", "--emulator", "--port", "0", "--request-log"]

const start = ({ collector, database, env }: Settings): ChildProcess =>
  spawn(process.execPath, [
    ...PROGRAM,
    "--database",
    database,
    "--otlp-endpoint",
    collector
  ], {
    cwd: ROOT,
    env: {
      VPS_SERVICE_SECRET: SECRETS["service secret"],
      VPS_SERVICE_MAIL_PAUSE_MILLIS: "0",
      VPS_SERVICE_RETRY_BASE_MILLIS: "1",
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${SECRETS["collector's password"]}`,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      ...env
    },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** The service, with all of its output recorded. */
export const begin = async (settings: Settings): Promise<Day> => {
  const child = start(settings)
  const [out, err] = [[] as Array<Buffer>, [] as Array<Buffer>]
  child.stdout!.on("data", (chunk) => out.push(chunk))
  child.stderr!.on("data", (chunk) => err.push(chunk))
  const exited = once(child, "exit")
  const [line] = await once(createInterface({ input: child.stdout! }), "line")
  const { api_key: seedKey, url } = JSON.parse(String(line))
  const origin = new URL(url).origin
  const answers: Array<Place> = []
  const made: Record<string, string> = {}
  const ask = async ({ body, headers, key = seedKey, method = "GET", once: told, path, text }: CanaryRequest) => {
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${path.startsWith("/_") || path === "/metrics" ? origin : url}${path}`, {
      method,
      headers: {
        ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
        "content-type": "application/json",
        "x-request-id": MARKER,
        ...headers
      },
      ...(content === undefined ? {} : { body: content })
    })
    const received = await response.text()
    const known = told === undefined ? {} : told(JSON.parse(received))
    Object.assign(made, known)
    const searched = Object.values(known).reduce((rest, secret) => rest.replace(secret, ""), received)
    const shown = `${searched}\n${[...response.headers].map((pair) => pair.join(": ")).join("\n")}`
    answers.push({ name: `the answer to ${method} ${path}`, content: Buffer.from(shown) })
    return { status: response.status, text: received }
  }
  const end = async () => {
    child.kill("SIGTERM")
    await exited
    return [
      { name: "standard output", content: Buffer.concat(out) },
      { name: "standard error", content: Buffer.concat(err) }
    ]
  }
  return { url, origin, database: settings.database, answers, made, ask, end }
}

/** Waits for an instance's status, or for anything else that an answer must say. */
const shows = (day: Day, path: string, text: string) =>
  until(async () => (await day.ask({ path })).text.includes(text), Boolean, { pause: 5 })

const fault = (day: Day, rule: object) => day.ask({ method: "POST", path: "/_emulator/faults", body: rule })

const create = (day: Day, body: object, more: Partial<CanaryRequest> = {}) =>
  day.ask({ method: "POST", path: "/instances", body: { service_id: 1, ...body }, ...more })

const idOf = ({ text }: { readonly text: string }): number => JSON.parse(text).id

/** Keys in every state and every place. */
const presentKeys = async (day: Day): Promise<void> => {
  const told = (name: string) => ({ api_key: key }: Record<string, unknown>) => ({ [name]: String(key) })
  const scopes = ["vps:create"]
  const keys = "/_emulator/keys"
  await day.ask({ method: "POST", path: keys, body: { scopes }, once: told("API key") })
  const account = { email: "b@example.test", wallet: 100 }
  await day.ask({ method: "POST", path: "/_emulator/accounts", body: account, once: told("an account's API key") })
  const expired = { scopes, expires_at: "2020-01-01T00:00:00Z" }
  await day.ask({ method: "POST", path: keys, body: expired, once: told("expired API key") })
  const revoked = await day.ask({ method: "POST", path: keys, body: { scopes }, once: told("revoked API key") })
  await day.ask({ method: "DELETE", path: `/_emulator/keys/${idOf(revoked)}` })
  const key = day.made["API key"]!
  for (const one of Object.values(day.made)) await day.ask({ path: "/whoami", key: one })
  await day.ask({ path: "/whoami", key: SECRETS["garbage that was shown as a key"] })
  for (const path of [`/whoami?api_key=${key}`, `/whoami/${key}`, `/${key}?x=${key}`, `/instances/${key}`]) {
    await day.ask({ path, key: "" })
    await day.ask({ path })
  }
  await day.ask({ path: `/instances?access_token=${SECRETS["token in a query"]}&${key}&limit=1` })
  const basic = Buffer.from(`x:${SECRETS["basic password"]}`).toString("base64")
  const headers = [
    { authorization: `Basic ${basic}` },
    { cookie: `session=${SECRETS["cookie"]}` },
    { "x-api-key": SECRETS["key in another header"] },
    { "x-request-id": `${MARKER} ${key}` },
    { "x-request-id": key },
    { "x-request-id": `${MARKER}-${key}` }
  ]
  for (const sent of headers) await day.ask({ path: "/whoami", key: "", headers: sent })
}

/** Bodies that are refused, each with a password. */
const sendWrongBodies = async (day: Day): Promise<void> => {
  await create(day, { root_password: SECRETS["password that is too long"] })
  await create(day, { root_password: [SECRETS["password as a list"]] })
  await create(day, { rootPassword: SECRETS["password in a field of another name"] })
  await create(day, { root_password: SECRETS["password beside a bad host name"], hostname: "no host name" })
  const broken = `{"service_id":1,"root_password":"${SECRETS["password in broken JSON"]}`
  await day.ask({ method: "POST", path: "/instances", text: broken })
  const form = { "content-type": "text/plain" }
  await day.ask({
    method: "POST",
    path: "/instances",
    text: SECRETS["password in another type of body"],
    headers: form
  })
  const preview = { service_id: 1, root_password: SECRETS["password of a dry run"] }
  await day.ask({ method: "POST", path: "/instances?dry_run=1", body: preview })
}

/** Passwords that are used, refused, lost on the way, and failed with. */
const usePasswords = async (day: Day): Promise<void> => {
  const headers = { "idempotency-key": SECRETS["idempotency key"] }
  const id = idOf(await create(day, { root_password: SECRETS["root password of a create"] }, { headers }))
  await create(day, { root_password: SECRETS["password of a replay"] }, { headers })
  const at = `/instances/${id}`
  await shows(day, at, "\"running\"")
  const reinstall = async (password: string, ends: string) => {
    await day.ask({ method: "POST", path: `${at}/reinstall`, body: { os: "debian-12", password } })
    await shows(day, `${at}/tasks?limit=1`, ends)
    await day.ask({ method: "DELETE", path: "/_emulator/faults" })
  }
  await reinstall(SECRETS["password of a reinstall"], "\"succeeded\"")
  await fault(day, { operation: "driver.reinstall", driver: "lost_answer", count: 1 })
  await reinstall(SECRETS["password of a lost reinstall"], "\"succeeded\"")
  await fault(day, { operation: "driver.reinstall", driver: "rejected" })
  await reinstall(SECRETS["password of a refused reinstall"], "\"failed\"")
  await shows(day, at, "\"running\"")
  const reset = { method: "POST", path: `${at}/reset-password` }
  await day.ask({ ...reset, once: ({ password }) => ({ "reset password": String(password) }) })
  await fault(day, { operation: "driver.reset_password", driver: "rejected" })
  await day.ask(reset)
  await day.ask({ method: "DELETE", path: "/_emulator/faults" })
  await fault(day, { operation: "driver.provision", driver: "rejected" })
  const failed = idOf(await create(day, { root_password: SECRETS["root password of a failed create"] }))
  await shows(day, `/instances/${failed}`, "\"failed\"")
  await fault(day, { operation: "instances.create", status: 500, count: 1 })
  await create(day, { root_password: SECRETS["root password of a failed create"] })
}

/** Sends every possible request, so that all outputs are searched. */
const lookAtEverything = async (day: Day): Promise<void> => {
  for (const endpoint of ENDPOINTS) if (endpoint.method === "GET") await day.ask({ path: fill(endpoint, 1) })
  const controls = ["clock", "faults", "ledger", "requests", "states", "tasks", "wallet"]
  for (const name of controls) await day.ask({ path: `/_emulator/${name}` })
  await day.ask({ path: "/metrics" })
}

export const live = async (day: Day): Promise<void> => {
  await day.ask({ method: "PUT", path: "/_emulator/deploy", body: { mode: "instant" } })
  await presentKeys(day)
  await sendWrongBodies(day)
  await usePasswords(day)
  await day.ask({ method: "POST", path: "/_emulator/states/saved" })
  await lookAtEverything(day)
  // The last one waits for its machine for an hour: its password is stored, encrypted, when the files are searched.
  await day.ask({ method: "DELETE", path: "/_emulator/faults" })
  await day.ask({ method: "PUT", path: "/_emulator/deploy", body: { mode: "after_ms", value: 3_600_000 } })
  await create(day, { root_password: SECRETS["root password that waits"] })
}
