/** Rate limits over HTTP: the draft's headers, 429 with Retry-After, their place among the checks. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tokenOf } from "#service/auth/ApiKeyToken"
import { Accounts } from "#service/persistence/Accounts"
import { Transaction } from "#service/persistence/Transaction"
import { type Answer, startApp, type TestApp } from "../support/app.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { CREATES_PER_MINUTE } = DEFAULT_LIMITS

/** Limits are enabled, and the clock is frozen. */
const limited = Effect.fnUntraced(function*(flags: ReadonlyArray<string> = []) {
  const app = yield* startApp(["--rate-limits", ...flags])
  yield* app.control("POST", "/clock", { freeze: true })
  return app
})

const advance = (app: TestApp, millis: number) => app.control("POST", "/clock", { advance_ms: millis })
const times = <A>(count: number, effect: Effect.Effect<A>) => Effect.all(Array.from({ length: count }, () => effect))
const statuses = (answers: ReadonlyArray<Answer>) => [...new Set(answers.map(({ status }) => status))]
const header = (answer: Answer, name: string) => answer.headers.get(name)
const mint = (app: TestApp, body: object = { scopes: ["vps:create"] }) =>
  Effect.map(app.control("POST", "/keys", body), (answer) => answer.body.api_key as string)
const create = (app: TestApp, body: object = { service_id: 1 }, headers: Record<string, string> = {}) =>
  app.api({ method: "POST", path: "/instances", body, headers })

/** False if there is no such account. */
const limitCreates = (app: TestApp, account: number, perMinute: number, perHour: number | null) =>
  app.inside(
    Effect.flatMap(Transaction, ({ run }) =>
      run(Effect.flatMap(Accounts, ({ setCreateLimits }) =>
        setCreateLimits(account, { perMinute, perHour }))))
  )

/** As many requests as a key may send at once. */
const KEY_BURST = 60

describe("rate limits", () => {
  it.live("every response has the limits of the account and the key", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      const answer = yield* app.api({ path: "/whoami" })
      assert.strictEqual(
        header(answer, "ratelimit-policy"),
        "\"account\";q=600;w=60;burst=120, \"key\";q=300;w=60;burst=60"
      )
      assert.strictEqual(header(answer, "ratelimit"), "\"account\";r=119;t=1, \"key\";r=59;t=1")
      const missing = yield* app.api({ path: "/instances/99" })
      assert.strictEqual(header(missing, "ratelimit"), "\"account\";r=118;t=1, \"key\";r=58;t=1")
    }))

  it.live("a key over its limit gets 429 until a request is available again", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      assert.deepStrictEqual(statuses(yield* times(KEY_BURST, app.api({ path: "/whoami" }))), [200])
      const answer = yield* app.api({ path: "/whoami" })
      assert.strictEqual(answer.status, 429)
      assert.deepStrictEqual(answer.body, {
        detail: "Too many requests: 300 per minute, and 60 at once, are allowed (key). Try again in 1 s."
      })
      assert.strictEqual(header(answer, "retry-after"), "1")
      assert.strictEqual(header(answer, "ratelimit"), "\"account\";r=60;t=6, \"key\";r=0;t=12")
      yield* advance(app, 199)
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 429)
      yield* advance(app, 1)
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
    }))

  it.live("two keys share the limit of their account; another account has its own", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      const other = yield* mint(app)
      const third = yield* mint(app)
      yield* times(KEY_BURST, app.api({ path: "/whoami" }))
      assert.deepStrictEqual(statuses(yield* times(KEY_BURST, app.api({ path: "/whoami", key: other }))), [200])
      const answer = yield* app.api({ path: "/whoami", key: third })
      assert.strictEqual(answer.status, 429)
      assert.include(answer.body.detail, "600 per minute, and 120 at once, are allowed (account)")
      const { body } = yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 0 })
      assert.strictEqual((yield* app.api({ path: "/whoami", key: body.api_key })).status, 200)
    }))

  it.live("429 comes after 401 and before 403 and validation", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      const reader = yield* mint(app, { scopes: ["vps:read"] })
      const forbidden = { method: "POST", path: "/instances", body: {}, key: reader }
      assert.strictEqual((yield* app.api(forbidden)).status, 403)
      yield* times(KEY_BURST - 1, app.api({ path: "/whoami", key: reader }))
      assert.strictEqual((yield* app.api(forbidden)).status, 429)
      assert.strictEqual((yield* app.api({ ...forbidden, key: "" })).status, 401)
    }))

  it.live("are off in the emulator by default", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const answers = yield* times(2 * KEY_BURST + 1, app.api({ path: "/whoami" }))
      assert.deepStrictEqual(statuses(answers), [200])
      assert.isNull(header(answers[0]!, "ratelimit"))
    }))

  it.live("a reset restores all limits", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      yield* times(KEY_BURST, app.api({ path: "/whoami" }))
      yield* times(30, app.api({ path: "/whoami", key: "" }))
      yield* app.control("POST", "/reset")
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
      assert.strictEqual((yield* app.api({ path: "/whoami", key: "" })).status, 401)
    }))
})

