/** The order of an operation's checks: the states that it requires, and failures of the upstream. */
import * as Effect from "effect/Effect"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { assert, describe, it, layer } from "@effect/vitest"
import { accountLimits } from "#service/admin/commands/Accounts"
import { type Answer, deployed, type Request, startApp, type TestApp } from "../support/app.ts"
import {
  type Condition,
  CONDITIONS,
  INSTANCE_OPERATIONS,
  type InstanceOperation
} from "#service/domain/InstanceMachine"
import { Backups, Snapshots } from "#service/persistence/Snapshots"
import { Instances } from "#service/persistence/Instances"
import { Transaction } from "#service/persistence/Transaction"
import { TRANSITIONS } from "../support/transitions.ts"
import { setLifecycle } from "../support/lifecycle.ts"
import type { Task } from "#contract/Monitoring"

/** As many requests as a key may send at once. */
const KEY_BURST = 60

const mint = (app: TestApp, body: object) =>
  Effect.map(app.control("POST", "/keys", body), (answer) => answer.body.api_key as string)

/** The text of an ordinary error, or where the form is wrong. */
const told = ({ body }: Answer): string =>
  typeof body.detail === "string" ? body.detail : body.detail.map(({ loc }: { loc: unknown }) => String(loc)).join(" ")

/** The next error, once all previous ones are fixed. */
interface Step {
  readonly status: number
  readonly says: string
  /** Puts right what the step before complained about. */
  readonly fix: Partial<Request> | Effect.Effect<unknown, unknown>
}

/** Repeats the request after each fix, and returns the last response. */
const peel = Effect.fnUntraced(function*(app: TestApp, broken: Request, steps: ReadonlyArray<Step>) {
  const request = { ...broken }
  for (const { fix, says, status } of steps) {
    if (Effect.isEffect(fix)) yield* fix
    else Object.assign(request, fix)
    const answer = yield* app.api(request)
    assert.strictEqual(answer.status, status, `${says}: ${JSON.stringify(answer.body)}`)
    if (status >= 400) assert.include(told(answer), says)
  }
  return yield* app.api(request)
})

/** A customer with 0.01 EUR and no create left, who has bought with the key `bought` before. */
const customer = Effect.fnUntraced(function*(app: TestApp) {
  const { body } = yield* app.control("POST", "/accounts", { email: "poor@example.test", wallet: 5 })
  const { account_id: account, api_key: creator } = body
  const order = { method: "POST", path: "/instances", body: { service_id: 1 }, key: creator }
  const { body: first } = yield* app.api({ ...order, headers: { "idempotency-key": "bought" } })
  yield* app.inside(accountLimits({ id: account, creates_per_minute: 1, creates_per_hour: 1 }))
  const writer = yield* mint(app, { account_id: account, scopes: ["vps:write"] })
  const tired = yield* mint(app, { account_id: account, scopes: ["vps:write"] })
  yield* Effect.all(Array.from({ length: KEY_BURST }, () => app.api({ path: "/whoami", key: tired })))
  return { account, creator, writer, tired, first }
})

