/** The request tables: each call, what it puts on the wire, and what it makes of the answers. */
import * as Effect from "effect/Effect"
import type { CallFailure } from "#sdk/client/Handler"
import type { Core } from "#sdk/client/Core"
import type { Answer } from "#sdk/client/Request"

/** One request as it must come, and the answer to it. */
interface Exchange {
  /** Method, then path and query. */
  readonly on: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly answer: readonly [status: number, body: object | string, headers?: Record<string, string>] | "broken"
}

export interface Row {
  readonly name: string
  readonly call: (core: Core) => Effect.Effect<Answer<unknown>, CallFailure>
  readonly exchanges: ReadonlyArray<Exchange>
  readonly data?: unknown
  readonly response?: Partial<Answer<unknown>["response"]>
  readonly error?: Readonly<Record<string, unknown>>
}

const instance = { id: 7, status: "running", provider_id: "sim-7", ipv4: "10.0.0.7", of_another_host: { kept: true } }
const action = { ok: true, action: "stop", status: "stopping", task_id: 3 }
const dryRun = { dry_run: true, would_create: true, charge_amount: 4.99 }

export const READS: ReadonlyArray<Row> = [
  {
    name: "account.root",
    call: (core) => core.account.root(),
    exchanges: [{ on: "GET /", answer: [200, { name: "vps" }] }],
    data: { name: "vps" }
  },
  {
    name: "account.whoami",
    call: (core) => core.account.whoami(),
    exchanges: [{ on: "GET /whoami", answer: [200, { account_id: 1 }] }],
    data: { account_id: 1 }
  },
  {
    name: "services.list",
    call: (core) => core.services.list(),
    exchanges: [{ on: "GET /services", answer: [200, [{ id: 1 }]] }],
    data: [{ id: 1 }]
  },
  {
    name: "a list that another host wraps",
    call: (core) => core.instances.list(),
    exchanges: [{ on: "GET /instances", answer: [200, { items: [instance], total: 1 }] }],
    data: [instance]
  },
  {
    name: "services.osOptions",
    call: (core) => core.services.osOptions(2),
    exchanges: [{ on: "GET /services/2/os-options", answer: [200, { os_options: [] }] }],
    data: { os_options: [] }
  },
  {
    name: "instances.get: fields and statuses of other hosts come through",
    call: (core) => core.instances.get(7),
    exchanges: [{
      on: "GET /instances/7",
      answer: [200, { ...instance, status: "brewing" }, { "X-Request-Id": "r7" }]
    }],
    data: { ...instance, status: "brewing" },
    response: { status: 200, requestId: "r7", attempts: 1, idempotencyKey: undefined }
  },
  {
    name: "monitoring.tasks",
    call: (core) => core.monitoring.tasks(7, { limit: 5, offset: 10 }),
    exchanges: [{ on: "GET /instances/7/tasks?limit=5&offset=10", answer: [200, { items: [], total: 0 }] }],
    data: { items: [], total: 0 }
  },
  {
    name: "monitoring.tasks with the host's defaults",
    call: (core) => core.monitoring.tasks(7),
    exchanges: [{ on: "GET /instances/7/tasks", answer: [200, { items: [] }] }]
  },
  {
    name: "a read that is answered at the fifth attempt",
    call: (core) => core.instances.get(7),
    exchanges: [
      { on: "GET /instances/7", answer: "broken" },
      { on: "GET /instances/7", answer: [429, { detail: "slow down" }, { "Retry-After": "0" }] },
      { on: "GET /instances/7", answer: [502, "<h1>Bad Gateway</h1>"] },
      { on: "GET /instances/7", answer: [500, { detail: "oops" }] },
      { on: "GET /instances/7", answer: [200, instance] }
    ],
    data: instance,
    response: { attempts: 5 }
  },
  {
    name: "headers of the caller's",
    call: (core) => core.instances.get(7, { headers: { "X-Request-Id": "mine", "User-Agent": "script/1" } }),
    exchanges: [{
      on: "GET /instances/7",
      headers: { "x-request-id": "mine", "user-agent": "script/1" },
      answer: [200, instance]
    }]
  }
]

