/** Passkeys without a browser: the options that a device receives, and which of its responses are accepted. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeLink } from "#service/people/Links"
import { creationOptions, requestOptions, type Returned, verifyCreation, verifyUse } from "#service/people/PasskeyUse"
import { identify, signInByLink } from "#service/people/SignIn"
import { Passkeys } from "#service/persistence/people/Passkeys"
import { People } from "#service/persistence/people/People"
import { Transaction } from "#service/persistence/Transaction"
import { Device } from "../support/authenticator.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { coreLayer } from "../support/service.ts"

const PARTY = { domain: "localhost", origin: "http://localhost:8080" }

const write = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(useCase))

/** A seeded person who has just signed in. */
const signedIn = Effect.fnUntraced(function*(email: string) {
  const found = yield* Effect.flatMap(People, (people) => people.findByEmail(email))
  const { token } = yield* write(makeLink(found!.id))
  const client = { browser: { address: "192.0.2.1", agent: "Test" }, requestId: null }
  return (yield* identify((yield* signInByLink(token, client))!))!
})

/** A device with a passkey of the seeded customer. */
const withPasskey = Effect.gen(function*() {
  const { person, session } = yield* signedIn("owner@example.test")
  const device = new Device()
  const created = device.create(yield* creationOptions(PARTY, person, session.id), PARTY)
  const key = (yield* verifyCreation(PARTY, session.id, created))!
  const record = { ...key, name: "Phone", personId: person.id, domain: PARTY.domain, createdAt: 0 }
  yield* write(Effect.flatMap(Passkeys, (passkeys) => passkeys.add(record)))
  return { device, key, person, session }
})

/** The response of a device to a new challenge, changed as an attacker might. */
const respond = Effect.fnUntraced(function*(device: Device, change: Readonly<Record<string, unknown>> = {}) {
  const credential = device.get(yield* requestOptions(PARTY), PARTY)
  return { ...credential, response: { ...credential.response, ...change } }
})

const use = (credential: Returned, sessionId: number | null = null) => verifyUse(PARTY, sessionId, credential)

describe("a new passkey", () => {
  it.effect("is stored on the device, unlocked by its person, and no second one of the same device", () =>
    Effect.gen(function*() {
      const { key, person, session } = yield* withPasskey
      assert.deepInclude(key, { counter: 0, transports: "internal", backedUp: false })
      const options = yield* creationOptions(PARTY, person, session.id)
      assert.deepInclude(options.user, { id: person.handle, name: person.email, displayName: person.name })
      assert.deepInclude(options.rp, { id: "localhost", name: "VPS panel" })
      assert.deepInclude(options.authenticatorSelection, { residentKey: "required", userVerification: "required" })
      assert.strictEqual(options.attestation, "none")
      assert.deepStrictEqual(options.pubKeyCredParams.map(({ alg }) => alg), [-8, -7, -257])
      const excluded = options.excludeCredentials!.map(({ id, transports }) => [id, transports])
      assert.deepStrictEqual(excluded, [[key.credential, ["internal"]]])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is refused for another session, another site, and without the person's confirmation", () =>
    Effect.gen(function*() {
      const { person, session } = yield* signedIn("owner@example.test")
      const attempt = Effect.fnUntraced(
        function*(browser: { readonly origin: string; readonly verified?: boolean }, id: number) {
          const created = new Device().create(yield* creationOptions(PARTY, person, session.id), browser)
          return (yield* verifyCreation(PARTY, id, created)) !== undefined
        }
      )
      assert.isFalse(yield* attempt(PARTY, session.id + 1))
      assert.isFalse(yield* attempt({ origin: "https://evil.example" }, session.id))
      assert.isFalse(yield* attempt({ ...PARTY, verified: false }, session.id))
      assert.isTrue(yield* attempt(PARTY, session.id))
    }).pipe(Effect.provide(coreLayer())))
})

describe("a sign-in by passkey", () => {
  it.effect("is not cut off by that of another browser, which begins meanwhile", () =>
    Effect.gen(function*() {
      const { device } = yield* withPasskey
      const first = yield* respond(device)
      const second = yield* respond(device)
      assert.isDefined(yield* use(first))
      assert.isDefined(yield* use(second))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("offers all keys of the device, and a confirmation those of its person", () =>
    Effect.gen(function*() {
      const { key, person, session } = yield* withPasskey
      const anyone = yield* requestOptions(PARTY)
      assert.deepInclude(anyone, { rpId: "localhost", userVerification: "required" })
      assert.isUndefined(anyone.allowCredentials)
      const own = yield* requestOptions(PARTY, { id: session.id, personId: person.id })
      assert.deepInclude(own.allowCredentials![0], { id: key.credential, transports: ["internal"] })
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is accepted within five minutes, and counts the uses of the key", () =>
    Effect.gen(function*() {
      const { device, person } = yield* withPasskey
      const { CHALLENGE_MILLIS } = DEFAULT_LIMITS
      const late = yield* respond(device)
      yield* TestClock.adjust(CHALLENGE_MILLIS)
      assert.isUndefined(yield* use(late))
      const last = yield* respond(device)
      yield* TestClock.adjust(CHALLENGE_MILLIS - 1)
      assert.strictEqual((yield* use(last))?.id, person.id)
      const [stored] = yield* Effect.flatMap(Passkeys, ({ ofPerson }) => ofPerson(person.id))
      assert.deepInclude(stored, { counter: 2, lastUsedAt: 2 * CHALLENGE_MILLIS - 1 })
    }).pipe(Effect.provide(coreLayer())))

  it.effect("may leave out whose key it is, and is refused when it names another person", () =>
    Effect.gen(function*() {
      const { device, person } = yield* withPasskey
      const other = yield* Effect.flatMap(People, (people) => people.findByEmail("operator@example.test"))
      const named = (userHandle: unknown) =>
        Effect.flatMap(respond(device, { userHandle }), (response) => Effect.map(use(response), (found) => found?.id))
      assert.deepStrictEqual(
        [yield* named(undefined), yield* named(null), yield* named(person.handle), yield* named(other!.handle)],
        [person.id, person.id, person.id, undefined]
      )
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is refused for an unknown key, a confirmation's challenge, and a malformed response", () =>
    Effect.gen(function*() {
      const { device, person, session } = yield* withPasskey
      assert.isUndefined(yield* use({ ...(yield* respond(device)), id: "unknown" }))
      const confirmation = device.get(yield* requestOptions(PARTY, { id: session.id, personId: person.id }), PARTY)
      assert.isUndefined(yield* use(confirmation))
      assert.strictEqual((yield* use(confirmation, session.id))?.id, person.id)
      const text = (value: string) => Buffer.from(value).toString("base64url")
      for (
        const clientDataJSON of [undefined, 5, "", text("no JSON"), text("null"), text("{}"), text("{\"challenge\":1}")]
      ) {
        assert.isUndefined(yield* use(yield* respond(device, { clientDataJSON })), String(clientDataJSON))
      }
      assert.isUndefined(yield* use(yield* respond(device, { signature: text("forged") })))
    }).pipe(Effect.provide(coreLayer())))
})