describe("a create that is wrong in every way", () => {
  it.live("gets one error after the other, in the order of the checks", () =>
    Effect.gen(function*() {
      const app = yield* startApp(["--rate-limits"])
      yield* app.control("POST", "/clock", { freeze: true })
      const { account, creator, first, tired, writer } = yield* customer(app)
      const keyed = (key: string) => ({ headers: { "idempotency-key": key } })
      const wrong = { service_id: 99, hostname: "-", coupon_code: "NOPE" }
      const broken = { method: "POST", path: "/instances?dry_run=maybe", key: "", ...keyed("two words") }
      const replays = { status: 201, says: "a replay comes before the plan, and takes no create" }
      const unlimited = app.inside(accountLimits({ id: account, creates_per_minute: 99, creates_per_hour: 99 }))
      const last = yield* peel(app, { ...broken, body: { ...wrong, zzz: 1 } }, [
        { fix: {}, status: 401, says: "API key" },
        { fix: { key: tired }, status: 429, says: "(key)" },
        { fix: { key: writer }, status: 403, says: "vps:create" },
        { fix: { key: creator }, status: 422, says: "header,Idempotency-Key" },
        { fix: keyed("bought"), status: 422, says: "query,dry_run" },
        { fix: { path: "/instances" }, status: 422, says: "body,zzz" },
        { fix: { body: wrong }, ...replays },
        { fix: keyed("new"), status: 404, says: "Plan 99" },
        { fix: { body: { ...wrong, service_id: 7 } }, status: 400, says: "category hosting" },
        { fix: { body: { ...wrong, service_id: 5 } }, status: 422, says: "body,hostname" },
        { fix: { body: { service_id: 5, coupon_code: "NOPE" } }, status: 400, says: "Coupon NOPE" },
        { fix: { body: { service_id: 5 } }, status: 429, says: "(create-minute)" },
        { fix: unlimited, status: 402, says: "the wallet holds 0.01 EUR" },
        { fix: app.control("POST", "/wallet", { account_id: account, amount: 100 }), status: 201, says: "" }
      ])
      assert.strictEqual(last.headers.get("idempotent-replayed"), "true")
      assert.notStrictEqual(last.body.id, first.id)
    }))

  it.live("as a dry run meets neither the create limit nor the wallet", () =>
    Effect.gen(function*() {
      const app = yield* startApp(["--rate-limits"])
      yield* app.control("POST", "/clock", { freeze: true })
      const { creator } = yield* customer(app)
      const broken = { method: "POST", path: "/instances?dry_run=true", key: creator }
      const preview = yield* peel(app, { ...broken, body: { service_id: 99, hostname: "-", coupon_code: "NOPE" } }, [
        { fix: {}, status: 404, says: "Plan 99" },
        { fix: { body: { service_id: 5, hostname: "-", coupon_code: "NOPE" } }, status: 422, says: "body,hostname" },
        { fix: { body: { service_id: 5, coupon_code: "NOPE" } }, status: 400, says: "Coupon NOPE" },
        { fix: { body: { service_id: 5 } }, status: 200, says: "" }
      ])
      assert.deepInclude(preview.body, { would_create: false, sufficient_funds: false })
    }))
})

const bought = Effect.fnUntraced(function*(app: TestApp, planId: number) {
  const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: planId } })
  yield* deployed(app, body.id)
  return body.id as number
})

/** An instance with three snapshots, in rescue mode, with a restart under way for as long as the clock is frozen. */
const beset = Effect.fnUntraced(function*(app: TestApp) {
  const id = yield* bought(app, 1)
  const post = (path: string, body?: object) => app.api({ method: "POST", path: `/instances/${id}/${path}`, body })
  for (const name of ["one", "two", "three"]) {
    yield* post("snapshots", { name })
    yield* app.control("POST", "/clock", { advance_ms: 1_000 })
  }
  yield* post("rescue")
  yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1_000 })
  yield* app.control("POST", "/clock", { freeze: true })
  yield* post("restart")
  return id
})

