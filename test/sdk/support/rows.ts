/** The request table: each call, the requests it sends, and what it returns for the responses. */
import * as Effect from "effect/Effect"
import type { CallFailure } from "#sdk/client/errors/ApiErrors"
import type { Client } from "#sdk/client/Client"
import type { ApiResponse } from "#sdk/client/chain/ApiResponse"

/** One expected request, and the response to it. */
interface Exchange {
  /** Method, then path and query. */
  readonly on: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly answer: readonly [status: number, body: object | string, headers?: Record<string, string>] | "broken"
}

export interface Row {
  readonly name: string
  readonly call: (client: Client) => Effect.Effect<ApiResponse<unknown>, CallFailure>
  readonly exchanges: ReadonlyArray<Exchange>
  readonly data?: unknown
  readonly response?: Partial<ApiResponse<unknown>["response"]>
  readonly error?: Readonly<Record<string, unknown>>
}

/** As another server might have it: with fields of its own. */
const instance = {
  id: 7,
  status: "brewing",
  provider_id: "sim-7",
  ipv4: "10.0.0.7",
  of_another_server: { kept: true }
}
const record = { ok: true, action: "stop", status: "stopping", task_id: 3 }
const dryRun = { dry_run: true, would_create: true, charge_amount: 4.99 }
const ORDER = { service_id: 1, hostname: "web", root_password: "hunter2-hunter2" }
const PTR = { ip: "10.0.0.7", ptr: "web.example.com" }

/** A call that sends one request and returns the record of the response. */
const plain = (on: string, call: Row["call"], body?: object): Row => ({
  name: on,
  call,
  exchanges: [{ on, answer: [200, record], ...(body === undefined ? {} : { body }) }],
  data: record
})

/** A list that one server returns as it is and another one wraps. */
const list = (on: string, call: Row["call"]): Row => ({
  name: `${on}, bare and wrapped`,
  call: (client) => Effect.andThen(call(client), call(client)),
  exchanges: [{ on, answer: [200, [{ id: 1 }]] }, { on, answer: [200, { items: [instance], total: 1 }] }],
  data: [instance]
})

const ENDPOINTS: ReadonlyArray<Row> = [
  plain("GET /", (client) => client.account.root()),
  plain("GET /whoami", (client) => client.account.whoami()),
  list("GET /services", (client) => client.services.list()),
  plain("GET /services/2/os-options", (client) => client.services.osOptions(2)),
  list("GET /instances", (client) => client.instances.list()),
  plain("GET /instances/7/status", (client) => client.monitoring.status(7)),
  plain("GET /instances/7/metrics", (client) => client.monitoring.metrics(7)),
  plain("GET /instances/7/metrics?range=30d", (client) => client.monitoring.metrics(7, { range: "30d" })),
  plain("GET /instances/7/tasks", (client) => client.monitoring.tasks(7)),
  plain("GET /instances/7/tasks?limit=5&offset=10", (client) => client.monitoring.tasks(7, { limit: 5, offset: 10 })),
  list("GET /instances/7/available-plans", (client) => client.monitoring.availablePlans(7)),
  list("GET /instances/7/snapshots", (client) => client.snapshots.list(7)),
  list("GET /instances/7/backups", (client) => client.backups.list(7)),
  list("GET /instances/7/isos", (client) => client.isos.list(7)),
  plain("PATCH /instances/7/hostname", (client) => client.instances.hostname(7, { hostname: "a" }), { hostname: "a" }),
  plain("POST /instances/7/reinstall", (client) => client.instances.reinstall(7, { os: "a" }), { os: "a" }),
  plain("POST /instances/7/reset-password", (client) => client.instances.resetPassword(7)),
  plain("POST /instances/7/resize", (client) => client.instances.resize(7, { service_id: 2 }), { service_id: 2 }),
  plain("POST /instances/7/start", (client) => client.power.start(7)),
  plain("POST /instances/7/stop", (client) => client.power.stop(7)),
  plain("POST /instances/7/restart", (client) => client.power.restart(7)),
  plain("POST /instances/7/snapshots", (client) => client.snapshots.create(7, { name: "a" }), { name: "a" }),
  plain("POST /instances/7/snapshots/3/restore", (client) => client.snapshots.restore(7, 3)),
  plain("DELETE /instances/7/snapshots/3", (client) => client.snapshots.delete(7, 3)),
  plain("POST /instances/7/backups/3/restore", (client) => client.backups.restore(7, 3)),
  plain("POST /instances/7/iso", (client) => client.isos.mount(7, { iso_id: 2 }), { iso_id: 2 }),
  plain("DELETE /instances/7/iso", (client) => client.isos.unmount(7)),
  plain("POST /instances/7/rescue", (client) => client.rescue.enter(7)),
  plain("DELETE /instances/7/rescue", (client) => client.rescue.exit(7))
]

export const ROWS: ReadonlyArray<Row> = [
  ...ENDPOINTS,
  {
    name: "unknown fields and statuses pass through",
    call: (client) => client.instances.get(7),
    exchanges: [{ on: "GET /instances/7", answer: [200, instance, { "X-Request-Id": "r7" }] }],
    data: instance,
    response: { status: 200, requestId: "r7", attempts: 1, idempotencyKey: undefined }
  },
  {
    name: "a read that succeeds at the fifth attempt",
    call: (client) => client.instances.get(7),
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
    name: "the caller's headers",
    call: (client) => client.instances.get(7, { headers: { "X-Request-Id": "mine", "User-Agent": "script/1" } }),
    exchanges: [{
      on: "GET /instances/7",
      headers: { "x-request-id": "mine", "user-agent": "script/1" },
      answer: [200, instance]
    }]
  },
  {
    name: "a create with a key",
    call: (client) => client.instances.create(ORDER, { idempotencyKey: "web-1" }),
    exchanges: [{
      on: "POST /instances",
      body: ORDER,
      headers: { "idempotency-key": "web-1", "content-type": "application/json" },
      answer: [201, instance]
    }],
    data: instance,
    response: { status: 201, idempotencyKey: "web-1", attempts: 1 }
  },
  {
    name: "a create that is retried",
    call: (client) => client.instances.create({ service_id: 1 }),
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
    name: "a create that fails",
    call: (client) => client.instances.create({ service_id: 1 }),
    exchanges: [{ on: "POST /instances", answer: [402, { detail: "Too low" }, { "X-Request-Id": "r1" }] }],
    error: { _tag: "PaymentRequiredError", status: 402, detail: "Too low", requestId: "r1", attempts: 1 }
  },
  {
    name: "a dry run has no key of its own",
    call: (client) => client.instances.dryRun({ service_id: 1 }),
    exchanges: [{ on: "POST /instances?dry_run=true", body: { service_id: 1 }, answer: [200, dryRun] }],
    data: dryRun,
    response: { idempotencyKey: undefined }
  },
  {
    name: "a dry run sends the caller's key",
    call: (client) => client.instances.dryRun({ service_id: 1 }, { idempotencyKey: "web-1" }),
    exchanges: [{
      on: "POST /instances?dry_run=true",
      headers: { "idempotency-key": "web-1" },
      answer: [200, dryRun]
    }]
  },
  {
    name: "a change of a busy instance",
    call: (client) => client.instances.rdns(7, PTR),
    exchanges: [
      { on: "POST /instances/7/rdns", answer: [409, { detail: "busy" }, { "Retry-After": "0" }] },
      { on: "POST /instances/7/rdns", body: PTR, answer: [200, record] }
    ],
    data: record,
    response: { attempts: 2 }
  }
]
