/** The request table of what changes nothing. */
import * as Effect from "effect/Effect"
import { instance, type Row } from "./Row.ts"

/** A list that one host answers as it is and another wraps. */
const list = (name: string, path: string, call: Row["call"]): Row => ({
  name: `${name}, bare and wrapped`,
  call: (core) => Effect.andThen(call(core), call(core)),
  exchanges: [
    { on: `GET /instances/7/${path}`, answer: [200, [{ id: 1 }]] },
    { on: `GET /instances/7/${path}`, answer: [200, { items: [{ id: 1, of_another_host: true }], total: 1 }] }
  ],
  data: [{ id: 1, of_another_host: true }]
})

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
  },
  {
    name: "monitoring.status",
    call: (core) => core.monitoring.status(7),
    exchanges: [{ on: "GET /instances/7/status", answer: [200, { status: "running", task: null }] }],
    data: { status: "running", task: null }
  },
  {
    name: "monitoring.metrics",
    call: (core) => core.monitoring.metrics(7, { range: "30d" }),
    exchanges: [{ on: "GET /instances/7/metrics?range=30d", answer: [200, { range: "30d", samples: [] }] }],
    data: { range: "30d", samples: [] }
  },
  {
    name: "monitoring.metrics with the host's default",
    call: (core) => core.monitoring.metrics(7),
    exchanges: [{ on: "GET /instances/7/metrics", answer: [200, { samples: [] }] }]
  },
  list("monitoring.availablePlans", "available-plans", (core) => core.monitoring.availablePlans(7)),
  list("snapshots.list", "snapshots", (core) => core.snapshots.list(7)),
  list("backups.list", "backups", (core) => core.backups.list(7)),
  list("isos.list", "isos", (core) => core.isos.list(7))
]