describe("an operation that is wrong in every way", () => {
  const settled = (app: TestApp) => app.control("POST", "/clock", { advance_ms: 5_000 })

  it.live("gets 422, 404, 400, 409 busy, 409 state, 409 quota, in this order", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const dedicated = yield* bought(app, 5)
      const id = yield* beset(app)
      const leave = app.api({ method: "DELETE", path: `/instances/${id}/rescue` })
      const room = Effect.andThen(app.api({ method: "DELETE", path: `/instances/${id}/snapshots/1` }), settled(app))
      const broken = { method: "POST", path: "/instances/x/snapshots", body: { name: "", zzz: 1 } }
      yield* app.api({ method: "POST", path: `/instances/${dedicated}/restart` })
      yield* peel(app, broken, [
        { fix: {}, status: 422, says: "path,instance_id" },
        { fix: { path: "/instances/999/snapshots" }, status: 422, says: "body,name body,zzz" },
        { fix: { body: { name: "four" } }, status: 404, says: "Instance not found." },
        { fix: { path: `/instances/${dedicated}/snapshots` }, status: 400, says: "dedicated" },
        { fix: { path: `/instances/${id}/snapshots` }, status: 409, says: "busy with another task (restart)" },
        { fix: settled(app), status: 409, says: "is rescue" },
        { fix: Effect.andThen(leave, settled(app)), status: 409, says: "Snapshot limit reached (3)" },
        { fix: room, status: 200, says: "" }
      ])
    }))

  it.live.each<readonly [string, string, object | undefined, number, string]>([
    ["POST", "snapshots/99/restore", undefined, 404, "Snapshot not found."],
    ["DELETE", "snapshots/0", undefined, 404, "Snapshot not found."],
    ["POST", "backups/99999999999999999999/restore", undefined, 404, "Backup not found."],
    ["POST", "iso", { iso_id: 99 }, 404, "ISO not found."],
    ["POST", "resize", { service_id: 99 }, 404, "Plan 99"],
    ["POST", "resize", { service_id: 4 }, 400, "another data center"],
    ["POST", "reinstall", { os: "windows-2022", ssh_pubkey: "x" }, 422, "body,ssh_pubkey"],
    ["PATCH", "hostname", { hostname: "-" }, 422, "body,hostname"],
    ["POST", "rdns", { ip: "192.0.2.1", ptr: "-" }, 422, "body,ip"]
  ])(
    "%s %s %j of a busy instance is %i: the parts it names are checked first",
    ([method, path, body, status, says]) =>
      Effect.gen(function*() {
        const app = yield* startApp()
        const id = yield* beset(app)
        const answer = yield* app.api({ method, path: `/instances/${id}/${path}`, body })
        assert.strictEqual(answer.status, status, JSON.stringify(answer.body))
        assert.include(told(answer), says)
      })
  )

  it.live("calls the upstream last: a 502 means that all checks passed, and changes nothing", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const id = yield* beset(app)
      const away = { operation: "driver.reset_password", driver: "unavailable" }
      yield* app.control("POST", "/faults", away)
      const leave = app.api({ method: "DELETE", path: `/instances/${id}/rescue` })
      const last = yield* peel(app, { method: "POST", path: `/instances/${id}/reset-password` }, [
        { fix: {}, status: 409, says: "busy" },
        { fix: settled(app), status: 409, says: "is rescue" },
        { fix: leave, status: 502, says: "reset_password" },
        { fix: app.control("DELETE", "/faults"), status: 200, says: "" }
      ])
      assert.isTrue(last.body.show_once)
    }))
})

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(
    App,
    Effect.tap(startApp(), ({ control }) => control("PUT", "/wallet", { balance: 5_000 }))
  )
}

interface Made {
  readonly id: number
  readonly ip: string
  readonly snapshot: number
  readonly backup: number
}

/** The request for each operation. */
const REQUESTS: Readonly<
  Record<InstanceOperation, (made: Made) => readonly [method: string, path: string, body?: object]>
> = {
  start: () => ["POST", "start"],
  stop: () => ["POST", "stop"],
  restart: () => ["POST", "restart"],
  reinstall: () => ["POST", "reinstall", { os: "debian-13" }],
  resize: () => ["POST", "resize", { service_id: 2 }],
  reset_password: () => ["POST", "reset-password"],
  set_hostname: () => ["PATCH", "hostname", { hostname: "new" }],
  set_rdns: ({ ip }) => ["POST", "rdns", { ip, ptr: "new.example.test" }],
  snapshot_create: () => ["POST", "snapshots", { name: "another" }],
  snapshot_restore: ({ snapshot }) => ["POST", `snapshots/${snapshot}/restore`],
  backup_restore: ({ backup }) => ["POST", `backups/${backup}/restore`],
  snapshot_delete: ({ snapshot }) => ["DELETE", `snapshots/${snapshot}`],
  iso_mount: () => ["POST", "iso", { iso_id: 1 }],
  iso_unmount: () => ["DELETE", "iso"],
  rescue_enter: () => ["POST", "rescue"],
  rescue_exit: () => ["DELETE", "rescue"]
}

