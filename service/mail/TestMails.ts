/** The mails with which operators try out the mail server. They wait and are sent as those to customers are. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { Config, type Values } from "../config/Config.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { Mails } from "../persistence/Mails.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"

/** The mail server of the settings, without its password; undefined if mail is only logged. */
export const mailServer = ({ emulator, smtpUrl }: Pick<Values, "emulator" | "smtpUrl">): string | undefined =>
  smtpUrl === "" ? emulator ? "the emulator's mailbox" : undefined : new URL(smtpUrl).host

/** The beginning of the events of tests with these settings: another server or sender has to be tried, too. */
const eventsOf = (server: string, from: string): string =>
  `test:${hash("sha256", JSON.stringify([server, from]), "hex").slice(0, 16)}:`

/** Writes a test mail, and has it sent; returns its id, or undefined without a mail server. */
export const postTest = Effect.fnUntraced(function*(to: string) {
  const config = yield* Config
  const server = mailServer(config)
  if (server === undefined) return undefined
  const mails = yield* Mails
  const at = yield* Clock.currentTimeMillis
  const mail = {
    event: `${eventsOf(server, config.mailFrom)}${to}:${at}`,
    kind: "test",
    accountId: null,
    instanceId: null,
    to,
    subject: "Test of the mail server",
    text: `This mail was written at ${
      toTimestamp(at)
    }, and sent by ${server}. Mails to customers arrive the same way.\n`
  } as const
  const id = yield* (yield* Transaction).run(mails.addForOwner(mail, at))
  yield* (yield* WorkerNotifier).notify
  return id
})

/** The mail server, and how it was tried with these settings. */
export const mailTrial = Effect.gen(function*() {
  const config = yield* Config
  const server = mailServer(config)
  if (server === undefined) return { server: null, from: config.mailFrom, last: undefined, isTried: false }
  const { lastTest } = yield* Mails
  const events = eventsOf(server, config.mailFrom)
  const last = yield* lastTest(events, false)
  const isTried = last !== undefined && (yield* lastTest(events, true)) !== undefined
  return { server, from: config.mailFrom, last, isTried }
})
