/** Mail without a mail server, and what there is mail about at all. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { resetPassword } from "#service/operations/ResetPassword"
import { operate } from "#service/operations/Power"
import { reinstall } from "#service/operations/Reinstall"
import { resize } from "#service/operations/Resize"
import { createSnapshot } from "#service/operations/Snapshots"
import { logMailer } from "#service/mail/Mailers"
import { Mailer } from "#service/mail/Mailer"
import { Rejected } from "#service/provisioning/Driver"
import { at, emptyWallet, until } from "../support/billing.ts"
import { operationTime, running, waited } from "../support/instances.ts"
import { Mailbox } from "../support/mailbox.ts"
import { buy, deployTime, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

describe("mail", () => {
  it.effect("leaves recipient and subject in the log where there is no mail server, and never the text", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      const mail = { to: "owner@example.test", subject: "New root password", text: Redacted.make("correct-horse") }
      const send = Effect.flatMap(Mailer, (mailer) => mailer.send(mail))
      yield* Effect.provide(send, Layer.merge(logMailer, logger))
      assert.deepStrictEqual(lines.map((line) => JSON.parse(line).message), [
        "Mail to owner@example.test: New root password"
      ])
      assert.notInclude(lines.join(), "correct-horse")
    }))

  it.effect("is for new passwords and for what costs money or data, and for nothing else that happens", () =>
    Effect.gen(function*() {
      const { received } = yield* Mailbox
      const id = yield* running()
      for (
        const act of [
          operate(owner, id, "stop"),
          operate(owner, id, "start"),
          reinstall(owner, id, { os: "debian-13", password: "correct-horse" }),
          resize(owner, id, 2),
          createSnapshot(owner, id, "one")
        ]
      ) {
        yield* act
        yield* operationTime
      }
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no capacity" }))
      yield* buy()
      yield* deployTime
      yield* emptyWallet(0)
      const { expires_at: end } = yield* show(id)
      yield* waited(resetPassword(owner, id))
      yield* until(at(end!))
      assert.strictEqual((yield* show(id)).status, "expired")
      assert.deepStrictEqual(received.map(({ subject, to }) => [to, subject]), [
        ["owner@example.test", `The deployment of instance ${id + 1} failed`],
        ["owner@example.test", `New root password of web.example.test (instance ${id})`],
        [
          "owner@example.test",
          `web.example.test (instance ${id}) has expired, and will be deleted on February 8, 1970 at 00:00 UTC`
        ]
      ])
    }).pipe(Effect.provide(serviceLayer())))
})
