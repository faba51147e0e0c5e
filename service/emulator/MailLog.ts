/** The latest mails that the emulator has sent, or would have sent without a mail server, for programs and tests. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Limits } from "../config/Limits.ts"
import type { SentMail } from "../contract/Emulator.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { type Mail, Mailer } from "../mail/Mailer.ts"

export class MailLog extends Context.Service<MailLog, {
  /** `at` in epoch milliseconds. */
  readonly record: (mail: Mail, at: number) => Effect.Effect<void>
  /** Oldest first. */
  readonly mails: Effect.Effect<ReadonlyArray<SentMail>>
  readonly clear: Effect.Effect<void>
}>()("@pulumi-vps/service/MailLog") {
  static readonly layer = Layer.effect(
    MailLog,
    Effect.map(Limits, ({ EMULATOR_MAILS }) => {
      let mails: ReadonlyArray<SentMail> = []
      return {
        record: ({ subject, text, to }, at) =>
          Effect.sync(() => {
            const mail = { at: toTimestamp(at), to, subject, text: Redacted.value(text) }
            mails = [...mails, mail].slice(-EMULATOR_MAILS)
          }),
        mails: Effect.sync(() => mails),
        clear: Effect.sync(() => {
          mails = []
        })
      }
    })
  )
}

/** Records each mail that a mailer has sent. */
export const recordMails = (mailer: Layer.Layer<Mailer, never, Limits>) =>
  Layer.effect(
    Mailer,
    Effect.gen(function*() {
      const { send } = yield* Mailer
      const { record } = yield* MailLog
      return Mailer.of({
        send: (mail) =>
          Effect.tap(send(mail), () => Effect.flatMap(Clock.currentTimeMillis, (now) => record(mail, now)))
      })
    })
  ).pipe(Layer.provide([mailer, MailLog.layer]))
