/**
 * Links that sign a person in once: the first time, and when all passkeys are lost. The random tokens of links,
 * sessions and tickets have 256 bits, which cannot be guessed from their digest; only that is stored.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { hash, randomBytes } from "node:crypto"
import { RealClock } from "../runtime/Time.ts"
import { Config } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { Notices } from "../instances/Notices.ts"
import { People } from "../persistence/people/People.ts"
import { Sessions } from "../persistence/people/Sessions.ts"
import { PanelPort } from "./PanelPort.ts"
import { Transaction } from "../persistence/Transaction.ts"

const BYTES = 32

export const newToken = (): string => randomBytes(BYTES).toString("base64url")

export const digestOf = (token: string): string => hash("sha256", token, "hex")

/** Real time, in epoch milliseconds: advancing an emulator's clock must not sign people out. */
export const signInTime: Effect.Effect<number> = Effect.flatMap(
  RealClock,
  (real) => real === undefined ? Clock.currentTimeMillis : Effect.sync(() => real.currentTimeMillisUnsafe())
)

/** The page with the button. The token is in the fragment, which no server, proxy or log receives. */
const SIGN_IN_PAGE = "/panel/sign-in#"

/** The panel's address without a path: as configured, else on this computer, where passkeys need a name. */
export const panelOrigin = ({ panelUrl, port }: { readonly panelUrl: string; readonly port: number }): string =>
  panelUrl === "" ? `http://localhost:${port}` : new URL(panelUrl).origin

/** The same, in use cases: the port that the service really has. */
export const servedPanel = Effect.gen(function*() {
  const { panelUrl, port } = yield* Config
  return panelOrigin({ panelUrl, port: (yield* PanelPort).current ?? port })
})

export const linkTo = (origin: string, token: string): string => `${origin}${SIGN_IN_PAGE}${token}`

/** Adds a link of a person, in a transaction of the caller. */
const addLink = Effect.fnUntraced(function*(personId: number) {
  const sessions = yield* Sessions
  const now = yield* signInTime
  const expiresAt = now + (yield* Limits).SIGN_IN_LINK_MILLIS
  const token = newToken()
  yield* sessions.deleteExpiredLinks(now)
  yield* sessions.addLink(digestOf(token), personId, expiresAt)
  return { token, expiresAt }
})

/** Makes a link for a person, in a transaction of the caller; earlier ones become invalid. */
export const makeLink = Effect.fnUntraced(function*(personId: number) {
  yield* (yield* Sessions).dropLinks(personId)
  return yield* addLink(personId)
})

/** Mails a link to a person; returns false if it could not be sent, or no mail server is configured. */
export const sendLink = Effect.fnUntraced(function*(email: string, token: string, expiresAt: number) {
  const config = yield* Config
  const link = Redacted.make(linkTo(yield* servedPanel, token))
  return config.smtpUrl !== "" && (yield* (yield* Notices).linked({ email, link, expiresAt }))
})

/** E-mail addresses are compared without case: no two people differ in it only. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** True if the person got a link so short a time ago that another mail would be a flood. */
const hasNewLink = Effect.fnUntraced(function*(personId: number) {
  const { LINK_MAIL_PAUSE_MILLIS, SIGN_IN_LINK_MILLIS } = yield* Limits
  const newest = yield* (yield* Sessions).newestLink(personId)
  return newest !== undefined && newest - SIGN_IN_LINK_MILLIS > (yield* signInTime) - LINK_MAIL_PAUSE_MILLIS
})

/**
 * A new link of the person with an address. Undefined if there is none, or if it got one a moment ago; earlier links
 * stay valid, because a stranger may have requested this one.
 */
const requestLink = Effect.fnUntraced(function*(address: string) {
  const email = normalEmail(address)
  const person = yield* (yield* People).findByEmail(email)
  if (person === undefined) return undefined
  const made = yield* (yield* Transaction).run(Effect.gen(function*() {
    return (yield* hasNewLink(person.id)) ? undefined : yield* addLink(person.id)
  }))
  if (made === undefined) return undefined
  const link = Redacted.make(linkTo(yield* servedPanel, made.token))
  return { email, link, expiresAt: made.expiresAt }
})

/**
 * Mails a link to the person with an address, if there is one. All of it happens in the background: neither the time
 * nor a failure of the response may show whether the address is known.
 */
export const mailLink = Effect.fnUntraced(function*(address: string) {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof requestLink>>>()
  yield* (yield* Notices).requestedLink(Effect.provideContext(requestLink(address), context))
})
