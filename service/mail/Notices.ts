/** Mails customers in the background, from memory. A mail that cannot be sent is reported in the feed and dropped. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { Notices, type PasswordReset } from "../instances/Notices.ts"
import { Limits } from "../config/Limits.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type Mail, Mailer } from "./Mailer.ts"

const copyOf = ({ email, instanceId, password }: PasswordReset): Mail => ({
  to: email,
  subject: `New root password of instance ${instanceId}`,
  text: Redacted.make(
    `The root password of instance ${instanceId} was reset. It is now:\n\n${Redacted.value(password)}\n\n`
      + "Change it after you have logged in. If you did not request this, revoke your API keys.\n"
  )
})

const reportFailure = Effect.fnUntraced(function*({ caller, instanceId }: PasswordReset) {
  const tasks = yield* Tasks
  const at = yield* Clock.currentTimeMillis
  const entry = { instanceId, type: "reset_password", actor: "system", apiKeyId: caller.apiKeyId, at } as const
  const error = "A copy of the new root password could not be mailed to the account's owner."
  yield* (yield* Transaction).run(tasks.recordAudit({ ...entry, requestId: caller.requestId, status: "failed", error }))
})

/** Sends a notice, and reports when all attempts have failed or the service stops before. */
const deliver = Effect.fnUntraced(function*(notice: PasswordReset) {
  const mailer = yield* Mailer
  const { MAIL_PAUSE_MILLIS, MAIL_TRIES } = yield* Limits
  const again = { schedule: Schedule.spaced(MAIL_PAUSE_MILLIS), times: MAIL_TRIES - 1 }
  yield* Effect.retry(mailer.send(copyOf(notice)), again).pipe(
    Effect.tapError(({ reason }) => Effect.logWarning(`A mail to ${notice.email} could not be sent: ${reason}`)),
    Effect.onError(() => Effect.ignore(reportFailure(notice))),
    Effect.ignore
  )
})

const make = Effect.gen(function*() {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof deliver>>>()
  const fibers = yield* FiberSet.make<void>()
  return Notices.of({
    passwordReset: (notice) => Effect.asVoid(FiberSet.run(fibers, Effect.provideContext(deliver(notice), context)))
  })
})

export const layer: Layer.Layer<Notices, never, Limits | Mailer | Tasks | Transaction> = Layer.effect(Notices, make)
