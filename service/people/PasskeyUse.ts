/** The use cases of passkeys: challenges, verification, and what a person has. Challenges are valid once. */
import * as Effect from "effect/Effect"
import { missing, reject } from "../auth/Rejected.ts"
import { Limits } from "../config/Limits.ts"
import { Passkeys } from "../persistence/people/Passkeys.ts"
import { People, type Person } from "../persistence/people/People.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type By, recordBy } from "./Actor.ts"
import { digestOf, newToken, signInTime } from "./Links.ts"
import type { Party } from "./WebAuthn.ts"

// Computed, so that the bundler leaves it alone: the programs share one bundle of it.
const LIBRARY: string = "#service/people/WebAuthn"

const library = Effect.promise(() => import(LIBRARY) as Promise<typeof import("./WebAuthn.ts")>)

/** Creates a challenge of a session; null is a sign-in. */
const challengeFor = Effect.fnUntraced(function*(sessionId: number | null) {
  const { CHALLENGE_MILLIS } = yield* Limits
  const passkeys = yield* Passkeys
  const now = yield* signInTime
  const challenge = newToken()
  const stored = passkeys.challenge(digestOf(challenge), sessionId, now, now + CHALLENGE_MILLIS)
  yield* (yield* Transaction).run(stored)
  return challenge
})

/** The challenge that a device has signed, by its own word; empty if the response is malformed. */
const claimedChallenge = (response: unknown): string => {
  try {
    const { clientDataJSON } = response as { readonly clientDataJSON: string }
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString())
    const { challenge } = data as { readonly challenge: unknown }
    return typeof challenge === "string" ? challenge : ""
  } catch {
    return ""
  }
}

/** The credential that a browser returns, not yet verified. */
export interface Returned {
  readonly id: string
  readonly response: Readonly<Record<string, unknown>>
}

/** Uses up the challenge of a response; undefined if it is not one of ours, of this session, and still valid. */
const takeChallenge = Effect.fnUntraced(function*({ response }: Returned, sessionId: number | null) {
  const challenge = claimedChallenge(response)
  const take = (yield* Passkeys).takeChallenge(digestOf(challenge), sessionId, yield* signInTime)
  return (yield* (yield* Transaction).run(take)) ? challenge : undefined
})

/** The options of a sign-in, or with a session, of a confirmation by its person. */
export const requestOptions = Effect.fnUntraced(function*(
  party: Party,
  session?: { readonly id: number; readonly personId: number }
) {
  const keys = session === undefined ? [] : yield* (yield* Passkeys).ofPerson(session.personId)
  const challenge = yield* challengeFor(session?.id ?? null)
  const lib = yield* library
  return yield* Effect.promise(() => lib.requestOptions(party, challenge, keys))
})

/** True if the response names no person, or the one of the key. Devices that store the key name it. */
const namesOwner = ({ response }: Returned, owner: Person): boolean => {
  const { userHandle } = response
  return userHandle === undefined || userHandle === null || userHandle === owner.handle
}

/** The person whose passkey signed the challenge of the session, or with null, of a sign-in; else undefined. */
export const verifyUse = Effect.fnUntraced(function*(party: Party, sessionId: number | null, credential: Returned) {
  const passkeys = yield* Passkeys
  const challenge = yield* takeChallenge(credential, sessionId)
  const key = yield* passkeys.findByCredential(credential.id)
  if (challenge === undefined || key === undefined) return undefined
  const owner = yield* (yield* People).find(key.personId)
  if (owner === undefined || !namesOwner(credential, owner)) return undefined
  const lib = yield* library
  const counter = yield* Effect.promise(() => lib.verifyUse(party, challenge, key, credential))
  if (counter === undefined) return undefined
  yield* (yield* Transaction).run(passkeys.use(key.id, counter, yield* signInTime))
  return owner
})

/** The options of a new passkey. */
export const creationOptions = Effect.fnUntraced(function*(party: Party, person: Person, sessionId: number) {
  const { PASSKEYS_PER_PERSON_MAX: max } = yield* Limits
  const existing = yield* (yield* Passkeys).ofPerson(person.id)
  if (existing.length >= max) {
    return yield* reject("conflict", `You have ${max} passkeys, the most that are possible. Remove one first.`)
  }
  const challenge = yield* challengeFor(sessionId)
  const { email, handle, name } = person
  const lib = yield* library
  return yield* Effect.promise(() => lib.creationOptions({ party, challenge, handle, email, name, existing }))
})

/** The public half of a new key; undefined if the response is not valid. */
export const verifyCreation = Effect.fnUntraced(function*(party: Party, sessionId: number, credential: Returned) {
  const challenge = yield* takeChallenge(credential, sessionId)
  if (challenge === undefined) return undefined
  const lib = yield* library
  return yield* Effect.promise(() => lib.verifyCreation(party, challenge, credential))
})

interface NewPasskey {
  readonly name: string
  readonly credential: Returned
}

/** Adds a passkey that a device of the person has made for a challenge of the session. */
export const addPasskey = Effect.fnUntraced(
  function*(party: Party, { credential, name }: NewPasskey, by: By & { readonly session: { readonly id: number } }) {
    const verified = yield* verifyCreation(party, by.session.id, credential)
    if (verified === undefined) return yield* reject("forbidden", "This passkey is not accepted. Try again.")
    const passkeys = yield* Passkeys
    const key = { ...verified, personId: by.person.id, domain: party.domain, name, createdAt: yield* signInTime }
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      if ((yield* passkeys.findByCredential(key.credential)) !== undefined) {
        return yield* reject("conflict", "This passkey is stored already.")
      }
      const id = yield* passkeys.add(key)
      yield* recordBy(by, { action: "passkeys.add", details: { id, name } })
      return { ...key, id, lastUsedAt: null }
    }))
  }
)

export const renamePasskey = Effect.fnUntraced(function*(id: number, name: string, { person }: By) {
  const renamed = yield* (yield* Transaction).run((yield* Passkeys).rename(id, person.id, name))
  if (!renamed) return yield* missing("Passkey")
})

export const removePasskey = Effect.fnUntraced(function*(id: number, by: By) {
  const passkeys = yield* Passkeys
  yield* (yield* Transaction).run(Effect.gen(function*() {
    if (!(yield* passkeys.remove(id, by.person.id))) return yield* missing("Passkey")
    yield* recordBy(by, { action: "passkeys.remove", details: { id } })
  }))
})
