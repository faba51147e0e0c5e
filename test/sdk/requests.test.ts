/** The requests that each call sends through undici, and its result. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import nock from "nock"
import { Api } from "#contract/Api"
import { makeClient } from "#sdk/client/Client"
import { VERSION } from "#contract/Version"
import packageJson from "../../package.json" with { type: "json" }
import { operations } from "../support/operations.ts"
import { type Row, ROWS } from "./support/rows.ts"
import { fixedRandom } from "./support/scripted.ts"

const ORIGIN = "http://server.test"
const PREFIX = "/api/v1"

/** Sets up the exchanges of a row. Any other request fails. */
const prepare = ({ exchanges }: Row): Array<Headers> => {
  const received: Array<Headers> = []
  for (const { answer, body, on } of exchanges) {
    const [method = "", target = ""] = on.split(" ")
    const scope = nock(ORIGIN).intercept(PREFIX + target, method, body as nock.RequestBodyMatcher | undefined)
    if (answer === "broken") {
      scope.replyWithError(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }))
      continue
    }
    const [status, content, headers = {}] = answer
    scope.reply((request: Request) => {
      received.push(request.headers)
      return [status, content, headers]
    })
  }
  return received
}

const check = (row: Row) =>
  Effect.gen(function*() {
    nock.cleanAll()
    const received = prepare(row)
    const client = makeClient({ apiKey: "key-1", baseUrl: ORIGIN + PREFIX })
    const result = yield* Effect.result(row.call(client).pipe(fixedRandom(0)))
    yield* client.close
    assert.deepStrictEqual(nock.pendingMocks(), [], "every request of the row was sent")
    if (result._tag === "Failure") assert.deepInclude(result.failure, row.error ?? { _tag: "no error" })
    else {
      assert.isUndefined(row.error)
      if (row.data !== undefined) assert.deepStrictEqual(result.success.data, row.data)
      assert.deepInclude(result.success.response, row.response ?? {})
    }
    const answered = row.exchanges.filter(({ answer }) => answer !== "broken")
    received.forEach((headers, index) => {
      const expected = {
        authorization: "Bearer key-1",
        accept: "application/json",
        "user-agent": `pulumi-vps/${VERSION}`
      }
      for (const [name, value] of Object.entries({ ...expected, ...answered[index]?.headers })) {
        assert.strictEqual(headers.get(name), value, name)
      }
    })
    const keys = new Set(received.map((headers) => headers.get("idempotency-key")))
    assert.isAtMost(keys.size, 1, "one key on every attempt")
  })

describe("requests", () => {
  beforeAll(() => {
    if (!nock.isActive()) nock.activate()
    nock.disableNetConnect()
  })
  afterAll(() => {
    nock.cleanAll()
    nock.enableNetConnect()
    // Other files share this process: they must meet the real network.
    nock.restore()
  })

  it.live.each(ROWS)("$name", (row) => check(row))

  it("are those of the contract's endpoints", () => {
    const names: Array<string> = ["instances.dry_run"]
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint, group }) => void names.push(`${group.identifier}.${endpoint.identifier}`)
    })
    assert.sameMembers(Object.keys(operations), names)
  })

  it.each(Object.entries(operations))("cover %s", (name, { method, path }) => {
    const target = path.replace(/:\w+/g, "\\d+") +
      (name === "instances.dry_run" ? "\\?dry_run=true" : "(\\?(?!dry_run).*)?")
    const form = new RegExp(`^${method} ${target}$`)
    const rows = ROWS.filter(({ exchanges }) => exchanges.some(({ on }) => form.test(on)))
    assert.isNotEmpty(rows)
  })

  it("carry the version of the package", () => {
    assert.strictEqual(VERSION, packageJson.version)
  })
})
