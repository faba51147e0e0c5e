/** The commands for mails that wait to be sent, and those that were. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { MAIL_STATES } from "../../contract/Words.ts"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Timestamp.ts"
import { awaitSent } from "../../mail/Outbox.ts"
import { postTest } from "../../mail/TestMails.ts"
import { Mails, type StoredMail } from "../../persistence/Mails.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { notFound, reject } from "../Input.ts"
import { addFacts, CallerLeft, type UseCases } from "../UseCases.ts"

export const mailState = ({ dueAt, sentAt }: StoredMail): typeof MAIL_STATES[number] =>
  sentAt !== null ? "sent" : dueAt === null ? "failed" : "waiting"

const toRecord = (mail: StoredMail) => ({
  id: mail.id,
  created_at: toTimestamp(mail.createdAt),
  kind: mail.kind,
  account_id: mail.accountId,
  instance_id: mail.instanceId,
  to: mail.to,
  subject: mail.subject,
  state: mailState(mail),
  attempts: mail.attempts,
  due_at: toOptionalTimestamp(mail.dueAt),
  sent_at: toOptionalTimestamp(mail.sentAt),
  error: mail.error
} as const)

const listMails = Effect.fnUntraced(function*({ account_id, before, limit, state }: InputOf<"mails.list">) {
  const filter = { accountId: account_id ?? null, state: state ?? null, before: before ?? null }
  return (yield* (yield* Mails).list(filter, limit)).map(toRecord)
})

const findMail = Effect.fnUntraced(function*(id: number) {
  const mail = yield* (yield* Mails).find(id)
  return mail === undefined ? yield* notFound("mail", id) : mail
})

const showMail = Effect.fnUntraced(function*({ id }: InputOf<"mails.show">) {
  const mail = yield* findMail(id)
  return { ...toRecord(mail), text: mail.text }
})

const retryMail = Effect.fnUntraced(function*({ id }: InputOf<"mails.retry">) {
  const mails = yield* Mails
  const at = yield* Clock.currentTimeMillis
  const retried = yield* (yield* Transaction).run(Effect.gen(function*() {
    const { accountId, sentAt } = yield* findMail(id)
    if (sentAt !== null) return yield* reject(`Mail ${id} was sent at ${toTimestamp(sentAt)}.`)
    if (!(yield* mails.again(id, at))) return yield* reject(`Mail ${id} is being sent. Look again in a minute.`)
    yield* addFacts({ account_id: accountId })
    return yield* findMail(id)
  }))
  yield* (yield* WorkerNotifier).notify
  return toRecord(retried)
})

const NO_SERVER = "There is no mail server, so mail is only logged. Set smtp-url (VPS_SERVICE_SMTP_URL) and mail-from, "
  + "and restart the service."

const testMail = Effect.fnUntraced(function*({ to }: InputOf<"mails.test">) {
  const id = yield* postTest(to)
  if (id === undefined) return yield* reject(NO_SERVER)
  if (id === 0) return yield* reject("A test mail to this address was written just now. Try again.")
  yield* awaitSent([id], yield* CallerLeft)
  return toRecord(yield* findMail(id))
})

export const MAILS_USE_CASES = {
  "mails.list": listMails,
  "mails.show": showMail,
  "mails.retry": retryMail,
  "mails.test": testMail
} satisfies UseCases
