/** `decode: "strict"`: answers are held against the contract, and a breach names its field and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ClientOptions } from "#sdk/client/options/Options"
import { script, type Step } from "./support/scripted.ts"

const strict: ClientOptions = { decode: "strict" }
const plan = { id: 1, name: "VPS S", slug: "vps-s", price: 4.99, billing_cycle: "monthly", category: "vps" }
const action = { ok: true, action: "stop", status: "stopping", task_id: 3 }
const answering = (body: unknown, status = 200) => script([{ status, body } satisfies Step], strict)

const breach = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.flip(call) as unknown as Effect.Effect<{
    readonly _tag: string
    readonly field?: string
    readonly message: string
  }>

describe("decode: strict", () => {
  it.live("lets through what is as the contract says", () =>
    Effect.gen(function*() {
      const { data } = yield* answering([plan]).core.services.list()
      assert.deepStrictEqual(data, [plan])
    }))

  it.live("keeps fields that the contract does not know, and statuses", () =>
    Effect.gen(function*() {
      const newer = { ...action, status: "brewing", of_a_newer_host: { kept: true } }
      const { data } = yield* answering(newer).core.power.stop(7)
      assert.deepStrictEqual(data, newer)
    }))

  const breaches: ReadonlyArray<readonly [string, unknown, string, RegExp]> = [
    ["a field of another type", [plan, { ...plan, price: "4.99" }], "[1].price", /Expected/],
    ["a field that is missing", [{ ...plan, slug: undefined }], "[0].slug", /Missing/],
    ["a field further in", [{ ...plan, specs: { vcpu: "two" } }], "[0].specs.vcpu", /Expected/],
    ["a list that is wrapped", { items: [plan] }, "", /Expected array/]
  ]
  it.live.each(breaches)("refuses %s", ([, body, field, problem]) =>
    Effect.gen(function*() {
      const error = yield* breach(answering(body).core.services.list())
      assert.deepStrictEqual([error._tag, error.field], ["DecodeError", field])
      assert.match(error.message, problem)
      assert.include(
        error.message,
        `200 GET /services: ${field === "" ? "the response" : field} does not match the contract`
      )
    }))

  it.live("refuses a status that the contract does not know, and what is no JSON", () =>
    Effect.gen(function*() {
      const other = yield* breach(answering(action, 202).core.power.stop(7))
      assert.match(other.message, /the contract has no response 202/)
      const text = yield* breach(script([{ status: 200, text: "<html>" }], strict).core.power.stop(7))
      assert.match(text.message, /Expected a JSON object/)
    }))

  it.live("holds a create and its dry run each against its own answer", () =>
    Effect.gen(function*() {
      const error = yield* breach(answering({ id: 7 }, 201).core.instances.create({ service_id: 1 }))
      assert.strictEqual(error.field, "user_id")
      const dry = yield* breach(answering({ dry_run: true }).core.instances.dryRun({ service_id: 1 }))
      assert.strictEqual(dry.field, "would_create")
    }))

  it.live("never says what the answer holds", () =>
    Effect.gen(function*() {
      const secret = "hunter2-hunter2"
      const error = yield* breach(
        answering({ ok: secret, action: "reset_password", provider_id: "p", password: { secret }, show_once: true })
          .core.instances.resetPassword(7)
      )
      assert.strictEqual(error._tag, "DecodeError")
      assert.notInclude(error.message + JSON.stringify(error), secret)
    }))
})

describe("decode", () => {
  it.live("is tolerant unless told otherwise", () =>
    Effect.gen(function*() {
      const { data } = yield* script([{ status: 200, body: { items: [{ id: 1 }] } }]).core.services.list()
      assert.deepStrictEqual(data, [{ id: 1 }] as never)
    }))

  it.live("refuses a word it does not know, of a program without types", () =>
    Effect.gen(function*() {
      const host = script([{ status: 200, body: [] }], { decode: "Strict" as "strict" })
      const error = yield* Effect.flip(host.core.services.list())
      assert.deepStrictEqual([error._tag, host.sent.length], ["ConfigurationError", 0])
    }))
})