const ORDER = { service_id: 1, hostname: "web", root_password: "hunter2-hunter2" }

export const WRITES: ReadonlyArray<Row> = [
  {
    name: "instances.create with a key",
    call: (core) => core.instances.create(ORDER, { idempotencyKey: "web-1" }),
    exchanges: [{
      on: "POST /instances",
      body: ORDER,
      headers: { "idempotency-key": "web-1", "content-type": "application/json" },
      answer: [201, instance, { "Idempotent-Replayed": "true", "Location": "/api/v1/instances/7" }]
    }],
    data: instance,
    response: { status: 201, idempotencyKey: "web-1", attempts: 1 }
  },
  {
    name: "instances.create that is repeated",
    call: (core) => core.instances.create({ service_id: 1 }),
    exchanges: [
      { on: "POST /instances", answer: "broken" },
      { on: "POST /instances", answer: [409, { detail: "The same key is being used" }, { "Retry-After": "0" }] },
      { on: "POST /instances", answer: [503, { detail: "draining" }] },
      { on: "POST /instances", answer: [201, instance] }
    ],
    data: instance,
    response: { attempts: 4 }
  },
  {
    name: "instances.create without money",
    call: (core) => core.instances.create({ service_id: 1 }),
    exchanges: [{ on: "POST /instances", answer: [402, { detail: "Too low" }, { "X-Request-Id": "r1" }] }],
    error: { _tag: "PaymentRequiredError", status: 402, detail: "Too low", requestId: "r1", attempts: 1 }
  },
  {
    name: "instances.dryRun",
    call: (core) => core.instances.dryRun({ service_id: 1 }),
    exchanges: [{ on: "POST /instances?dry_run=true", body: { service_id: 1 }, answer: [200, dryRun] }],
    data: dryRun,
    response: { idempotencyKey: undefined }
  },
  {
    name: "instances.dryRun of a key",
    call: (core) => core.instances.dryRun({ service_id: 1 }, { idempotencyKey: "web-1" }),
    exchanges: [{
      on: "POST /instances?dry_run=true",
      headers: { "idempotency-key": "web-1" },
      answer: [200, dryRun]
    }]
  },
  {
    name: "instances.hostname",
    call: (core) => core.instances.hostname(7, { hostname: "web.example.com" }),
    exchanges: [{ on: "PATCH /instances/7/hostname", body: { hostname: "web.example.com" }, answer: [200, action] }],
    data: action
  },
  {
    name: "instances.rdns while the instance is busy",
    call: (core) => core.instances.rdns(7, { ip: "10.0.0.7", ptr: "web.example.com" }),
    exchanges: [
      { on: "POST /instances/7/rdns", answer: [409, { detail: "busy" }, { "Retry-After": "0" }] },
      { on: "POST /instances/7/rdns", body: { ip: "10.0.0.7", ptr: "web.example.com" }, answer: [200, action] }
    ],
    data: action,
    response: { attempts: 2 }
  },
  {
    name: "power.start, stop and restart",
    call: (core) => core.power.start(7).pipe(Effect.andThen(core.power.stop(7)), Effect.andThen(core.power.restart(7))),
    exchanges: [
      { on: "POST /instances/7/start", answer: [200, action] },
      { on: "POST /instances/7/stop", answer: [200, action] },
      { on: "POST /instances/7/restart", answer: [200, action] }
    ],
    data: action
  },
  {
    name: "power.stop whose answer breaks off",
    call: (core) => core.power.stop(7),
    exchanges: [{ on: "POST /instances/7/stop", answer: "broken" }],
    error: { _tag: "ConnectionError", answerLost: true, attempts: 1 }
  }
]
