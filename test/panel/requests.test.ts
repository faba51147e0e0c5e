/** Requests to the panel: those of its own pages, their session, and their account. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fromWeb } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { TestClock } from "effect/testing"
import { originRejection, tokenOf, withoutSession, withSession } from "#service/panel/http/Cookie"
import { accountIn, assertFresh } from "#service/panel/http/Permission"
import type { Found } from "#service/panel/http/Handlers"
import type { Session } from "#service/persistence/people/Sessions"
import { DEFAULT_LIMITS, limitsLayer } from "../support/limits.ts"

const ORIGIN = "https://vps.example.com"
const JSON_TYPE = { "content-type": "application/json" }

const request = (method: string, headers: Readonly<Record<string, string>>) =>
  fromWeb(new Request(`${ORIGIN}/panel/api/x`, { method, headers }))

describe("a request that changes something", () => {
  it.each([
    ["GET", {}],
    ["HEAD", { "sec-fetch-site": "cross-site" }],
    ["POST", { ...JSON_TYPE, "sec-fetch-site": "same-origin" }],
    ["PUT", { "content-type": "Application/JSON; charset=utf-8", origin: ORIGIN }],
    ["POST", { "content-type": "application/json ;charset=utf-8", origin: ORIGIN }],
    ["DELETE", { origin: ORIGIN }]
  ])("passes as %s with %j", (method, headers) => {
    assert.isUndefined(originRejection(request(method, headers), [ORIGIN]))
  })

  it.each([
    ["POST", JSON_TYPE],
    ["DELETE", { origin: "https://evil.example" }],
    ["POST", { ...JSON_TYPE, origin: ORIGIN, "sec-fetch-site": "same-site" }]
  ])("must come from an own page: not %s with %j", (method, headers) => {
    assert.match(
      originRejection(request(method, headers), [ORIGIN])!,
      /^Only the panel's own pages.*--trusted-proxies\.$/
    )
  })

  it.each(["text/plain", "application/jsonp", "text/application/json", ""])("cannot be a form, of type %j", (type) => {
    const form = request("POST", { "content-type": type, origin: ORIGIN })
    assert.strictEqual(originRejection(form, [ORIGIN]), "Send the request with the content type application/json.")
  })
})

describe("the cookie of a session", () => {
  it.each([
    ["__Host-session=a", "a"],
    ["x=1;  __Host-session=a ; y=2", "a"],
    ["__Host-session=", undefined],
    ["session=a", undefined],
    ["x__Host-session=a", undefined],
    ["__Host-session=a; __Host-session=b", undefined]
  ])("is read from %j", (cookie, token) => {
    assert.strictEqual(tokenOf(request("GET", { cookie })), token)
  })

  it("is in no request without cookies", () => assert.isUndefined(tokenOf(request("GET", {}))))

  it("ends with the session", () => {
    const attributes = "Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age="
    const cookieOf = ({ headers }: HttpServerResponse.HttpServerResponse) => headers["set-cookie"]
    const response = HttpServerResponse.empty()
    assert.strictEqual(cookieOf(withSession(response, "t", 90_999)), `__Host-session=t; ${attributes}90`)
    assert.strictEqual(cookieOf(withoutSession(response)), `__Host-session=; ${attributes}0`)
  })
})

describe("the account of a path", () => {
  it.each([
    ["7", 7],
    ["999999999999999", 999_999_999_999_999],
    ["0", undefined],
    ["07", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["-1", undefined],
    ["9999999999999999", undefined],
    [undefined, undefined]
  ])("%j is %j", (account, expected) => {
    assert.strictEqual(accountIn({ params: { account } } as unknown as Found), expected)
  })
})

describe("a sign-in", () => {
  it.effect("is fresh for five minutes", () =>
    Effect.gen(function*() {
      const session = { freshAt: 0 } as Session
      yield* TestClock.adjust(DEFAULT_LIMITS.SESSION_FRESH_MILLIS - 1)
      yield* assertFresh({ session })
      yield* TestClock.adjust(1)
      const { reason, status } = yield* Effect.flip(assertFresh({ session }))
      assert.deepStrictEqual([status, reason], [403, "fresh_sign_in"])
    }).pipe(Effect.provide(limitsLayer())))
})
