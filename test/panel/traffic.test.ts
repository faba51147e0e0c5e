/** The panel sends little: records that changed, compressed reads, and a bounded number of streams to each person. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { deployed, receive, startApp, type TestApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"
import { openEvents } from "../support/panelEvents.ts"

const buy = (app: TestApp, count: number) =>
  Effect.replicateEffect(app.api({ method: "POST", path: "/instances", body: { service_id: 1 } }), count)

const headersOf = ({ cookie }: PanelBrowser, accept: string, site = "same-origin") => ({
  cookie: `__Host-session=${cookie}`,
  "accept-encoding": accept,
  "sec-fetch-site": site
})

const LIST = "/panel/api/accounts/1/v1/instances"

describe("the records that changed", () => {
  it.live("are those of the ids that the account has, as the list has them", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      yield* buy(app, 3)
      for (const id of [1, 2, 3]) yield* deployed(app, id)
      const browser = yield* signInAs(app, "customer")
      const read = (ids: string) => browser.call({ path: `/accounts/1/instances?ids=${ids}` })
      const { body: list } = yield* browser.call({ path: "/accounts/1/v1/instances" })
      assert.deepStrictEqual((yield* read("3,1,3,99")).body, [list[2], list[0]])
      const { body: other } = yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      assert.isString(other.api_key)
      const foreign = yield* fetchAs(app, other.api_key)
      assert.deepStrictEqual((yield* read(String(foreign))).body, [])
      const many = Array.from({ length: 51 }, (_, index) => index + 1).join(",")
      for (const ids of ["", "0", "1,", "a", "1 or 1", many]) {
        assert.strictEqual((yield* read(encodeURIComponent(ids))).status, 422, ids)
      }
    })))
})

/** Buys an instance with a key, and returns its id. */
const fetchAs = ({ origin }: TestApp, key: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${origin}/api/v1/instances`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ service_id: 1 })
    })
    return (await response.json() as { readonly id: number }).id
  })

describe("a read", () => {
  it.live("is compressed by what the browser takes, for the panel's own pages, above a size", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const small = yield* receive(app, LIST, headersOf(browser, "br"))
      assert.deepInclude(small.headers, { "content-length": "2" })
      assert.isUndefined(small.headers["content-encoding"])
      yield* buy(app, 5)
      for (const id of [1, 2, 3, 4, 5]) yield* deployed(app, id)
      const read = (accept: string, site?: string) => receive(app, LIST, headersOf(browser, accept, site))
      const plain = yield* read("identity")
      assert.isUndefined(plain.headers["content-encoding"])
      assert.strictEqual(plain.headers.vary, "accept-encoding")
      const [brotli, gzip] = [yield* read("gzip, br"), yield* read("gzip")]
      assert.deepStrictEqual([brotli.headers["content-encoding"], gzip.headers["content-encoding"]], ["br", "gzip"])
      assert.deepStrictEqual(brotliDecompressSync(brotli.body), plain.body)
      assert.deepStrictEqual(gunzipSync(gzip.body), plain.body)
      assert.isBelow(brotli.body.length, plain.body.length / 4)
      for (const site of ["cross-site", "same-site", "none"]) {
        assert.isUndefined((yield* read("br", site)).headers["content-encoding"], site)
      }
    })))

  it.live("is compressed for operators, too, but not a change, which may return a secret", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => app.control("POST", "/accounts", { email: `owner-${index}@example.test`, wallet: 1 })
      )
      const operator = yield* signInAs(app, "operator")
      const run = (name: string, body: object) =>
        operator.call({
          method: "POST",
          path: `/operator/commands/${name}`,
          body,
          headers: { "accept-encoding": "br" }
        })
      const list = yield* run("accounts.list", { after: 0, limit: 100 })
      assert.strictEqual(list.headers.get("content-encoding"), "br")
      const name = "n".repeat(255)
      const invited = yield* run("people.invite", { email: "x@example.test", name, role: "operator" })
      assert.include(invited.body.link, "#")
      assert.isNull(invited.headers.get("content-encoding"))
      const scopes = Array.from({ length: 300 }, () => "vps:read")
      const key = yield* run("keys.create", { account_id: 1, name, scopes })
      assert.isString(key.body.api_key)
      assert.isAbove(JSON.stringify(key.body).length, 2_048)
      assert.isNull(key.headers.get("content-encoding"))
    })))
})

describe("the event streams of a person", () => {
  it.live("are limited until one is closed; others are not affected", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp([], { VPS_SERVICE_EVENT_STREAMS_PER_PERSON_MAX: "3" })
      const browser = yield* signInAs(app, "customer")
      const again = yield* signInAs(app, "customer")
      // It ends with its scope.
      yield* Effect.scoped(Effect.replicateEffect(statusOf(app, browser), 3))
      yield* Effect.sleep("200 millis")
      yield* openEvents(browser)
      // Another session is the same person.
      yield* openEvents(again)
      const refusals = yield* Effect.all(
        Array.from({ length: 6 }, () => statusOf(app, browser)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(refusals.toSorted(), [200, 429, 429, 429, 429, 429])
      yield* openEvents(yield* signInAs(app, "operator"), "/operator/events")
    })))
})

/** Opens a stream and leaves it open until the scope ends. */
const statusOf = ({ origin }: TestApp, { cookie }: PanelBrowser) =>
  Effect.gen(function*() {
    const { signal } = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const headers = { cookie: `__Host-session=${cookie}`, "sec-fetch-site": "same-origin" }
    return yield* Effect.promise(async () =>
      (await fetch(`${origin}/panel/api/accounts/1/events`, { signal, headers })).status
    )
  })
