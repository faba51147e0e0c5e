/** The queries of operators across all accounts. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Accounts } from "#service/persistence/Accounts"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { Coupons } from "#service/persistence/Coupons"
import { type JournalKind, Journals } from "#service/persistence/Journals"
import { OperatorLists } from "#service/persistence/OperatorLists"
import { Instances } from "#service/persistence/Instances"
import { Tasks } from "#service/persistence/Tasks"
import { account, apiKey, firstInstance, instance, NOW, task } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

const ids = (rows: ReadonlyArray<{ readonly id: number }>) => rows.map(({ id }) => id)

export const operators: Rules = {
  "accounts are listed by id, with what they have": Effect.gen(function*() {
    const lists = yield* OperatorLists
    assert.isFalse(yield* lists.hasAccounts)
    const { accountId, id } = yield* firstInstance
    assert.isTrue(yield* lists.hasAccounts)
    yield* instance(accountId)
    yield* instance(accountId)
    yield* (yield* Instances).setLifecycle(id, "deleted")
    yield* apiKey(accountId)
    yield* (yield* ApiKeys).revoke(yield* apiKey(accountId, { digest: "d2" }), NOW)
    yield* (yield* Accounts).credit(accountId, 5)
    const second = yield* account({ email: "b@example.test" })
    const vat = { treatment: "domestic", rate: 1_900 } as const
    const known = { email: "a@example.test", currency: "EUR", vat, wallet: 5, createdAt: NOW, instances: 2, keys: 1 }
    assert.deepStrictEqual(yield* lists.account(accountId), { ...known, id: accountId })
    assert.deepStrictEqual(ids(yield* lists.accounts(0, 10)), [accountId, second])
    assert.deepStrictEqual(ids(yield* lists.accounts(accountId, 10)), [second])
    assert.deepStrictEqual(ids(yield* lists.accounts(0, 1)), [accountId])
    assert.isUndefined(yield* lists.account(second + 1))
  }),

  "keys are listed by id, of one account or of all, revoked ones too": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const [one, other] = [yield* account(), yield* account()]
    const first = yield* apiKey(one)
    const second = yield* apiKey(other, { digest: "d2" })
    const third = yield* apiKey(one, { digest: "d3", scopes: ["vps:read"] })
    yield* (yield* ApiKeys).revoke(first, NOW)
    assert.deepStrictEqual(ids(yield* lists.keys(null, 10)), [first, second, third])
    assert.deepStrictEqual(ids(yield* lists.keys(one, 10)), [first, third])
    assert.deepStrictEqual(ids(yield* lists.keys(null, 1)), [first])
    const key = yield* (yield* ApiKeys).find(third)
    assert.deepStrictEqual((yield* lists.keys(one, 10))[1], key)
  }),

  "instances are listed newest first, deleted ones on request": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const instances = yield* Instances
    const { accountId, id } = yield* firstInstance
    const gone = yield* instance(accountId)
    const foreign = yield* instance(yield* account())
    yield* instances.setLifecycle(gone.id, "deleted")
    yield* instances.setLifecycle(id, "active")
    yield* (yield* Instances).suspend(id, "abuse", "twice")
    yield* task(id, { type: "suspend" })
    const list = (of: number | null, lifecycle: "deleted" | "pending" | null) =>
      Effect.map(lists.instances({ accountId: of, lifecycle }, 10), ids)
    assert.deepStrictEqual(yield* list(null, null), [foreign.id, id])
    assert.deepStrictEqual(yield* list(accountId, null), [id])
    assert.deepStrictEqual(yield* list(null, "deleted"), [gone.id])
    assert.deepStrictEqual(yield* list(accountId, "pending"), [])
    const [listed] = yield* lists.instances({ accountId, lifecycle: null }, 1)
    const { plan, suspendedNote, suspendedReason, taskRunning } = listed!
    assert.deepStrictEqual([plan, suspendedReason, suspendedNote], ["plan-1", "abuse", "twice"])
    assert.deepStrictEqual([listed!.task, taskRunning], ["suspend", false])
    assert.deepStrictEqual([listed!.autoRenew, listed!.expiresAt, listed!.hostname], [true, NOW + 1_000, "web"])
    yield* write(Effect.flatMap(Tasks, ({ claim }) => claim(NOW, NOW + 1, 1)))
    assert.isTrue((yield* lists.instances({ accountId, lifecycle: null }, 1))[0]?.taskRunning)
    yield* (yield* Instances).subscriptions.setAutoRenew(foreign.id, false)
    const [other] = yield* lists.instances({ accountId: foreign.accountId, lifecycle: null }, 1)
    assert.deepStrictEqual([other?.taskRunning, other?.autoRenew], [false, false])
  }),

  "tasks are listed newest first, of an instance, of a status, or all": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const { accountId, id } = yield* firstInstance
    const other = yield* instance(accountId)
    const [first, second] = [yield* task(id), yield* task(other.id)]
    yield* write(Effect.flatMap(Tasks, ({ cancel }) => cancel(first, "no", NOW)))
    const third = yield* task(id)
    assert.deepStrictEqual(ids(yield* lists.tasks({ instanceId: null, status: null }, 10)), [third, second, first])
    assert.deepStrictEqual(ids(yield* lists.tasks({ instanceId: id, status: null }, 10)), [third, first])
    assert.deepStrictEqual(ids(yield* lists.tasks({ instanceId: null, status: "queued" }, 1)), [third])
    const cancelled = yield* lists.tasks({ instanceId: id, status: "cancelled" }, 10)
    assert.deepStrictEqual(cancelled, [(yield* (yield* Tasks).find(first))!])
  }),

  "a statement shows how each journal changed the wallet, newest first": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const book = yield* Journals
    const accountId = yield* account()
    const append = (of: number, kind: JournalKind, reference: string, amounts: ReadonlyArray<number>) =>
      book.append({
        accountId: of,
        kind,
        reference,
        currency: "EUR",
        at: NOW,
        entries: [
          ...amounts.map((amount) => ({ account: `wallet:${of}`, amount })),
          { account: "bank", amount: -amounts.reduce((sum, amount) => sum + amount, 0) }
        ]
      })
    yield* append(accountId, "top_up", "a", [5_000_000_000])
    yield* append(accountId, "instance_create", "b", [-7, -2])
    yield* append(yield* account(), "top_up", "c", [1])
    const line = { currency: "EUR", at: NOW }
    const lines = [
      { ...line, id: 2, kind: "instance_create", reference: "b", amount: -9 },
      { ...line, id: 1, kind: "top_up", reference: "a", amount: 5_000_000_000 }
    ]
    assert.deepStrictEqual(yield* lists.statement(accountId, 10), lines as never)
    assert.deepStrictEqual(yield* lists.statement(accountId, 1), [lines[0]] as never)
  }),

  "coupons are listed by code, capitals before small letters": Effect.gen(function*() {
    const coupons = yield* Coupons
    const terms = {
      kind: "percent",
      value: 1,
      currency: null,
      validFrom: null,
      validUntil: null,
      maxUses: null
    } as const
    for (const code of ["b", "a", "B", "ä", "Z"]) {
      yield* coupons.add({ ...terms, code, oncePerAccount: false, at: NOW })
    }
    const listed = yield* (yield* OperatorLists).coupons
    assert.deepStrictEqual(listed.map(({ code }) => code), ["B", "Z", "a", "b", "ä"])
    assert.deepStrictEqual(listed[0], yield* coupons.find("B"))
  })
}