describe("requests without a valid key", () => {
  const wrong = tokenOf("B".repeat(32))

  it.live("are counted by address, and do not affect valid keys", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      assert.deepStrictEqual(statuses(yield* times(30, app.api({ path: "/whoami", key: wrong }))), [401])
      const answer = yield* app.api({ path: "/whoami", key: "" })
      assert.strictEqual(answer.status, 429)
      assert.strictEqual(header(answer, "retry-after"), "1")
      assert.strictEqual(header(answer, "ratelimit-policy"), "\"unauthenticated\";q=60;w=60;burst=30")
      assert.include(answer.body.detail, "Too many requests without a valid key from this address: 60 per minute")
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
      yield* advance(app, 1_000)
      assert.strictEqual((yield* app.api({ path: "/whoami", key: wrong })).status, 401)
    }))

  it.live("get the limit of their address", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      const answer = yield* app.api({ path: "/whoami", key: wrong })
      assert.deepStrictEqual([answer.status, header(answer, "ratelimit")], [401, "\"unauthenticated\";r=29;t=1"])
    }))

  const from = (app: TestApp, address: string) =>
    app.api({ path: "/whoami", key: wrong, headers: { "x-forwarded-for": address } })

  it.live("X-Forwarded-For is ignored unless a proxy is trusted", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      yield* Effect.forEach(Array.from({ length: 30 }), (_, index) => from(app, `192.0.2.${index}`))
      assert.strictEqual((yield* from(app, "192.0.2.200")).status, 429)
    }))

  it.live("behind a trusted proxy each client is counted alone", () =>
    Effect.gen(function*() {
      const app = yield* limited(["--trusted-proxies", "127.0.0.0/8"])
      yield* times(30, from(app, "192.0.2.1"))
      assert.strictEqual((yield* from(app, "192.0.2.1")).status, 429)
      assert.strictEqual((yield* from(app, "192.0.2.2")).status, 401)
    }))
})

describe("creates", () => {
  it.live("are limited to 10 a minute: the next is 429 with both policies, and succeeds after 6 s", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      const first = yield* create(app)
      assert.strictEqual(
        header(first, "ratelimit-policy"),
        "\"create-minute\";q=10;w=60, \"create-hour\";q=60;w=3600, \"account\";q=600;w=60;burst=120, "
          + "\"key\";q=300;w=60;burst=60"
      )
      assert.match(header(first, "ratelimit")!, /^"create-minute";r=9;t=6, "create-hour";r=59;t=60, "account";r=119/)
      assert.deepStrictEqual(statuses(yield* times(9, create(app))), [201])
      const refused = yield* create(app)
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(header(refused, "retry-after"), "6")
      assert.strictEqual(
        refused.body.detail,
        "Too many creates: 10 per minute are allowed (create-minute). Try again in 6 s."
      )
      yield* advance(app, 5_999)
      assert.strictEqual((yield* create(app)).status, 429)
      yield* advance(app, 1)
      assert.strictEqual((yield* create(app)).status, 201)
    }))

  it.live("are limited to 60 an hour, even when spread out", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      for (let minute = 0; minute < 6; minute++) {
        assert.deepStrictEqual(statuses(yield* times(CREATES_PER_MINUTE, create(app))), [201])
        yield* advance(app, 60_000)
      }
      // Six of the hour's have come back by now, one a minute.
      assert.deepStrictEqual((yield* times(7, create(app))).map(({ status }) => status), [
        ...Array.from({ length: 6 }, () => 201),
        429
      ])
    }))

  it.live("a replay takes none, and succeeds though none is left; so does a dry run", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      const key = { "idempotency-key": "k1" }
      const { body: bought } = yield* create(app, { service_id: 1 }, key)
      yield* times(5, create(app, { service_id: 1 }, key))
      yield* times(5, app.api({ method: "POST", path: "/instances?dry_run=true", body: { service_id: 1 } }))
      assert.deepStrictEqual(statuses(yield* times(9, create(app))), [201])
      assert.strictEqual((yield* create(app)).status, 429)
      const replayed = yield* create(app, { service_id: 1 }, key)
      assert.deepStrictEqual([replayed.status, replayed.body.id], [201, bought.id])
      const preview = yield* app.api({ method: "POST", path: "/instances?dry_run=true", body: { service_id: 1 } })
      assert.strictEqual(preview.status, 200)
    }))

  it.live("that are refused take none; 429 comes after 400 and before 402", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      const poor = { service_id: 5 }
      yield* limitCreates(app, 1, 17, 17)
      yield* times(5, create(app, { service_id: 1, coupon_code: "EXPIRED" }))
      // 1000.00 pay for 16 of them: the 17th token is not taken by what costs too much.
      assert.deepStrictEqual(statuses(yield* times(16, create(app, poor))), [201])
      assert.deepStrictEqual(statuses(yield* times(3, create(app, poor))), [402])
      assert.strictEqual((yield* create(app)).status, 201)
      assert.strictEqual((yield* create(app, poor)).status, 429)
      assert.strictEqual((yield* create(app, { service_id: 1, coupon_code: "EXPIRED" })).status, 400)
    }))

  it.live("follow the account's own limits", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      assert.isTrue(yield* limitCreates(app, 1, 2, null))
      assert.deepStrictEqual((yield* times(3, create(app))).map(({ status }) => status), [201, 201, 429])
      assert.isFalse(yield* limitCreates(app, 9, 1, 1))
    }))

  it.live("a clock that was ahead is made up for after one window at most", () =>
    Effect.gen(function*() {
      const app = yield* limited()
      const ahead = Date.now() + 3 * 365 * 86_400_000
      const debit = Effect.flatMap(Accounts, ({ debitCreate }) => debitCreate(1, 0, ahead, ahead))
      yield* app.inside(Effect.flatMap(Transaction, ({ run }) => run(debit)))
      assert.strictEqual((yield* create(app)).status, 429)
      yield* advance(app, 30_000)
      assert.strictEqual((yield* create(app)).status, 429)
      yield* advance(app, 30_000)
      assert.strictEqual((yield* create(app)).status, 201)
    }))
})