/** An instance with a snapshot, a backup and ISO 2 in its drive. They are written to the database for speed. */
const furnished = Effect.gen(function*() {
  const app = yield* App
  const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
  const { id, ipv4 } = yield* deployed(app, body.id)
  const parts = yield* app.inside(Effect.gen(function*() {
    const [snapshots, backups, instances] = [yield* Snapshots, yield* Backups, yield* Instances]
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      const snapshot = yield* snapshots.insert({ instanceId: id, name: "one", os: "debian-12", at: 0 })
      yield* snapshots.setAvailable(snapshot, 1)
      const backup = yield* backups.insert({ instanceId: id, os: "debian-12", at: 0, expiresAt: 1 })
      yield* backups.setAvailable(backup, 1)
      yield* instances.setIso(id, 2)
      return { snapshot, backup }
    }))
  }))
  return { id, ip: ipv4!, ...parts } satisfies Made
})

/** Brings it into the state: over HTTP where a customer can. */
const bring = Effect.fnUntraced(function*(id: number, condition: Condition) {
  const app = yield* App
  const at = `/instances/${id}`
  if (condition === "running") return
  if (condition === "rescue") return void (yield* app.api({ method: "POST", path: `${at}/rescue` }))
  if (condition === "stopped") {
    yield* app.api({ method: "POST", path: `${at}/stop` })
    return void (yield* deployed(app, id, "stopped"))
  }
  // The app has the service, but use cases cannot see it.
  yield* app.inside(setLifecycle(id, condition) as Effect.Effect<number>)
})

const tasksOf = (id: number) =>
  Effect.flatMap(
    App,
    ({ api }) => Effect.map(api({ path: `/instances/${id}/tasks` }), ({ body }) => body.total as number)
  )

layer(App.layer, { excludeTestServices: true })("over HTTP", (test) => {
  describe.each(INSTANCE_OPERATIONS)("%s", (operation) => {
    const expected = TRANSITIONS[operation].split(" ")
    test.effect.each(CONDITIONS.map((name, index) => [name, expected[index]!] as const))(
      "of an instance that is %s: %s",
      ([condition, verdict]) =>
        Effect.gen(function*() {
          const app = yield* App
          const made = yield* furnished
          yield* bring(made.id, condition)
          const before = yield* tasksOf(made.id)
          const [method, path, body] = REQUESTS[operation](made)
          const answer = yield* app.api({ method, path: `/instances/${made.id}/${path}`, body })
          assert.strictEqual(answer.status, verdict === "no" ? 409 : 200, JSON.stringify(answer.body))
          assert.strictEqual(yield* tasksOf(made.id), before + (verdict === "yes" ? 1 : 0))
          assert.isNull(answer.headers.get("retry-after"))
          if (verdict !== "no") return assert.deepInclude(answer.body, { ok: true, action: operation })
          const refusal = `The operation ${operation} is not allowed while the instance is ${condition}. `
          assert.isTrue(answer.body.detail.startsWith(refusal), answer.body.detail)
          assert.isAbove(answer.body.detail.length, refusal.length, "it says what to do")
        })
    )
  })
})

const AT = "/instances/1"
const DAY = 86_400_000

const advance = (app: TestApp, millis: number) => app.control("POST", "/clock", { advance_ms: millis })
const fault = (app: TestApp, type: string, driver: string) =>
  app.control("POST", "/faults", { operation: `driver.${type}`, driver })

/** Instance 1, deployed, with a frozen clock. */
const running = Effect.gen(function*() {
  const app = yield* startApp()
  yield* app.control("POST", "/clock", { freeze: true })
  yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname: "web" } })
  yield* deployed(app, 1)
  return app
})

