/** Every call of the protocol as in `recorded.json`: its request, its response, and its messages to the user. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { grpc } from "#provider/plugin-host/Proto"
import { SCHEMA } from "../../../.config/providerSchema.ts"
import { FILE, record, ROWS } from "./record.ts"
import { row, secret, urn, WEB } from "./table.ts"
import { type CallRecord, Talk } from "./Talk.ts"
import { assertLike } from "../../support/like.ts"

const RECORDED = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, ReadonlyArray<CallRecord>>

it("every row of the table has been recorded, and nothing else", () => {
  assert.deepStrictEqual(Object.keys(RECORDED), Object.keys(ROWS))
})

describe("the plugin answers as recorded", () => {
  it.each(Object.entries(ROWS))("%s", async (name, row) => {
    assert.deepStrictEqual(JSON.parse(JSON.stringify(await record(row))), RECORDED[name])
  })
})

describe("the recorded responses", () => {
  const all = Object.values(RECORDED).flat()

  it("have no secret in an error, a reason, or a message", () => {
    const told = all.flatMap(({ answer, error, messages }) => [
      JSON.stringify(answer?.["FailuresList"] ?? ""),
      String(error?.["details"] ?? ""),
      ...messages ?? []
    ])
    assert.isAbove(told.length, 100)
    for (const text of told) assert.notMatch(text, /hunter2|vps_live_(?:secret|plain)/)
  })

  it("no answer replaces a provider, and none an Instance but for its generation", () => {
    const replaced = all.flatMap(({ answer, method, request }) =>
      answer?.["ReplacesList"] === undefined ? [] : [{ method, urn: request["urn"], by: answer["ReplacesList"] }]
    )
    assert.deepStrictEqual(replaced, [{ method: "diff", urn: WEB, by: ["generation"] }])
  })
})

const fields = (answer: CallRecord["answer"]) => (answer?.["Inputs"] ?? {}) as Record<string, unknown>

/** A request that is not a message of the protocol. */
const garbage = (address: string): Promise<{ code: number; details: string }> =>
  new Promise((resolve, reject) => {
    const client = new grpc.Client(address, grpc.credentials.createInsecure())
    const same = (bytes: Buffer): Buffer => bytes
    client.makeUnaryRequest("/pulumirpc.ResourceProvider/Check", same, same, Buffer.from([255, 255, 255]), (error) => {
      client.close()
      if (error === null) reject(new Error("garbage was answered"))
      else resolve({ code: error.code, details: error.details })
    })
  })

describe("one process", () => {
  it("survives bytes that are not a message, and handles the next call", async () => {
    const talk = await new Talk().open()
    try {
      await talk.begin()
      assert.strictEqual((await garbage(talk.address)).code, grpc.status.INTERNAL)
      assert.isUndefined((await talk.call("check", { urn: WEB, news: { serviceId: 1 } })).error)
    } finally {
      talk.close()
    }
  })

  it("returns the schema of the file beside it", async () => {
    const talk = await new Talk().open()
    try {
      const { answer } = await talk.call("getSchema", { version: 0 })
      assert.strictEqual(answer?.["Schema"], readFileSync(SCHEMA, "utf8"))
    } finally {
      talk.close()
    }
  })

  it("requests the account once, and not when service and key are those in the state", async () => {
    const talk = await new Talk().open()
    const news = { baseUrl: "https://a.example/api/v1", apiKey: secret("vps_live_one") }
    const requests = (): number => talk.env.count("whoami")
    try {
      talk.env.faults.fail("whoami", new Error("unavailable"))
      assert.deepStrictEqual(fields((await talk.call("checkConfig", { news })).answer), news)
      const inputs = fields((await talk.call("checkConfig", { news })).answer)
      assertLike(inputs, { ...news, __account: 1 })
      await talk.begin(inputs)
      await talk.call("check", { urn: WEB, news: { serviceId: 1 } })
      assert.strictEqual(requests(), 2)
      const later = await new Talk().open()
      assert.deepStrictEqual(fields((await later.call("checkConfig", { olds: inputs, news })).answer), inputs)
      assert.strictEqual(later.env.count("whoami"), 0)
      later.close()
    } finally {
      talk.close()
    }
  })

  it("keeps the settings of two connections apart", async () => {
    const talk = await new Talk().open()
    const other = talk.another()
    try {
      await talk.begin({ apiKey: secret("vps_live_one"), idempotencyScope: "one" })
      await other.begin({ apiKey: secret("vps_live_two"), idempotencyScope: "two" })
      const request = { urn: urn("Instance"), news: { serviceId: 1 } }
      const keys = [await talk.call("check", request), await other.call("check", request)]
        .map(({ answer }) => fields(answer)["__purchaseKey"])
      assert.strictEqual(new Set(keys).size, 2)
    } finally {
      other.close()
      talk.close()
    }
  })
})

describe("a secret input", () => {
  it("is in no message and in no error", async () => {
    const told = await record(row(async (talk) => {
      const hostname = secret("internal-1.example.com")
      const checked = await talk.call("check", { urn: WEB, news: { serviceId: 1, hostname } })
      const made = await talk.call("create", { urn: WEB, properties: checked.answer?.["Inputs"] })
      const news = { ...fields(checked.answer), hostname: secret("internal-2.example.com") }
      const olds = made.answer?.["Properties"]
      await talk.call("diff", { id: "1", urn: WEB, olds, oldInputs: fields(checked.answer), news })
      await talk.call("update", { id: "1", urn: WEB, olds, news, preview: true })
      await talk.call("update", { id: "1", urn: WEB, olds, news })
      await talk.call("check", { urn: WEB, news: { serviceId: 1, hostname: secret("not a host name") } })
    }))
    const texts = told.flatMap(({ answer, error, messages }) => [
      ...messages ?? [],
      JSON.stringify(answer?.["FailuresList"] ?? ""),
      JSON.stringify(error ?? "")
    ])
    assert.notDeepEqual(texts.filter((text) => text.includes("[secret]")), [])
    for (const text of texts) assert.notMatch(text, /internal-\d|not a host name/)
  })
})
