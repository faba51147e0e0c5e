/** The operators' commands for mails: list, show, retry. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MAILS_USE_CASES } from "#service/admin/commands/Mails"
import { Mailbox } from "../support/mailbox.ts"
import { buy, elapse, serviceLayer } from "../support/service.ts"

const { "mails.list": list, "mails.retry": retry, "mails.show": show } = MAILS_USE_CASES

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const HOUR = 3_600_000

describe("the commands for mails", () => {
  it.effect("list what waits with the reason, and send it at once", () =>
    Effect.gen(function*() {
      const box = yield* Mailbox
      box.refusals = Number.POSITIVE_INFINITY
      const { id } = yield* buy({ hostname: "web" })
      yield* elapse(HOUR, 60_000)
      const [mail] = yield* list({ state: "waiting", limit: 9 })
      assert.deepInclude(mail, {
        kind: "ordered",
        account_id: 1,
        instance_id: id,
        to: "owner@example.test",
        state: "waiting",
        sent_at: null,
        error: "no"
      })
      assert.isAbove(mail!.attempts, 2)
      assert.include((yield* show({ id: mail!.id })).text, "You have ordered web")
      box.refusals = 0
      yield* retry({ id: mail!.id })
      // The worker pauses after failures.
      yield* elapse(HOUR, 60_000)
      assert.lengthOf(box.confirmations, 1)
      assert.deepInclude((yield* list({ account_id: 1, limit: 9 }))[0], { state: "sent", due_at: null, error: null })
      assert.deepStrictEqual(yield* list({ state: "waiting", limit: 9 }), [])
      assert.include(yield* refusal(retry({ id: mail!.id })), `Mail ${mail!.id} was sent at `)
      assert.include(yield* refusal(retry({ id: 99 })), "99")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("send one again whose address was refused", () =>
    Effect.gen(function*() {
      const box = yield* Mailbox
      box.refused = "owner@example.test"
      yield* buy()
      yield* elapse(2_000)
      const [mail] = yield* list({ state: "failed", limit: 9 })
      assert.deepInclude(mail, { state: "failed", due_at: null, error: "no such address" })
      box.refused = undefined
      assert.deepInclude(yield* retry({ id: mail!.id }), { state: "waiting" })
      yield* elapse(2_000)
      assert.lengthOf(box.confirmations, 1)
    }).pipe(Effect.provide(serviceLayer())))
})
