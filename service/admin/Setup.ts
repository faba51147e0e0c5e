/** The steps that a new installation still lacks before customers can buy, in the order of their taking. */
import * as Effect from "effect/Effect"
import { PlacesMachines } from "../catalogue/Capacity.ts"
import { Config } from "../config/Config.ts"
import { Payment } from "../config/Payment.ts"
import type { SetupStep } from "../contract/Words.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { mailTrial } from "../mail/TestMails.ts"
import { ORDERABLE } from "../persistence/catalogue/Plan.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { Hosts } from "../persistence/Hosts.ts"
import type { StoredMail } from "../persistence/Mails.ts"
import { OperatorLists } from "../persistence/OperatorLists.ts"
import { mailState } from "./commands/Mails.ts"

const trialRecord = (mail: StoredMail) => ({
  to: mail.to,
  at: toTimestamp(mail.sentAt ?? mail.createdAt),
  state: mailState(mail),
  error: mail.error
})

/** Null once nothing is missing. An emulator is paid by no customer, and its mailbox needs no server. */
export const setup = Effect.gen(function*() {
  const { emulator } = yield* Config
  const { dataCenters, offers, plans } = yield* (yield* Catalogue).read
  const { isTried, last, ...mail } = yield* mailTrial
  const hasPlan = plans.some(({ category, isActive }) => isActive && ORDERABLE.includes(category))
  const done: ReadonlyArray<readonly [SetupStep, boolean]> = [
    ["data_center", dataCenters.length > 0],
    ["image", offers.length > 0],
    ["plan", hasPlan],
    ...((yield* PlacesMachines) ? [["host", (yield* (yield* Hosts).list).length > 0] as const] : []),
    ...(emulator ? [] : [["payment", (yield* Payment) !== undefined] as const, ["mail", isTried] as const]),
    ["account", yield* (yield* OperatorLists).hasAccounts]
  ]
  if (done.every(([, isDone]) => isDone)) return null
  return {
    steps: done.map(([step, isDone]) => ({ step, done: isDone })),
    mail: { ...mail, last: last === undefined ? null : trialRecord(last) }
  }
})
