/** The controls that show what happened: bookings, tasks, mails, and requests. */
import * as Effect from "effect/Effect"
import type { LedgerRecord } from "../contract/Emulator.ts"
import { toRecord } from "../instances/Read.ts"
import { verify } from "../ledger/Ledger.ts"
import { Journals } from "../persistence/Journals.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { type Controls, json } from "./Control.ts"
import { MailLog } from "./MailLog.ts"
import { RequestLog } from "./RequestLog.ts"

const showLedger = Effect.gen(function*() {
  const { balanced } = yield* verify
  const journals = yield* (yield* Journals).all
  return json(
    {
      balanced,
      journals: journals.map(({ entries, id, kind, reference }) => ({ id, kind, reference, entries }))
    } satisfies typeof LedgerRecord.Type
  )
})

const showTasks = Effect.gen(function*() {
  const tasks = yield* (yield* Tasks).all
  return json(tasks.map(toRecord).toReversed())
})

const showRequests = Effect.gen(function*() {
  return json(yield* (yield* RequestLog).requests)
})

const clearRequests = Effect.gen(function*() {
  yield* (yield* RequestLog).clear
  return json({ ok: true })
})

const showMails = Effect.gen(function*() {
  return json(yield* (yield* MailLog).mails)
})

const clearMails = Effect.gen(function*() {
  yield* (yield* MailLog).clear
  return json({ ok: true })
})

export const RECORDS: Controls = {
  "/ledger": { GET: () => showLedger },
  "/tasks": { GET: () => showTasks },
  "/mails": { GET: () => showMails, DELETE: () => clearMails },
  "/requests": { GET: () => showRequests, DELETE: () => clearRequests }
}