type Call = readonly [method: string, path: string, type: string, body?: object]

const send = (app: TestApp, [method, path, , body]: Call) => app.api({ method, path: `${AT}/${path}`, body })

/** Calls whose answer holds what the upstream did. */
const WAITING: ReadonlyArray<Call> = [
  ["POST", "reset-password", "reset_password"],
  ["PATCH", "hostname", "set_hostname", { hostname: "db" }],
  ["POST", "rdns", "set_rdns", { ip: "198.18.0.1", ptr: "db.example.test" }],
  ["POST", "rescue", "rescue_enter"],
  ["DELETE", "rescue", "rescue_exit"]
]

describe("a call that waits for the upstream", () => {
  const rows = WAITING.flatMap((call) =>
    ["unavailable", "busy", "rejected"].map((driver) => [call[0], call[1], driver, call] as const)
  )
  it.live.each(rows)(
    "%s %s tries once: 502 without changes, and a retry succeeds",
    ([, , driver, call]) =>
      Effect.gen(function*() {
        const app = yield* running
        if (call[2] === "rescue_exit") yield* app.api({ method: "POST", path: `${AT}/rescue` })
        const { body: before } = yield* app.api({ path: AT })
        yield* fault(app, call[2], driver)
        const failed = yield* send(app, call)
        assert.strictEqual(failed.status, 502)
        assert.include(failed.body.detail, call[2])
        assert.strictEqual((yield* app.control("GET", "/faults")).body[0].hits, 1)
        assert.deepStrictEqual((yield* app.api({ path: AT })).body, before)
        assert.isNull((yield* app.api({ path: `${AT}/status` })).body.task)
        yield* app.control("DELETE", "/faults")
        assert.strictEqual((yield* send(app, call)).status, 200)
      })
  )
})

/** Operations that are done in a task of their own; some of them to what is prepared below. */
const QUEUED: ReadonlyArray<Call> = [
  ["POST", "stop", "stop"],
  ["POST", "restart", "restart"],
  ["POST", "reinstall", "reinstall", { os: "debian-13" }],
  ["POST", "resize", "resize", { service_id: 3 }],
  ["POST", "snapshots", "snapshot_create", { name: "two" }],
  ["POST", "snapshots/1/restore", "snapshot_restore"],
  ["DELETE", "snapshots/1", "snapshot_delete"],
  ["POST", "backups/1/restore", "backup_restore"],
  ["POST", "iso", "iso_mount", { iso_id: 2 }],
  ["DELETE", "iso", "iso_unmount"]
]

const balance = (app: TestApp) => Effect.map(app.control("GET", "/wallet"), ({ body }) => body.balance as number)

describe("any other operation", () => {
  it.live.each(QUEUED)(
    "%s %s returns at once, regardless of the upstream, and fails in its task",
    (call) =>
      Effect.gen(function*() {
        const app = yield* running
        yield* app.api({ method: "POST", path: `${AT}/snapshots`, body: { name: "one" } })
        yield* advance(app, DAY)
        yield* app.api({ method: "POST", path: `${AT}/iso`, body: { iso_id: 1 } })
        yield* advance(app, 1_000)
        const [before, wallet] = [(yield* app.api({ path: AT })).body, yield* balance(app)]
        yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1_000 })
        yield* fault(app, call[2], "rejected")
        const answer = yield* send(app, call)
        assert.strictEqual(answer.status, 200)
        assert.deepInclude(answer.body, { ok: true, action: call[2] })
        yield* advance(app, 1_000)
        const { body } = yield* app.api({ path: `${AT}/tasks` })
        const task = (body.items as ReadonlyArray<Task>).find(({ id }) => id === answer.body.task_id)!
        assert.deepInclude(task, { type: call[2], status: "failed", actor: "api_key" })
        assert.isNotEmpty(task.error)
        assert.deepStrictEqual((yield* app.api({ path: AT })).body, before)
        assert.strictEqual(yield* balance(app), wallet, "what was charged came back")
      })
  )
})
