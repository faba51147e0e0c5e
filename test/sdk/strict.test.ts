/** `decode: "strict"` checks responses against the contract. Errors name the field but not its value. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ClientOptions } from "#sdk/client/options/Options"
import { script, type Step } from "./support/scripted.ts"

const strict: ClientOptions = { decode: "strict" }
const plan = { id: 1, name: "VPS S", slug: "vps-s", price: 4.99, billing_cycle: "monthly", category: "vps" }
const action = { ok: true, action: "stop", status: "stopping", task_id: 3 }
const answering = (body: unknown, status = 200) => script([{ status, body } satisfies Step], strict)

const failure = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.flip(call) as unknown as Effect.Effect<{
    readonly _tag: string
    readonly field?: string
    readonly message: string
  }>

describe("a strict client", () => {
  it.live("accepts a response that matches the contract", () =>
    Effect.gen(function*() {
      const { data } = yield* answering([plan]).client.services.list()
      assert.deepStrictEqual(data, [plan])
    }))

  it.live("accepts unknown fields and instance statuses", () =>
    Effect.gen(function*() {
      const newer = { ...action, status: "brewing", of_a_newer_server: { kept: true } }
      const { data } = yield* answering(newer).client.power.stop(7)
      assert.deepStrictEqual(data, newer)
    }))

  const mismatches: ReadonlyArray<readonly [string, unknown, string, RegExp]> = [
    ["a field of another type", [plan, { ...plan, price: "4.99" }], "[1].price", /Expected/],
    ["a field that is missing", [{ ...plan, slug: undefined }], "[0].slug", /Missing/],
    ["a field further in", [{ ...plan, specs: { vcpu: "two" } }], "[0].specs.vcpu", /Expected/],
    ["a list that is wrapped", { items: [plan] }, "", /Expected array/]
  ]
  it.live.each(mismatches)("rejects %s", ([, body, field, problem]) =>
    Effect.gen(function*() {
      const error = yield* failure(answering(body).client.services.list())
      assert.deepStrictEqual([error._tag, error.field], ["DecodeError", field])
      assert.match(error.message, problem)
      assert.include(
        error.message,
        `200 GET /services: ${field === "" ? "the response" : field} does not match the contract`
      )
    }))

  it.live("rejects an unknown status, and a body that is not JSON", () =>
    Effect.gen(function*() {
      const other = yield* failure(answering(action, 202).client.power.stop(7))
      assert.match(other.message, /the contract has no response 202/)
      const text = yield* failure(script([{ status: 200, text: "<html>" }], strict).client.power.stop(7))
      assert.match(text.message, /Expected a JSON object/)
    }))

  it.live("checks a create and its dry run each against its own schema", () =>
    Effect.gen(function*() {
      const error = yield* failure(answering({ id: 7 }, 201).client.instances.create({ service_id: 1 }))
      assert.strictEqual(error.field, "user_id")
      const dry = yield* failure(answering({ dry_run: true }).client.instances.dryRun({ service_id: 1 }))
      assert.strictEqual(dry.field, "would_create")
    }))

  it.live("never shows the response", () =>
    Effect.gen(function*() {
      const secret = "hunter2-hunter2"
      const error = yield* failure(
        answering({ ok: secret, action: "reset_password", provider_id: "p", password: { secret }, show_once: true })
          .client.instances.resetPassword(7)
      )
      assert.strictEqual(error._tag, "DecodeError")
      assert.notInclude(error.message + JSON.stringify(error), secret)
    }))
})

describe("decode", () => {
  it.live("is tolerant by default", () =>
    Effect.gen(function*() {
      const { data } = yield* script([{ status: 200, body: { items: [{ id: 1 }] } }]).client.services.list()
      assert.deepStrictEqual(data, [{ id: 1 }] as never)
    }))

  it.live("rejects an unknown value, which a program without types may pass", () =>
    Effect.gen(function*() {
      const server = script([{ status: 200, body: [] }], { decode: "Strict" as "strict" })
      const error = yield* Effect.flip(server.client.services.list())
      assert.deepStrictEqual([error._tag, server.sent.length], ["ConfigurationError", 0])
    }))
})
