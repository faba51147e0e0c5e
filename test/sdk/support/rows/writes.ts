/** The request table of what changes something. */
import * as Effect from "effect/Effect"
import { action, instance, type Row } from "./Row.ts"

const dryRun = { dry_run: true, would_create: true, charge_amount: 4.99 }

/** A call without a body, that answers an action. */
const plain = (name: string, on: string, call: Row["call"]): Row => ({
  name,
  call,
  exchanges: [{ on, answer: [200, action] }],
  data: action
})

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
    error: { _tag: "ConnectionError", responseLost: true, attempts: 1 }
  },
  {
    name: "instances.reinstall",
    call: (core) => core.instances.reinstall(7, { os: "debian-13", password: "hunter2-hunter2" }),
    exchanges: [{
      on: "POST /instances/7/reinstall",
      body: { os: "debian-13", password: "hunter2-hunter2" },
      answer: [200, action]
    }],
    data: action
  },
  {
    name: "instances.resetPassword",
    call: (core) => core.instances.resetPassword(7),
    exchanges: [{ on: "POST /instances/7/reset-password", answer: [200, { password: "new", show_once: true }] }],
    data: { password: "new", show_once: true }
  },
  {
    name: "instances.resetPassword behind a proxy that may have lost the answer",
    call: (core) => core.instances.resetPassword(7),
    exchanges: [{ on: "POST /instances/7/reset-password", answer: [502, "<h1>Bad Gateway</h1>"] }],
    error: { _tag: "BadGatewayError", attempts: 1 }
  },
  {
    name: "instances.resize",
    call: (core) => core.instances.resize(7, { service_id: 2 }),
    exchanges: [{ on: "POST /instances/7/resize", body: { service_id: 2 }, answer: [200, action] }],
    data: action
  },
  {
    name: "snapshots.create",
    call: (core) => core.snapshots.create(7, { name: "before" }),
    exchanges: [{ on: "POST /instances/7/snapshots", body: { name: "before" }, answer: [200, action] }],
    data: action
  },
  {
    name: "snapshots.create over the quota",
    call: (core) => core.snapshots.create(7, { name: "before" }),
    exchanges: [{ on: "POST /instances/7/snapshots", answer: [409, { detail: "quota" }] }],
    error: { _tag: "ConflictError", retryAfter: undefined, attempts: 1 }
  },
  plain("snapshots.restore", "POST /instances/7/snapshots/3/restore", (core) => core.snapshots.restore(7, 3)),
  plain("snapshots.delete", "DELETE /instances/7/snapshots/3", (core) => core.snapshots.delete(7, 3)),
  plain("backups.restore", "POST /instances/7/backups/3/restore", (core) => core.backups.restore(7, 3)),
  {
    name: "isos.mount",
    call: (core) => core.isos.mount(7, { iso_id: 2 }),
    exchanges: [{ on: "POST /instances/7/iso", body: { iso_id: 2 }, answer: [200, action] }],
    data: action
  },
  plain("isos.unmount", "DELETE /instances/7/iso", (core) => core.isos.unmount(7)),
  plain("rescue.enter", "POST /instances/7/rescue", (core) => core.rescue.enter(7)),
  plain("rescue.exit", "DELETE /instances/7/rescue", (core) => core.rescue.exit(7))
]
