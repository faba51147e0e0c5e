/** The access of members, names of accounts, and what happened in an account. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { record } from "#service/audit/Audit"
import { AccountActivity } from "#service/persistence/AccountActivity"
import { Accounts } from "#service/persistence/Accounts"
import { People } from "#service/persistence/people/People"
import { Tasks } from "#service/persistence/Tasks"
import { account, instance, NOW, stock, task } from "./Fixtures.ts"
import { isRefused, type Rules, write } from "./Rules.ts"

const person = (name: string) =>
  Effect.flatMap(People, (people) =>
    people.create({
      email: `${name}@example.test`,
      name,
      role: "customer",
      handle: name,
      createdAt: NOW
    }))

const act = (personId: number, action: string, accountId: number | null) =>
  write(record({
    actor: { kind: "person", personId, name: "a", from: "b", requestId: null },
    action,
    accountId
  }))

const LATEST = Number.MAX_SAFE_INTEGER

export const members: Rules = {
  "have full access, or only read, in each account": Effect.gen(function*() {
    const people = yield* People
    const [first, second, id] = [yield* account(), yield* account({ email: "b@example.test" }), yield* person("ann")]
    yield* people.join(id, first, NOW)
    yield* people.join(id, second, NOW + 1, "read")
    assert.deepStrictEqual((yield* people.accountsOf(id)).map((one) => one.permission), ["full", "read"])
    assert.deepStrictEqual((yield* people.list(second, 9)).map((one) => one.permission), ["read"])
    assert.deepStrictEqual((yield* people.list(null, 9)).map((one) => one.permission), [null])
    assert.isTrue(yield* people.setPermission(id, first, "read"))
    assert.isFalse(yield* people.setPermission(id + 1, first, "read"))
    assert.strictEqual(yield* people.permissionOf(id, first), "read")
    assert.isUndefined(yield* people.permissionOf(id + 1, first))
    assert.isTrue(yield* isRefused(people.setPermission(id, first, "none" as "read")))
  }),

  "see the name of an account, or else its address": Effect.gen(function*() {
    const [people, accounts] = [yield* People, yield* Accounts]
    const [one, id] = [yield* account(), yield* person("ann")]
    yield* people.join(id, one, NOW)
    const name = Effect.map(people.accountsOf(id), ([joined]) => joined?.name)
    assert.strictEqual(yield* name, "a@example.test")
    yield* accounts.rename(one, "Example Ltd")
    assert.deepStrictEqual([yield* name, (yield* accounts.find(one))?.name], ["Example Ltd", "Example Ltd"])
    yield* accounts.rename(one, null)
    assert.strictEqual(yield* name, "a@example.test")
  }),

  "find what happened in the account, without other accounts and what is not for them": Effect.gen(function*() {
    const [people, activity, tasks] = [yield* People, yield* AccountActivity, yield* Tasks]
    yield* stock
    const [accountId, id] = [yield* account(), yield* person("ann")]
    const [own, foreign] = [yield* instance(accountId), yield* instance(yield* account({ email: "b@example.test" }))]
    yield* act(id, "sign_in.link", null)
    yield* people.join(id, accountId, 1)
    yield* act(id, "keys.create", accountId)
    yield* act(id, "accounts.limits", accountId)
    yield* act(id, "keys.create", accountId + 1)
    const filter = { accountId, before: LATEST, personId: null, limit: 9 }
    const actions = (entries: ReadonlyArray<{ readonly action: string }>) => entries.map(({ action }) => action)
    assert.deepStrictEqual(actions(yield* activity.entries(filter)), ["keys.create"])
    assert.deepStrictEqual(yield* activity.entries({ ...filter, personId: id + 1 }), [])
    assert.deepStrictEqual(actions(yield* activity.signIns({ ...filter, personId: id })), ["sign_in.link"])
    assert.deepStrictEqual(yield* activity.signIns({ ...filter, personId: id, before: 1 }), [])
    const bought = yield* task(own.id)
    const common = { status: "succeeded", apiKeyId: null, requestId: null, error: null, at: NOW } as const
    yield* tasks.recordAudit({ ...common, instanceId: own.id, type: "renew", actor: "system", personId: id })
    yield* task(foreign.id)
    const ids = (more: object) => Effect.map(activity.tasks({ ...filter, ...more }), (all) => all.map((one) => one.id))
    assert.deepStrictEqual(yield* ids({}), [bought + 1, bought])
    assert.deepStrictEqual(yield* ids({ limit: 1 }), [bought + 1])
    assert.deepStrictEqual(yield* ids({ before: bought + 1 }), [bought])
    assert.deepStrictEqual(yield* ids({ personId: id }), [bought + 1])
  })
}
