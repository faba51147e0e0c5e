/** People, their memberships, links, sessions, passkeys, and the SSH keys of their accounts. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Accounts } from "#service/persistence/Accounts"
import { Contracts } from "#service/persistence/Contracts"
import { Mails } from "#service/persistence/Mails"
import { Overview } from "#service/persistence/Overview"
import { Invitations } from "#service/persistence/people/Invitations"
import { Passkeys } from "#service/persistence/people/Passkeys"
import { People } from "#service/persistence/people/People"
import { Sessions } from "#service/persistence/people/Sessions"
import { SshKeys } from "#service/persistence/people/SshKeys"
import { account, NOW } from "./Fixtures.ts"
import { isRefused, type Rules } from "./Rules.ts"

const person = (name: string, role: "customer" | "operator" = "customer") =>
  Effect.flatMap(
    People,
    (people) => people.create({ email: `${name}@example.test`, name, role, handle: `h-${name}`, createdAt: NOW })
  )

const session = (personId: number, digest: string, at = NOW) =>
  Effect.flatMap(
    Sessions,
    (sessions) => sessions.create({ personId, method: "link", address: "a", agent: "b", digest, at })
  )

export const people: Rules = {
  "get the mails that they choose, and the owner all that they did not turn off": Effect.gen(function*() {
    const [mails, people] = [yield* Mails, yield* People]
    const accountId = yield* account()
    const { email } = (yield* (yield* Accounts).find(accountId))!
    const owner = yield* people.create({ email, name: "owner", role: "customer", handle: "h-owner", createdAt: NOW })
    const member = yield* person("mia")
    yield* Effect.forEach([owner, member], (id) => people.join(id, accountId, NOW))
    const sent = Effect.fnUntraced(function*(event: string) {
      const mail = { event, kind: "ordered", accountId, instanceId: null, to: email, subject: "s", text: "t" } as const
      yield* mails.add(mail, NOW)
      yield* mails.add(mail, NOW)
      const all = yield* mails.list({ accountId, state: null, before: null }, 9)
      return all.filter((one) => one.event.startsWith(event)).map(({ to }) => to).toSorted()
    })
    const choose = (id: number, isWanted: boolean) => mails.choose(id, accountId, { kind: "ordered", isWanted })
    assert.deepStrictEqual(yield* sent("a"), [email])
    yield* choose(member, true)
    assert.deepStrictEqual(yield* sent("b"), [email, "mia@example.test"].toSorted())
    yield* choose(owner, false)
    assert.deepStrictEqual(yield* sent("c"), ["mia@example.test"])
    assert.deepStrictEqual(yield* mails.choices(owner, accountId), [{ kind: "ordered", isWanted: false }])
    yield* people.leave(member, accountId)
    assert.deepStrictEqual(yield* mails.choices(member, accountId), [])
    assert.deepStrictEqual(yield* sent("d"), [])
    const contracts = yield* Contracts
    assert.deepStrictEqual([yield* contracts.open(accountId), yield* contracts.ended(accountId, 0, 9)], [[], []])
    const overview = yield* Overview
    assert.deepStrictEqual([yield* overview.expired, yield* overview.renewalsOf([accountId], NOW)], [[], []])
  }),
  "have one address each, and join accounts once": Effect.gen(function*() {
    const people = yield* People
    const accountId = yield* account()
    const id = yield* person("ann")
    assert.deepStrictEqual(yield* people.findByEmail("ann@example.test"), yield* people.find(id))
    assert.deepStrictEqual((yield* people.findByHandle("h-ann"))?.id, id)
    assert.isTrue(yield* isRefused(person("ann")))
    assert.isFalse(yield* people.isMember(id, accountId))
    assert.deepStrictEqual([yield* people.join(id, accountId, NOW), yield* people.join(id, accountId, NOW)], [
      true,
      false
    ])
    assert.deepStrictEqual((yield* people.accountsOf(id)).map((one) => one.id), [accountId])
    assert.deepStrictEqual((yield* people.list(accountId, 9)).map((one) => one.id), [id])
    assert.deepStrictEqual([yield* people.leave(id, accountId), yield* people.leave(id, accountId)], [true, false])
    assert.deepStrictEqual(yield* people.list(accountId, 9), [])
  }),

  "are not members of a closed account until it is opened again": Effect.gen(function*() {
    const [people, accounts] = [yield* People, yield* Accounts]
    const [open, closed, id] = [yield* account(), yield* account({ email: "b@example.test" }), yield* person("ada")]
    for (const one of [open, closed]) yield* people.join(id, one, NOW)
    yield* accounts.setClosed(closed, NOW)
    assert.deepStrictEqual((yield* people.accountsOf(id)).map((one) => one.id), [open])
    assert.deepStrictEqual([yield* people.isMember(id, open), yield* people.isMember(id, closed)], [true, false])
    yield* accounts.setClosed(closed, null)
    assert.isTrue(yield* people.isMember(id, closed))
  }),

  "have invitations by address, one for each account, which limit mails also when they are withdrawn": Effect.gen(
    function*() {
      const invitations = yield* Invitations
      const accountId = yield* account()
      const base = {
        accountId,
        name: null,
        role: "customer",
        permission: "read",
        invitedBy: "a@example.test"
      } as const
      const send = (email: string, at: number, digest: string) =>
        invitations.send({ ...base, email, digest, sentAt: at, expiresAt: at + 5 })
      yield* send("n@example.test", NOW, "i-1")
      const id = yield* send("n@example.test", NOW + 1, "i-2")
      const operator = yield* invitations.send({
        ...base,
        accountId: null,
        role: "operator",
        email: "n@example.test",
        digest: "i-3",
        sentAt: NOW,
        expiresAt: NOW + 5
      })
      assert.isUndefined(yield* invitations.findByDigest("i-1", NOW))
      assert.deepInclude(yield* invitations.findByDigest("i-2", NOW + 5), { ...base, id, account: "a@example.test" })
      assert.isUndefined(yield* invitations.findByDigest("i-2", NOW + 6), "expired")
      const of = Effect.map(invitations.ofAddress("n@example.test", NOW), (all) => all.map((one) => one.id))
      assert.deepStrictEqual(yield* of, [id, operator])
      yield* Effect.flatMap(Accounts, ({ setClosed }) => setClosed(accountId, NOW))
      assert.deepStrictEqual(yield* of, [operator], "of a closed account")
      assert.deepStrictEqual((yield* invitations.list(accountId, 9)).map((one) => one.id), [id])
      assert.deepStrictEqual((yield* invitations.list(null, 9)).length, 2)
      assert.strictEqual(yield* invitations.countOthers(accountId, NOW, "o@example.test"), 1)
      assert.strictEqual(yield* invitations.countOthers(accountId, NOW, "n@example.test"), 0)
      assert.deepStrictEqual([yield* invitations.withdraw(id, NOW), yield* invitations.withdraw(id, NOW)], [
        true,
        false
      ])
      assert.isUndefined(yield* invitations.find(id))
      assert.strictEqual(yield* invitations.lastSent(accountId, "n@example.test"), NOW + 1)
      assert.strictEqual(yield* invitations.countSent(accountId, NOW), 1)
      yield* invitations.deleteSentBefore(NOW + 2)
      assert.isUndefined(yield* invitations.lastSent(accountId, "n@example.test"))
      assert.isFalse(yield* invitations.remove(operator))
    }
  ),

  "use a link once, before its end": Effect.gen(function*() {
    const sessions = yield* Sessions
    const id = yield* person("cid")
    yield* sessions.addLink("one", id, NOW + 5)
    yield* sessions.addLink("two", id, NOW + 7)
    assert.strictEqual(yield* sessions.newestLink(id), NOW + 7)
    assert.isUndefined(yield* sessions.takeLink("one", NOW + 5))
    assert.strictEqual(yield* sessions.takeLink("one", NOW + 4), id)
    assert.isUndefined(yield* sessions.takeLink("one", NOW + 4))
    yield* sessions.dropLinks(id)
    assert.isUndefined(yield* sessions.takeLink("two", NOW))
  }),

  "have sessions, which they end, and which end by age and silence": Effect.gen(function*() {
    const sessions = yield* Sessions
    const [id, other] = [yield* person("dan"), yield* person("eve")]
    const [first, second, third] = [
      yield* session(id, "1"),
      yield* session(id, "2"),
      yield* session(other, "3", NOW + 9)
    ]
    yield* sessions.refresh(first, "1b", NOW + 3)
    assert.isUndefined(yield* sessions.find("1"))
    assert.deepInclude(yield* sessions.find("1b"), { id: first, seenAt: NOW + 3, freshAt: NOW + 3, createdAt: NOW })
    assert.isFalse(yield* sessions.end(third, id), "another person's")
    yield* sessions.endOthers(id, first)
    assert.deepStrictEqual((yield* sessions.ofPerson(id)).map((one) => one.id), [first])
    assert.isTrue(second > first)
    yield* sessions.touch(first, NOW + 8)
    yield* sessions.deleteEnded(NOW + 1, NOW)
    assert.isUndefined(yield* sessions.find("1b"), "too old")
    yield* sessions.deleteEnded(NOW, NOW + 10)
    assert.isUndefined(yield* sessions.find("3"), "silent")
  }),

  "sign a challenge once, in the session for which it was made": Effect.gen(function*() {
    const passkeys = yield* Passkeys
    yield* passkeys.challenge("x", 7, NOW, NOW + 5)
    yield* passkeys.challenge("y", null, NOW, NOW + 5)
    const take = (digest: string, sessionId: number | null, now = NOW) => passkeys.takeChallenge(digest, sessionId, now)
    assert.deepStrictEqual([yield* take("x", null), yield* take("x", 8), yield* take("y", 7)], [false, false, false])
    assert.isFalse(yield* take("x", 7, NOW + 5), "too late")
    assert.deepStrictEqual([yield* take("x", 7), yield* take("x", 7), yield* take("y", null)], [true, false, true])
    yield* passkeys.challenge("z", null, NOW, NOW + 1)
    yield* passkeys.challenge("w", null, NOW + 1, NOW + 2)
    assert.isFalse(yield* take("z", null, NOW), "expired ones are deleted")
  }),

  "of an account store each SSH key once": Effect.gen(function*() {
    const sshKeys = yield* SshKeys
    const accountId = yield* account()
    const key = { name: "n", publicKey: "ssh-ed25519 A", fingerprint: "SHA256:f", createdAt: NOW }
    const id = yield* sshKeys.add(accountId, key)
    assert.strictEqual(yield* sshKeys.add(accountId, { ...key, name: "again" }), 0)
    assert.deepStrictEqual(yield* sshKeys.list(accountId), [{ ...key, id }])
    assert.isFalse(yield* sshKeys.remove(id, accountId + 1))
    assert.isTrue(yield* sshKeys.remove(id, accountId))
  })
}
